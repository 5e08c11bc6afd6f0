/** The answer of the update `created`. Pure. */
import type { GatewayResponse } from './gateway';
import type { PaymentData, PaymentState } from './payment';

/** The payment data that the gateway's own answer to a creation makes. */
export const dataOfCreation = (answer: GatewayResponse): PaymentData => ({ ...answer, recovered: false });

/** The answer that the next run repeats: the payment data, the refusal, or the word of the person who ended it without any. */
export function answerToKeep(state: PaymentState): PaymentData | null {
  const isAnswered = state.refused_because !== null || state.confirmed_by === 'operator';
  return isAnswered ? (creationAnswer(state) ?? null) : state.payment_data;
}

/**
 * The payment data; for a payment that ended without any, the person's word or its last status; undefined while the creation is
 * not decided.
 */
export function creationAnswer(state: PaymentState): PaymentData | undefined {
  if (state.payment_data !== null) return state.payment_data;
  if (state.outcome === null) return undefined;
  const { out_trade_no, trade_no, trade_status, outcome, confirmed_by, refused_because, mismatch } = state;
  // Nothing proves that a trade which was found meanwhile is of this order, or one that costs something else.
  if (confirmed_by === 'operator' || mismatch)
    return { out_trade_no, trade_no: null, trade_status: outcome, recovered: false };
  return { out_trade_no, trade_no, trade_status: trade_status ?? outcome, ...refused_because, recovered: false };
}
