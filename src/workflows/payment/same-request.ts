/** Refuses a request that is not the one that runs under its number already. */
import {
  FAILURE,
  fieldsUnlikeKnown,
  orderOf,
  type PaymentInput,
  type PaymentState,
  typedFailure,
} from '../../contract';

/** Throws `DifferentRequest` unless the order is the one that this run was started with. */
export function assertSameOrder(input: PaymentInput, again: PaymentInput | undefined): void {
  const order = orderOf(input);
  if (!order || !again || again.kind === 'adopt') return;
  assertNoDifference(fieldsUnlikeKnown(again, order, null), again.request.out_trade_no);
}

/** Throws `DifferentRequest` for an order that differs from the adopted trade, by the fields that both have. */
export function assertSameTrade(state: PaymentState, again: PaymentInput | undefined): void {
  if (!again || again.kind === 'adopt') return;
  assertNoDifference(fieldsUnlikeKnown(again, undefined, state), again.request.out_trade_no);
}

function assertNoDifference(fields: string[], out_trade_no: string): void {
  if (fields.length === 0) return;
  throw typedFailure(
    FAILURE.differentRequest,
    `Order ${out_trade_no} runs already with another request: ${fields.join(', ')} differ. Send the same request, or use a new out_trade_no.`,
    { fields },
  );
}
