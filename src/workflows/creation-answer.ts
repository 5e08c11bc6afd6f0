/** What `created` answers once the creation is settled. Pure. */
import type { PaymentData, PaymentState } from './contract';

/** The payment data, or for a payment that ended without any, the state it ended in; undefined while unsettled. */
export function creationAnswer(state: PaymentState): PaymentData | undefined {
  if (state.payment_data !== null) return state.payment_data;
  if (state.outcome === null) return undefined;
  const { out_trade_no, trade_no, trade_status, outcome, refused_because } = state;
  return { out_trade_no, trade_no, trade_status: trade_status ?? outcome, ...refused_because, recovered: false };
}
