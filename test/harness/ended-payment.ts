/** How a payment hands itself over to what follows its order, where none was lived. */
import type { PaymentState } from '../../src/contract';
import type { PaymentEnd } from '../../src/contract/known-order';

type Ids = Pick<PaymentState, 'app_id' | 'out_trade_no' | 'trade_no'>;

/** Sold for 150.00 BRL by card, as a query has said, unless `state` tells otherwise; watched until `watch_until`. */
export const endedPayment = (
  ids: Ids,
  state: Partial<PaymentState>,
  end: Pick<PaymentEnd, 'ended_at' | 'watch_until'> & Partial<PaymentEnd>,
): PaymentEnd => ({
  ...{
    run_id: 'the payment',
    reasons: [],
    asked: [],
    sent_again: false,
    repeats: false,
    made_here: true,
    ordered_here: true,
  },
  ...end,
  state: {
    ...{ trade_status: 'SUCCESS', outcome: 'SUCCESS', confirmed_by: 'query', history: [], other_trades: [] },
    ...{ order_amount: '150.00', order_currency: 'BRL', method: 'CreditCard', payment_data: null },
    ...{ attention: null, attention_since: null, taken: null, expires_at: null },
    ...{ previous: null, refused_because: null },
    ...ids,
    ...state,
  },
});
