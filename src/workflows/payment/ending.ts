/** What is left to do when a payment's outcome is known. Pure. */
import {
  type Attention,
  classifyTransition,
  isDecided,
  isOfTrade,
  type NotificationSignal,
  outcomeOf,
  type PaymentState,
  reportsNewMoney,
  saleStatus,
  tradesNamedBy,
} from '../../contract';

export interface EndingFacts {
  readonly state: Pick<
    PaymentState,
    'outcome' | 'confirmed_by' | 'trade_no' | 'trade_status' | 'attention' | 'mismatch'
  >;
  /** Notifications that no recorded look has settled. */
  readonly pending: readonly NotificationSignal[];
  /** Whether the creation ended without an order while an earlier try may have made one. */
  readonly mayHaveSent: boolean;
  /** Whether the order was sent more than once, so that there may be more than one trade of ours. */
  readonly sentAgain: boolean;
}

export interface Ending {
  /** News of this trade's money for the after-sale. */
  readonly forAfterSale: readonly NotificationSignal[];
  /** Whether a notification contradicts the sale, which stands: a look says whether a person has to know. */
  readonly isRevoked: boolean;
  /** Trades under the number that are not this payment's, and that nobody has looked at. */
  readonly otherTrades: readonly string[];
  /** The trade that a new run takes on: it was paid, or it is there without an order of ours. */
  readonly reopenFor: { readonly trade_no: string | null } | undefined;
  /** The number of this payment's trade, as far as one is known. */
  readonly trade_no: string | null;
  /** Whether the trade may still be paid although the payment is over. */
  readonly mayStillBePaid: boolean;
}

export function endingOf({ state, pending, mayHaveSent, sentAgain }: EndingFacts): Ending {
  const { outcome } = state;
  // Without a number of ours, a SUCCESS is news: it names the trade that was sold.
  const isNamed = state.trade_no !== null || outcome !== 'SUCCESS';
  const trade_status = isNamed ? saleStatus(state) : state.trade_status;
  const named = tradesNamedBy(pending);
  // Without a trade_no of ours, the only one that was named counts. Of several, a person has to choose.
  const [only = null] = named.length === 1 ? named : [];
  const trade_no = state.trade_no ?? only;
  // Of an amount that a person has decided, what the gateway showed of it is known.
  const isNews = (one: NotificationSignal) =>
    reportsNewMoney(isDecided(state, one) ? state.trade_status : trade_status, one.trade_status ?? '');
  const ours = pending.filter((one) => isOfTrade(one, trade_no));
  const isSold = outcome === 'SUCCESS';
  // Without an order of ours, every named trade may be taken on by a run of its own.
  const news = outcome === null ? ours : ours.filter(isNews);
  const last = isSold ? undefined : news.at(-1);
  return {
    forAfterSale: isSold ? news : [],
    isRevoked: isSold && ours.some((one) => !isNews(one) && contradicts(trade_status, one.trade_status)),
    otherTrades: last === undefined ? named.filter((one) => one !== trade_no) : [],
    reopenFor: last && { trade_no: last.trade_no ?? trade_no },
    trade_no,
    mayStillBePaid: sentAgain || (!isSold && (mayHaveSent || isOpenAtTheGateway(state))),
  };
}

/** Whether this claim neither repeats, follows nor precedes the status. */
function contradicts(trade_status: string | null, claim: string | undefined): boolean {
  return claim !== undefined && ['unlisted', 'unknown-status'].includes(classifyTransition(trade_status, claim));
}

/** A person or a deadline ended it: the gateway itself has not. Of an amount that a person has decided, nothing more comes. */
function isOpenAtTheGateway(state: EndingFacts['state']): boolean {
  const { outcome, confirmed_by } = state;
  if (outcome === null || isDecided(state, {})) return false;
  return confirmed_by !== 'query' && confirmed_by !== 'notification' && outcomeOf(saleStatus(state) ?? '') === null;
}

/** Reasons that concern every order of an app: one follow-up waits for all of them. */
export const isOfTheApp = (attention: Attention | null): boolean => attention === 'credentials';
