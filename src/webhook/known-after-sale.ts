/** What an ended after-sale already knows, so that a repeated notification starts nothing. */
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
 * Meanings that are no news for a trade that ended REFUNDED, if no refund is named, nor for a refund that did. What may happen a second time
 * is news: another part that goes back, a refund that comes back, another dispute.
 */
const NO_NEWS_OF_REFUNDED: readonly RefundMeaning[] = ['under way', 'part is done', 'done'];

/** Whether the after-sale with this last state has nothing to learn from the notification. Pure. */
export function isKnownAfterSale(
  { trade_no: ours, trade_status: status, refunds, payment }: AfterSaleState,
  notification: Notification,
): boolean {
  const { trade_no, trade_status, out_request_no } = notification;
  // A refund of another trade may have the same number.
  const named = refunds.find((one) => one.out_request_no === out_request_no && (one.trade_no ?? ours) === trade_no);
  if (named && isRefundStatus(trade_status)) return isKnownOf(named, trade_status);
  // The payment decides whether a status that says nothing of a refund or of the bank, or is of another trade, is known.
  const isOfPayment = !isAfterSaleStatus(trade_status) || trade_no !== ours;
  if (payment !== null && isOfPayment) return isKnownToPayment(payment, notification);
  if (trade_no !== ours || out_request_no !== undefined) return false;
  return status === 'REFUNDED' && NO_NEWS_OF_REFUNDED.includes(refundMeaningOf(trade_status));
}

/**
 * The end of the refund counts, not the gateway's first answer. The end of a refund that was only accepted is news. A refund that did not come
 * about, by the gateway's answer or a person's decision, may have been started all the same.
 */
function isKnownOf({ outcome }: RefundState, trade_status: string): boolean {
  const meaning = refundMeaningOf(trade_status);
  if (outcome === 'ACCEPTED') return meaning === 'under way';
  return outcome === 'REFUNDED' ? NO_NEWS_OF_REFUNDED.includes(meaning) : outcome === trade_status;
}
