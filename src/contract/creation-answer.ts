/** The answer of the update `created`. Pure. */
import type { PaymentData, PaymentState } from './payment';

/** The answer that the next run repeats: the payment data, or the refusal. */
export function answerToKeep(state: PaymentState): PaymentData | null {
  return state.refused_because === null ? state.payment_data : (creationAnswer(state) ?? null);
}

/**
 * The payment data; for a payment that ended without any, its last status; undefined while the creation is not decided.
 */
export function creationAnswer(state: PaymentState): PaymentData | undefined {
  if (state.payment_data !== null) return state.payment_data;
  if (state.outcome === null) return undefined;
  const { out_trade_no, trade_no, trade_status, outcome, refused_because } = state;
  return { out_trade_no, trade_no, trade_status: trade_status ?? outcome, ...refused_because, recovered: false };
}
