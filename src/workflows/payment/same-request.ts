/** Refuses a request that is not the one that runs under its number already. */
import {
  differentOrder,
  FAILURE,
  fieldsUnlikeKnown,
  isNotCreatedFailure,
  orderOf,
  type PaymentInput,
  type PaymentState,
  typedFailure,
} from '../../contract';

/**
 * Throws `DifferentRequest` unless the order is the one that this run was started with, or `Closing` where that one has
 * failed and its run is about to end: the number can be used again then.
 */
export function assertSameOrder(
  input: PaymentInput,
  state: PaymentState,
  again: PaymentInput | undefined,
  failure: unknown,
): void {
  const order = orderOf(input);
  if (!order || !again || again.kind === 'adopt') return;
  const { out_trade_no } = again.request;
  const fields = fieldsUnlikeKnown(again, order, null);
  if (fields.length > 0 && isNotCreatedFailure(failure))
    throw typedFailure(
      FAILURE.closing,
      `Order ${out_trade_no} was not created, and its workflow is about to end: ask again.`,
    );
  assertNoDifference(fields, state);
}

/** Throws `DifferentRequest` for an order that differs from the adopted trade, by the fields that both have. */
export function assertSameTrade(state: PaymentState, again: PaymentInput | undefined): void {
  if (!again || again.kind === 'adopt') return;
  assertNoDifference(fieldsUnlikeKnown(again, undefined, state), state);
}

function assertNoDifference(fields: readonly string[], first: PaymentState): void {
  if (fields.length > 0) throw differentOrder(first, fields);
}
