/** Whether a payment that has ended knows what is notified. Pure. */
import type { NotificationSignal } from './notification';
import type { PaymentState } from './payment';
import { isDecided, isUnlikeOrder } from './same-order';
import { classifyTransition, saleStatus } from './transitions';

/** Whether it knows this trade in this state, and of this amount: mostly a repetition whose acknowledgement was lost. */
export function isKnownToPayment(
  payment: Pick<PaymentState, 'trade_no' | 'trade_status' | 'order_amount' | 'order_currency'> &
    Pick<PaymentState, 'outcome' | 'confirmed_by' | 'other_trades' | 'mismatch'>,
  notified: NotificationSignal,
): boolean {
  const { trade_no, trade_status, amount, currency } = notified;
  const { trade_no: ours, outcome, trade_status: status, other_trades } = payment;
  if (trade_status === undefined) return false;
  // Another trade, or ours whose number the payment did not know: it is news unless it was noted.
  if (trade_no !== undefined && trade_no !== ours)
    return other_trades.some((one) => one.trade_no === trade_no && one.trade_status === trade_status);
  const isNewsTo = (known: string | null) => !['same', 'stale'].includes(classifyTransition(known, trade_status));
  // What a person has said proves nothing of the gateway's money.
  if (isDecided(payment, { amount, currency })) return !isNewsTo(status);
  if (payment.confirmed_by === 'operator') return false;
  const { order_amount, order_currency } = payment;
  const isUnlike = isUnlikeOrder(
    { order_amount, order_currency },
    { amount: amount || undefined, currency: currency || undefined },
  );
  return !isNewsTo(saleStatus({ outcome, trade_status: status })) && !isUnlike;
}
