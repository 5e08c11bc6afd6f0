/** What an after-sale that has ended knows already, so that hearing it again starts nothing. */
import {
  type AfterSaleState,
  isAfterSaleStatus,
  isKnownToPayment,
  isRefundStatus,
  type RefundMeaning,
  type RefundState,
  refundMeaningOf,
} from '../contract';
import type { Notification } from '../gateway';

/**
 * No news of a trade that has ended REFUNDED, without a refund's number, nor of a refund that has. Whatever may happen a second time is
 * news: a second part that goes back, a refund that comes back, a dispute after one that was won or lost unheard.
 */
const NO_NEWS_OF_REFUNDED: readonly RefundMeaning[] = ['under way', 'part is done', 'done'];

/** Whether the after-sale with this last state has nothing to learn from the notification. Pure. */
export function isKnownAfterSale(
  { trade_no: ours, trade_status: status, refunds, payment }: AfterSaleState,
  notification: Notification,
): boolean {
  const { trade_no, trade_status, out_request_no } = notification;
  // The same number may be one of a refund of another trade.
  const named = refunds.find((one) => one.out_request_no === out_request_no && (one.trade_no ?? ours) === trade_no);
  if (named && isRefundStatus(trade_status)) return isKnownOf(named, trade_status);
  // What says nothing of a refund or of the bank is known as the payment knows it.
  const isOfPayment = !isAfterSaleStatus(trade_status) || trade_no !== ours;
  if (payment !== null && isOfPayment) return isKnownToPayment(payment, notification);
  if (trade_no !== ours || out_request_no !== undefined) return false;
  return status === 'REFUNDED' && NO_NEWS_OF_REFUNDED.includes(refundMeaningOf(trade_status));
}

/**
 * How it ended is what counts: the gateway's first answer may have said otherwise. How a refund ended that was only accepted is news. One that
 * did not come about, by the gateway's word or a person's, may have been started all the same.
 */
function isKnownOf({ outcome }: RefundState, trade_status: string): boolean {
  const meaning = refundMeaningOf(trade_status);
  if (outcome === 'ACCEPTED') return meaning === 'under way';
  return outcome === 'REFUNDED' ? NO_NEWS_OF_REFUNDED.includes(meaning) : outcome === trade_status;
}
