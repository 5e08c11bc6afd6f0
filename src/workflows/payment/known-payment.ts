/** What is known of one payment: the state that its facts make, and what is read from it. Pure. Times are ms since the epoch. */
import {
  type Attention,
  answerToKeep,
  type EarlierPayment,
  type EarlierPayments,
  type GatewayErrorFields,
  isDuplicateOrderFailure,
  isOfTrade,
  isUnlikeOrder,
  knownIds,
  type NotedTrade,
  type NotificationSignal,
  type Order,
  type OtherTrade,
  orderOf,
  outcomeOf,
  type PaymentCarried,
  type PaymentInput,
  type PaymentState,
  saysWithoutOrder,
  type ToldByPolls,
  type Trade,
  type TradeId,
  type Transition,
  tradesNamedBy,
  type Wait,
} from '../../contract';
import { ANSWERED, MAY_PASS, shownAttention } from '../shared/attention-reasons';
import { shownTrades } from '../shared/noted-trades';
import { shownWait } from '../shared/wait';
import type { CreationFacts } from './creation-table';
import { isSameOrder, knownOfOrder } from './known-before';

/** How far a request of ours may have got, the least first, with the words that people read. */
export const REACHES = {
  none: 'none of ours can exist',
  busy: 'the gateway was busy, and may have made it all the same',
  perhaps: 'it may exist',
  sent: 'a request is out of our hands',
} as const;
export type Reach = keyof typeof REACHES;

export interface KnownCreation {
  /** How many requests were begun, and how many of them while an order of ours might exist. */
  readonly begun: number;
  readonly resent: number;
  /** How many requests, of this run and of earlier ones, may have made a trade, or may still make one. */
  readonly reached: number;
  /** How many tries have ended. */
  readonly tried: number;
  readonly reach: Reach;
  /** What the gateway said last to a request. */
  readonly said: CreationFacts['said'];
  /** What the last look brought, if it began after the last request, and how many claims there were when it began. */
  readonly looked: CreationFacts['looked'];
  readonly looked_after: number;
  /** No pause is left before the next request. */
  readonly isRested: boolean;
  /** A try had all of the order's time, and was not sent. */
  readonly isLate: boolean;
  /** A try has not reported that this run is a reset, or the runs before it have been read. */
  readonly isOwn: boolean;
  readonly last: { readonly message: string; readonly error: GatewayErrorFields } | null;
}

/** A notification that no look has settled. */
export interface PendingClaim {
  readonly signal: NotificationSignal;
  /** Its number in the order of arrival. A claim that a look did not answer gets a new number: it counts as new again. */
  readonly heard: number;
  /** The gateway has denied its trade. */
  readonly isDenied: boolean;
}

/** The fields of the state that are not derived from others. */
type Shown = Omit<PaymentState, 'attention' | 'attention_since' | 'taken' | 'other_trades' | 'previous' | 'history'>;

export interface KnownPayment {
  readonly shown: Readonly<Shown>;
  readonly history: readonly Transition[];
  /** It takes on a trade that exists already. */
  readonly isAdopted: boolean;
  /** Null if the order was not made and another system's trade is watched; undefined if no order is known here. */
  readonly order: Order | null | undefined;
  readonly isWithdrawn: boolean;
  /** The order’s after-sale waits to be told of the end. */
  readonly isFollowed: boolean;
  /** Why a person is needed, as the after-sale was told with the end; null before that. */
  readonly handedOver: readonly Attention[] | null;
  readonly creation: KnownCreation;
  /** What earlier runs knew; null before it is read. */
  readonly earlier: EarlierPayments | null;
  /** The earlier payment that this run continues, if it takes on a trade. */
  readonly before: EarlierPayment | undefined;
  /** This run has only taken over the end of an earlier run. */
  readonly isRestored: boolean;
  /** The last status that was reported, accepted or not, with its source and time. A poll that finds the same has no news. */
  readonly heard: { readonly status: string; readonly source: Transition['source']; readonly at: string } | null;
  readonly others: readonly NotedTrade[];
  /** Why it needs a person, in the order in which the reasons came. */
  readonly reasons: readonly Attention[];
  /** When a person was last told of each of these reasons, in ms since the epoch. */
  readonly told_at: Readonly<Partial<Record<ToldByPolls, number>>>;
  /** Null while nobody is needed. */
  readonly wait: Wait | null;
  /** How many signals have come. */
  readonly taken: number;
  /** How many claims have come, and how many had come when the last look began. */
  readonly claimed: number;
  readonly looked_after: number;
  readonly claims: readonly PendingClaim[];
  /** Claims about money that a look has contradicted. They count again if the trade ends without that money. */
  readonly contradicted: readonly NotificationSignal[];
  /** Notifications that name a refund: only the after-sale can settle them. */
  readonly ofRefunds: readonly NotificationSignal[];
  readonly latest: (Pick<NotificationSignal, 'trade_status' | 'trade_no'> & { readonly at: string }) | null;
  /** Since when the gateway contradicts a notified SUCCESS that nobody has looked at. */
  readonly doubted_at: number | null;
  /** When the last look began, and whether the gateway gave no answer. */
  readonly look: { readonly at: number; readonly isSilent: boolean } | null;
}

/** What is known at the start. */
export function startedWith(input: PaymentInput): KnownPayment {
  const order = orderOf(input);
  const adopted = input.kind === 'adopt' ? input : undefined;
  return {
    shown: {
      app_id: input.app_id,
      out_trade_no: (input.kind === 'adopt' ? input.out_trade_no : input.request.out_trade_no) ?? null,
      trade_no: adopted?.trade_no ?? null,
      trade_status: null,
      ...(order ? saidBy(order) : SAID_NOTHING),
      outcome: null,
      confirmed_by: null,
      expires_at: null,
      payment_data: null,
      refused_because: null,
    },
    history: [],
    isAdopted: adopted !== undefined,
    order,
    isWithdrawn: false,
    isFollowed: false,
    handedOver: null,
    creation: NOTHING_SENT,
    earlier: null,
    before: undefined,
    isRestored: false,
    heard: null,
    others: [],
    reasons: [...new Set(adopted?.reasons ?? [])],
    told_at: {},
    wait: null,
    taken: 0,
    claimed: 0,
    looked_after: 0,
    claims: [],
    contradicted: [],
    ofRefunds: [],
    latest: null,
    doubted_at: null,
    look: null,
  };
}

/** The fields of the state that an order gives. */
export const saidBy = ({ request: { order_amount, order_currency, method } }: Order) => ({
  ...{ order_amount, order_currency, method: method ?? null },
});
const SAID_NOTHING = { order_amount: null, order_currency: null, method: null };

const NOTHING_SENT: KnownCreation = {
  begun: 0,
  resent: 0,
  reached: 0,
  tried: 0,
  reach: 'none',
  said: 'nothing',
  looked: 'not-yet',
  looked_after: 0,
  isRested: true,
  isLate: false,
  isOwn: false,
  last: null,
};

// — What is read —

/** The public state, as plain JSON. */
export function paymentState(known: KnownPayment): PaymentState {
  const { shown, before, history } = known;
  return {
    ...shown,
    attention: shownAttention(known.reasons),
    ...shownWait(known.wait),
    history: [...history],
    previous: before ? { run_id: before.run_id, outcome: before.outcome } : null,
    other_trades: otherTrades(known),
  };
}

/** All but our own trade, which may have been noted before our trade_no was known. */
export const notedTrades = ({ others, shown }: KnownPayment): NotedTrade[] =>
  others.filter(({ trade_no }) => trade_no !== shown.trade_no);

export const otherTrades = (known: KnownPayment): OtherTrade[] => shownTrades(notedTrades(known));

/** The ids of the trade that we know. */
export const idOf = ({ shown }: KnownPayment): TradeId => knownIds(shown);

export const nameOf = ({ shown }: KnownPayment): string => shown.out_trade_no ?? shown.trade_no ?? '(unknown)';

export const isOver = ({ shown }: KnownPayment): boolean => shown.outcome !== null;

/** Whether a payment that ended without an order still has claims: a new run takes them on. */
export const isTakenOn = (known: KnownPayment): boolean => !isOver(known) && known.claims.length > 0;

/** A person has said how it ends. */
export const isResolved = ({ history, shown }: KnownPayment): boolean =>
  shown.outcome !== null && history.at(-1)?.source === 'operator';

/** Another amount was paid than ordered: a person has to decide. */
export const needsDecision = (known: KnownPayment): boolean =>
  known.reasons.includes('amount-mismatch') &&
  outcomeOf(known.shown.trade_status ?? '') === 'SUCCESS' &&
  !isOver(known);

/**
 * The status that polls need not report. If only the creation's answer told it, a poll reports it again for a SUCCESS, which needs
 * proof, or while our trade_no is unknown: later another trade could be mistaken for ours.
 */
export function seenStatus({ heard, shown }: KnownPayment): string | null {
  const isProven = outcomeOf(heard?.status ?? '') !== 'SUCCESS' && shown.trade_no !== null;
  return heard?.source === 'creation' && !isProven ? null : (heard?.status ?? null);
}

/** A trade of another amount may be somebody else's, so callers are not told to pay it: a person compares. */
export const isLikeOrder = ({ shown }: KnownPayment, { order_amount, order_currency }: Trade): boolean =>
  !isUnlikeOrder(shown, { amount: order_amount, currency: order_currency });

// — Reasons —

/** Whether there is a reason that any answer about the trade settles. */
export const isUnanswered = ({ reasons }: KnownPayment): boolean => reasons.some((one) => ANSWERED.includes(one));

/** The reasons that only a person settles. */
export const lastingReasons = ({ reasons }: KnownPayment): Attention[] =>
  reasons.filter((one) => !MAY_PASS.includes(one));

// — Notifications —

export const signalsIn = (claims: readonly PendingClaim[]): NotificationSignal[] => claims.map(({ signal }) => signal);

/** The claims that name this trade, and those that name no trade. */
export const claimsOfTrade = ({ claims }: KnownPayment, trade_no: string | null | undefined): PendingClaim[] =>
  claims.filter(({ signal }) => isOfTrade(signal, trade_no));

/** The trades that the claims name. */
export const namedTrades = ({ claims }: Pick<KnownPayment, 'claims'>): { trade_no: string }[] =>
  tradesNamedBy(signalsIn(claims)).map((trade_no) => ({ trade_no }));

/** Whether a claim came after the first `claimed` ones. */
export const hasClaimsAfter = ({ claims }: KnownPayment, claimed: number): boolean =>
  claims.some(({ heard }) => heard > claimed);

// — The next run —

/** What the next run needs of this one. `failure`: what ended this run before there was an order. */
export function carriedOf(known: KnownPayment, run_id: string, failure: unknown): PaymentCarried {
  const { contradicted, ofRefunds, claims, taken, before, earlier } = known;
  const { expires_at: _until, ...shown } = known.shown;
  const order = known.order && saysWithoutOrder(failure) ? null : known.order;
  // An order that was not made describes no trade.
  const said = order === known.order ? {} : SAID_NOTHING;
  // Trades that came from a run that ended by itself: a person was asked about them at the end of that run.
  const isGiven = ({ trade_no, trade_status }: OtherTrade) =>
    before?.other_trades.some((one) => one.trade_no === trade_no && one.trade_status === trade_status) &&
    !earlier?.other_trades.some((one) => one.trade_no === trade_no);
  return {
    payment: {
      ...shown,
      ...said,
      other_trades: otherTrades(known),
      run_id,
      order,
      payment_data: answerToKeep(paymentState(known)),
      made: madeBy(known, order, failure),
      failed: saysWithoutOrder(failure),
      // A payment that takes a trade on has nothing to withdraw.
      withdrawn: known.isWithdrawn && !known.isAdopted,
      reached: known.creation.reached,
    },
    has_read: earlier?.read_by === run_id,
    taken,
    claims: [...contradicted, ...ofRefunds, ...signalsIn(claims)],
    other_trades: notedTrades(known).filter((one) => !isGiven(one)),
    reasons: lastingReasons(known).filter((one) => !known.handedOver?.includes(one)),
  };
}

function madeBy(known: KnownPayment, order: KnownPayment['order'], failure: unknown): EarlierPayment['made'] {
  const { outcome, trade_status } = known.shown;
  if (outcome === 'SUCCESS') return 'order';
  if (isDuplicateOrderFailure(failure)) return 'of others';
  if (known.isAdopted && !order) return trade_status === null ? 'nothing' : 'of others';
  // A person may have decided the outcome before anything was sent: the decision stays.
  const isTold = outcome !== null || known.isAdopted || known.creation.begun > 0 || mayExist(known);
  return order && isTold ? 'order' : 'nothing';
}

// — The creation —

/** The input of the creation table. `until`: from when on the order is not sent any more. */
export function creationFacts(
  known: KnownPayment,
  { until, now }: { readonly until: number; readonly now: number },
): CreationFacts {
  const { reach, said, looked, isLate, isRested } = known.creation;
  return {
    hasEnded: hasEndedBefore(known),
    mayExist: mayExist(known),
    mayBeReached: reach !== 'none',
    said,
    looked,
    // Only claims of other trades are settled while the order is created.
    isNotified: known.claims.length > 0,
    isWithdrawn: known.isWithdrawn,
    isInTime: !isLate && now < until,
    isRested,
  };
}

/** What earlier runs know of this order. */
export const earlierOf = ({ earlier, order }: KnownPayment): EarlierPayment | null =>
  earlier && order ? knownOfOrder(earlier, order) : null;

/** Whether an earlier run may have made an order under the number, or has seen one there: if so, nothing is sent before a look. */
export function mayFollow({ earlier }: KnownPayment): boolean {
  if (earlier === null) return false;
  const { runs, other_trades, untaken } = earlier;
  return runs.some(({ made }) => made !== 'nothing') || other_trades.length > 0 || untaken.length > 0;
}

/** Whether an earlier run had this same order. */
export function wasMadeBefore(known: KnownPayment): boolean {
  const before = earlierOf(known);
  return before !== null && !!known.order && isSameOrder(before, known.order);
}

/** Whether an earlier run has told how this order ended. */
export const hasEndedBefore = (known: KnownPayment): boolean => (earlierOf(known)?.outcome ?? null) !== null;

/** Whether a trade under the number is ours: an earlier run had this order, or a request of this run may have made it. */
export const isOurOrder = (known: KnownPayment): boolean => wasMadeBefore(known) || known.creation.reach !== 'none';

/** Whether an order of ours may exist, by a request of this run or of an earlier one. */
export const mayExist = ({ creation: { reach } }: KnownPayment): boolean => reach === 'perhaps' || reach === 'sent';

/** Whether an order of ours may exist at the gateway, also where the creation has failed or was refused. */
export const mayHaveSent = (known: KnownPayment): boolean =>
  mayExist(known) || (known.creation.said === 'created-refused' && known.creation.looked === 'no-answer');

/** Whether there may be more than one trade of ours. */
export const hasSentAgain = ({ creation }: KnownPayment): boolean => creation.reached > 1;

/** Neither this run nor an earlier one has sent the order. */
export const isCertainlyUnsent = (known: KnownPayment): boolean =>
  known.creation.isOwn && known.creation.reach === 'none' && !mayFollow(known) && known.claims.length === 0;

/** Whether the gateway has, or may have, an order under the number. */
export const cannotBeWithdrawn = (known: KnownPayment): boolean => mayExist(known) || known.claims.length > 0;

/** Whether the answer takes longer than a first, short try to send the order. */
export const isSlowToCreate = ({ creation, claims, isWithdrawn }: KnownPayment): boolean =>
  creation.tried > 0 || (creation.begun === 0 && (claims.length > 0 || isWithdrawn));

// — Small changes —

export const withShown = (known: KnownPayment, shown: Partial<KnownPayment['shown']>): KnownPayment => ({
  ...known,
  shown: { ...known.shown, ...shown },
});

export function withTransition(known: KnownPayment, transition: Omit<Transition, 'time'>, at: number): KnownPayment {
  return { ...known, history: [...known.history, { time: new Date(at).toISOString(), ...transition }] };
}

export const isIn = (claims: readonly PendingClaim[], { heard }: PendingClaim): boolean =>
  claims.some((one) => one.heard === heard);

export function withoutClaims(known: KnownPayment, settled: readonly PendingClaim[]): KnownPayment {
  return { ...known, claims: known.claims.filter((one) => !isIn(settled, one)) };
}
