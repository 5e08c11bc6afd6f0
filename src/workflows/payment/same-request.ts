/** Refuses a request that is not the one that runs under its number already. */
import {
  FAILURE,
  fieldsUnlikeKnown,
  isNotCreatedFailure,
  orderOf,
  type PaymentInput,
  type PaymentState,
  typedFailure,
} from '../../contract';

/**
 * Throws `DifferentRequest` unless the order is the one that this run was started with, or `PaymentPending` where that one has
 * failed and its run is about to end: the number can be used again then.
 */
export function assertSameOrder(input: PaymentInput, again: PaymentInput | undefined, failure: unknown): void {
  const order = orderOf(input);
  if (!order || !again || again.kind === 'adopt') return;
  const { out_trade_no } = again.request;
  const fields = fieldsUnlikeKnown(again, order, null);
  if (fields.length > 0 && isNotCreatedFailure(failure))
    throw typedFailure(
      FAILURE.pending,
      `Order ${out_trade_no} was not created, and its workflow is about to end: ask again.`,
    );
  assertNoDifference(fields, out_trade_no);
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
