/** The payment as events after the sale show it. Pure. */
import type { AfterSaleState, PaymentEvent } from '../../contract';

/** The payment as it is now. One that is not known was paid where the gateway has shown so. */
export function eventPaymentOf(state: AfterSaleState): PaymentEvent['payment'] {
  if (state.payment) {
    const { history: _history, payment_data: _data, ...payment } = state.payment;
    return payment;
  }
  const { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method, attention } = state;
  const trade = { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
  return {
    ...trade,
    outcome: order_amount === null ? null : 'SUCCESS',
    confirmed_by: order_amount === null ? null : 'query',
    attention,
    expires_at: null,
    previous: null,
    refused_because: null,
    other_trades: [],
  };
}
