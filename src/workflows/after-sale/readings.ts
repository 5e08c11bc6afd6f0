/** How an answer of the gateway is read: whether it agrees with what was notified, and how old it may be. Pure. */
import {
  isBankStatus,
  type KnownOrder,
  type NotificationClaim,
  outcomeOf,
  refundMeaningOf,
  reportsNewMoney,
} from '../../contract';

/** The bank's statuses, in their order. */
const STEPS_OF_THE_BANK: readonly string[] = ['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED'];

/**
 * Whether a queried status shows what was notified, or what follows it. The bank's statuses can follow any other and come again, so only
 * the same or a later one of the bank answers them.
 */
export function isAnswered({ trade_status = '' }: NotificationClaim, status: string): boolean {
  if (!isBankStatus(trade_status)) return !reportsNewMoney(status, trade_status);
  // After a reversal the payment stands again.
  if (trade_status === 'CHARGEBACK_REVERSED' && status === 'SUCCESS') return true;
  return STEPS_OF_THE_BANK.indexOf(status) >= STEPS_OF_THE_BANK.indexOf(trade_status);
}

/**
 * Whether the notification says only that the order was sold, and the trade shows a later status. An old notification says nothing new; a
 * new one, after a dispute that was won, does no harm while it is not seen.
 */
export const tellsKnownSale = ({ trade_status = '' }: NotificationClaim, status: string): boolean =>
  refundMeaningOf(trade_status) === 'stands' && outcomeOf(status) === 'SUCCESS';

// — How old an answer may be. What the trade has shown for longer than any replica is behind was true when this time began —

/** How long the trade still has to show the same until no replica can be behind it, in ms; 0 if it has for long enough. */
export const lagLeft = ({ seen }: KnownOrder, lag_ms: number): number =>
  seen === null ? lag_ms : Math.max(0, lag_ms - Math.max(0, seen.asked_at - seen.same_since));

/** A notification or a request at this time may have changed the trade: earlier answers do not tell. */
export const changedAt = (order: KnownOrder, at: number): KnownOrder =>
  order.seen === null ? order : { ...order, seen: { ...order.seen, same_since: at } };

/** Each distinct value once, at its first place. Plain JSON. */
export const distinct = <One>(all: readonly One[]): One[] => [
  ...new Map(all.map((one) => [JSON.stringify(one), one])).values(),
];
