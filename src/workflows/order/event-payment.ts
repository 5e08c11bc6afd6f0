/** The payment as events after the sale show it. Pure. */
import type { AfterSaleState, PaymentEvent } from '../../contract';

/** It was paid. Give it the state without what is only notified: that is no event yet. */
export function eventPaymentOf(state: AfterSaleState): PaymentEvent['payment'] {
  const { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method, attention } = state;
  const trade = { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
  return {
    ...trade,
    outcome: 'SUCCESS',
    confirmed_by: 'query',
    attention,
    expires_at: null,
    previous: null,
    refused_because: null,
    other_trades: [],
  };
}
