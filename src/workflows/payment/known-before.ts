/** What the runs before a payment's run know together. Pure. */
import {
  type EarlierPayment,
  type EarlierPayments,
  fieldsUnlikeKnown,
  hasSeenTrade,
  isNamedByItsCreation,
  type Order,
  type PaymentData,
} from '../../contract';

/**
 * What is known of this order: the latest run that may have made it, with the outcome of a run of the same order (a sale if there was one, else
 * the latest outcome) and the trade that the run has named. Null if no run may have made an order.
 */
export function knownOfOrder({ runs }: EarlierPayments, order: Order): EarlierPayment | null {
  const latest = runs.find(({ made }) => made === 'order');
  if (latest === undefined) return null;
  const alike = alikeOf(runs, order);
  const ended = alike.find(isSale) ?? alike.find(({ outcome }) => outcome !== null);
  return ended ? endedAs(latest, ended) : { ...latest, ...namedBy(alike), outcome: null };
}

/**
 * What a run that takes on a trade continues: the latest run that may have made, or has sold, an order; or else what the latest of the
 * others had seen. Undefined if no run had an order or a trade.
 */
export function knownOfTrade({ runs }: EarlierPayments): EarlierPayment | undefined {
  const latest = runs.find(({ made }) => made === 'order');
  if (latest === undefined) return watchedBy(runs);
  const alike = alikeOf(runs, latest.order);
  const sold = alike.find(isSale);
  return sold ? endedAs(latest, sold) : { ...latest, ...namedBy(alike) };
}

/**
 * A trade of others: an order that was asked for here was not made. The latest run may not have seen the trade itself: an earlier run that has
 * fills the gaps.
 */
function watchedBy(runs: readonly EarlierPayment[]): EarlierPayment | undefined {
  const asked = runs.find((one) => one.order !== undefined || hasSeenTrade(one));
  if (asked === undefined) return undefined;
  const latest = { ...asked, order: asked.order && null };
  const seen = runs.find(hasSeenTrade);
  if (seen === undefined || asked === seen) return latest;
  const { outcome, trade_no, trade_status, order_amount } = latest;
  return {
    ...latest,
    outcome: outcome ?? seen.outcome,
    trade_no: trade_no ?? seen.trade_no,
    trade_status: trade_status ?? seen.trade_status,
    order_amount: order_amount ?? seen.order_amount,
  };
}

/** Runs that may have made the same order; without one to compare with, each is the same. */
const alikeOf = (runs: readonly EarlierPayment[], order: Order | null | undefined): EarlierPayment[] =>
  runs.filter((one) => one.made === 'order' && (!order || isSameOrder(one, order)));

/** Whether the run had this order, or sold a trade that is like it. */
export const isSameOrder = (one: EarlierPayment, order: Order): boolean =>
  fieldsUnlikeKnown(order, one.order ?? undefined, one).length === 0;

/** The outcome of an order stays. Of a trade that nobody here ordered only a sale stays; otherwise it is queried again, for its account. */
export const staysEnded = (one: EarlierPayment): boolean =>
  isSale(one) || (one.made === 'order' && one.outcome !== null);

const isSale = ({ outcome }: EarlierPayment) => outcome === 'SUCCESS';
const endedAs = ({ run_id, order }: EarlierPayment, end: EarlierPayment) => ({ ...end, run_id, order });

/** The trade that the answer to a creation named, or else the latest; a run that only found a trade does not prove whose it is. */
function namedBy(alike: readonly EarlierPayment[]): Pick<EarlierPayment, 'trade_no' | 'payment_data'> {
  const proven = alike.find((one) => isNamedByItsCreation(one, one.trade_no));
  const { trade_no, payment_data } = proven ?? {};
  if (trade_no !== undefined && payment_data !== undefined) return { trade_no, payment_data };
  return {
    trade_no: alike.find((one) => one.trade_no !== null)?.trade_no ?? null,
    payment_data: alike.find((one) => one.payment_data !== null)?.payment_data ?? null,
  };
}

/** The payment data that a run gave to callers. It stands, unless it names another trade. */
export function answerFor(
  before: Pick<EarlierPayment, 'payment_data'> | null | undefined,
  trade_no: unknown,
): PaymentData | null {
  const { payment_data = null } = before ?? {};
  return !payment_data?.trade_no || !trade_no || payment_data.trade_no === trade_no ? payment_data : null;
}
