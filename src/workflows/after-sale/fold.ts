/**
 * The state of an order after its payment, as the facts make it. Pure: the same facts in the same order give the same state, and nothing
 * that can be derived is kept. It is also all that a run hands on to the next one.
 */
import {
  type Attention,
  attentionOfStatus,
  FAILURE,
  isAfterSaleStatus,
  isBankStatus,
  isOfTrade,
  isRefundStatus,
  isUnlikeOrder,
  type KnownOrder,
  type LedgerRefund,
  type NotedTrade,
  type NotificationClaim,
  outcomeOf,
  type PaymentEnd,
  type PaymentPolicy,
  type PollSchedule,
  refundMeaningOf,
  SILENCES,
  saleStatus,
  type TradeLedger,
  takesMoneyBack,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { refundNeedsAccount } from '../../gateway/pure/by-method';
import { replicaLag } from '../../gateway/pure/durations';
import { isMoney, isMore } from '../../gateway/pure/money';
import { isKnownStatus } from '../../gateway/pure/names';
import { iso } from '../../gateway/pure/timestamps';
import { ANSWERED, OF_THE_BANK, raised, withoutReasons } from '../shared/attention-reasons';
import { withNoted } from '../shared/noted-trades';
import { takenOn, waitAfter } from '../shared/wait';
import { attentionOf } from './attention';
import type { AfterSaleFact } from './facts';
import {
  askedOfAllGone,
  CONTRADICTED,
  findMade,
  findOwnRefund,
  findRefund,
  hasPaidNothing,
  isComplete,
  leftAtGateway,
  mayBeGone,
  mayHaveShown,
  NOT_BEGUN,
  notMade,
  withOwnRefund,
  withRefund,
  withUnknownRefund,
} from './ledger';
import { hasUnexplainedMovement } from './movements';
import {
  findLateRefund,
  hasLateMoney,
  hasMoney,
  hasUndecidedAmount,
  isDecidedAmount,
  isOfNobody,
  isOurTrade,
  isOwnTrade,
  isRevoked,
  isSearchEnded,
  isUnpaid,
  outcomeNow,
  paidOtherwise,
  shownStatus,
  toldOutcome,
} from './payment-end';
import { changedAt, distinct, isAnswered, lagLeft, tellsKnownSale } from './readings';
import { afterAnswer, afterNamed, hasCalledAPart, judged } from './refund-end';
import { latePaymentRefundNumber } from './refund-requests';
import { outcomeNamed, saysUnpaid } from './refund-table';
import { ofOtherTrade } from './refusals';
import { decidedAfterSale } from './resolve';

/** What the fold needs of the settings. */
export type FoldSettings = Readonly<Pick<PaymentPolicy, 'settling_ms' | 'late_payments' | keyof PollSchedule>>;

/** What is known of an order of which only the number is known. */
export const NOTHING_KNOWN: Omit<KnownOrder, 'out_trade_no'> = {
  payment: null,
  first_ended_at: 0,
  following: null,
  decision: null,
  others: [],
  trade_no: null,
  method: null,
  paid: null,
  seen: null,
  history: [],
  refunds: [],
  earlier: [],
  elsewhere: '0.00',
  bank: null,
  denied: null,
  heard: 0,
  held: [],
  contradicted: [],
  reasons: [],
  wait: null,
};

/** How many transitions are kept: the latest. */
const KEPT_TRANSITIONS = 200;
/** How many other trades under the order's number are kept: the latest. */
const KEPT_TRADES = 50;
/** How many refunds are kept that certainly were never made, and how many that paid nothing: the latest. */
const KEPT_WITHOUT_REFUND = 50;
const KEPT_WITHOUT_MONEY = 500;

/** The state after one more fact. */
export function fold(order: KnownOrder, fact: AfterSaleFact, settings: FoldSettings): KnownOrder {
  const known = judged(applied(order, fact, settings), replicaLag(settings));
  const told = bounded(withLateMoney(order, withSecondTrade(order, known), fact.at, settings));
  return { ...told, wait: waitAfter(told.wait, attentionOf(told), fact.at) };
}

/** What would be known if this refund had not begun: its begin must not count when it is asked whether it may still be sent. */
export function withoutBegin(order: KnownOrder, number: string, settings: FoldSettings): KnownOrder {
  const refund = findRefund(order, number);
  return refund === undefined ? order : judged(withOwnRefund(order, { ...refund, ...NOT_BEGUN }), replicaLag(settings));
}

/** Of several trades that may be the order's own, a person has to choose. */
const withSecondTrade = (before: KnownOrder, order: KnownOrder): KnownOrder =>
  order.trade_no === null && order.others.length > 1 && before.others.length <= 1
    ? raised(order, 'second-trade')
    : order;

/** Money that came after an end without a sale was told needs a person, unless the settings say what becomes of it. */
function withLateMoney(before: KnownOrder, order: KnownOrder, at: number, { late_payments }: FoldSettings): KnownOrder {
  const outcome = findLateRefund(order)?.outcome ?? null;
  const isNewOutcome = outcome !== (findLateRefund(before)?.outcome ?? null);
  // No caller waits for the refund of late money, so a person is told of its failure.
  const hasFailed = isNewOutcome && hasPaidNothing({ outcome });
  if (hasFailed && hasLateMoney(order)) return raised(order, 'late-payment');
  if (hasUndecidedAmount(order) && !hasUndecidedAmount(before)) return raised(order, 'amount-mismatch');
  if (!hasLateMoney(order) || hasLateMoney(before) || paidOtherwise(order)) return order;
  const { paid, method } = order;
  // An amount that nobody can read can be neither given back nor accepted.
  if (late_payments === 'attention' || !isOurTrade(order) || paid === null) return raised(order, 'late-payment');
  const number = latePaymentRefundNumber(order.out_trade_no);
  if (late_payments !== 'refund' || findLateRefund(order)) return order;
  // The refund's number is made from the order: an earlier trade of the order may have used it.
  if (findMade(order, number)) return raised(order, 'late-payment');
  const asked = withRefund(onRequested(order, { is: 'requested', number, ...paid, at }), number, { isLate: true });
  const account = refundNeedsAccount(method);
  if (account === undefined) return asked;
  const message = `${method} is refunded to ${account} of the buyer’s, which the order does not have: bank_info is missing`;
  const failure = { type: FAILURE.invalidRequest, message, details: {} };
  return raised(withRefund(asked, number, notMade(failure)), 'late-payment');
}

function applied(order: KnownOrder, fact: AfterSaleFact, settings: FoldSettings): KnownOrder {
  switch (fact.is) {
    case 'introduced':
      return {
        ...withOwnTrade(order, fact.trade_no ?? null),
        method: order.method ?? fact.method ?? null,
      };
    case 'following':
      return { ...order, following: fact.isRunning ? { hasMoney: order.paid !== null } : null };
    case 'ended':
      return onEnded(order, fact);
    case 'asked':
      return onAsked(order, fact, settings);
    case 'queried':
      return isOwnTrade(order, fact.trade) ? onQueried(order, fact, settings) : onOther(order, fact.trade);
    case 'unanswered':
      return onUnanswered(order, fact);
    case 'notified':
      return onNotified(order, fact.claim, fact.at);
    case 'requested':
      return onRequested(order, fact);
    case 'begun':
      return withRefund(changedAt(order, fact.at), fact.number, {
        phase: 'sending',
        begun: { at: fact.at, shown: order.seen?.status ?? '' },
        moved: false,
        isOverdue: false,
      });
    case 'answered':
      return inLedgerOf(order, fact.number, (its) => afterAnswer(its, fact));
    case 'decided':
      return inLedgerOf(order, fact.refund?.number ?? '', (its) => decidedAfterSale(its, fact));
    case 'taken':
      return { ...order, wait: takenOn(order.wait, fact) };
    case 'passed':
      return withRefund(order, fact.number, { isOverdue: true });
    case 'noticed':
      return fact.what === 'unread' ? withUnknownRefund(order) : raised(order, fact.what);
  }
}

// — The payment —

/** The payment says which trade is the order's. The order's number alone, or the starter of the after-sale, may have named another trade. */
function onEnded(before: KnownOrder, { payment, contradicted, at }: FactOf<'ended'>): KnownOrder {
  const { state, run_id, ended_at } = payment;
  const last = before.payment?.state;
  // Reasons that this run has handed over before are not new. If there is a ledger of the trade, it says itself whose the refunds are.
  const told = before.payment?.run_id === run_id ? before.payment.reasons : [];
  const mayBeOurs = isOfTrade({ trade_no: state.trade_no ?? undefined }, before.trade_no);
  const hasLedger = before.seen !== null && mayBeOurs;
  const reasons = payment.reasons.filter((one) => !told.includes(one) && (one !== 'refund-elsewhere' || !hasLedger));
  const raisedAll = (order: KnownOrder) => reasons.reduce(raised, order);
  const withTold = (order: KnownOrder) => withOthersTold(order, payment, contradicted);
  // A payment hands itself over again if something came meanwhile, and may be read before or after that.
  if (before.payment?.run_id === run_id) return raisedAll({ ...before, payment: together(before.payment, payment) });
  // An earlier run of the payment says nothing new.
  if (before.payment !== null && before.payment.ended_at >= ended_at) return before;
  if (isOfTradeAlone(before.payment, payment)) {
    const told = withTold(newsOfTrade({ ...before, payment: toldBy(before.payment, payment) }, payment, at));
    // What needs a person for another trade's money says nothing about the money of the order's own.
    return mayBeOurs ? raisedAll(told) : told;
  }
  const known = changedAt(withOwnTrade(before, state.trade_no), at);
  // The ledger may name this trade already, and the payment before may have made no order.
  const isSameTrade = known.trade_no !== null && last?.trade_no === known.trade_no;
  const order: KnownOrder = {
    ...known,
    payment: before.payment === null ? payment : { ...together(payment, before.payment), ended_at },
    first_ended_at: isSameTrade ? before.first_ended_at : ended_at,
    // A person's decision about an earlier run of the payment does not hold for a later order under the number.
    decision: payment.repeats ? before.decision : null,
    method: state.method ?? before.method,
    wait: before.wait ?? waitOf(state),
  };
  // The gateway's denial needed a person only while nobody knew how the payment would end.
  const isFound = before.payment === null && !isMissing(order);
  return raisedAll(withTold(isFound ? withoutReasons(order, ['unknown-trade']) : order));
}

/**
 * Whether an order of ours has ended, and this is a run that ordered nothing, such as one that somebody started by the trade's own number. It
 * has news of the trade, which a look has to confirm, and does not say how the order ended.
 */
const isOfTradeAlone = (own: PaymentEnd | null, other: PaymentEnd): own is PaymentEnd =>
  own?.ordered_here === true && own.state.outcome !== null && !other.ordered_here;

/** The order's own end, with the run that was heard last: what that one says again is no news. */
const toldBy = (own: PaymentEnd, { run_id, ended_at, reasons }: PaymentEnd): PaymentEnd => ({
  ...own,
  ...{ run_id, ended_at, reasons },
});

function newsOfTrade(order: KnownOrder, { state }: PaymentEnd, at: number): KnownOrder {
  const { trade_no, trade_status, outcome, confirmed_by } = state;
  const own = order.payment?.state;
  // Of two persons who say otherwise of one order, none is believed before somebody has compared.
  const isOtherWord = confirmed_by === 'operator' && outcome !== toldOutcome(order);
  const told = isOtherWord ? raised(order, 'unlisted-transition') : order;
  const isKnown = own?.trade_no === trade_no && own?.trade_status === trade_status;
  if (trade_status === null || isKnown) return told;
  return onNotified(told, { ...(trade_no === null ? {} : { trade_no }), trade_status }, at);
}

/** Adds the other trades that the payment has noted, and the notifications that the gateway contradicts. */
function withOthersTold(
  order: KnownOrder,
  { state, asked }: PaymentEnd,
  contradicted: readonly NotificationClaim[],
): KnownOrder {
  const noticed = state.other_trades.reduce(
    (all, other) => noted(all, { ...other, asked: asked.includes(other.trade_no) ? 'answered' : 'not yet' }),
    order,
  );
  return { ...noticed, contradicted: distinct([...noticed.contradicted, ...contradicted]) };
}

/** A wait for a person that began before the payment's end goes on. */
const waitOf = ({ attention, attention_since, taken }: PaymentEnd['state']): KnownOrder['wait'] =>
  attention === null || attention_since === null ? null : { attention, since: Date.parse(attention_since), taken };

/** Makes this trade the order's own. What was known of the trade before stays with that trade, and a person is told of both. */
function withOwnTrade(order: KnownOrder, trade_no: string | null): KnownOrder {
  const { trade_no: known, seen, paid } = order;
  if (trade_no === null || trade_no === known) return order;
  // The trade may have been noted before it was known to be the order's own.
  const others = order.others.filter((one) => one.trade_no !== trade_no);
  if (known === null) return { ...order, trade_no, others };
  const isOfNow = (claim: NotificationClaim) => isOfTrade(claim, trade_no);
  const claims = [...order.held.map(({ claim }) => claim), ...order.contradicted];
  // What was said about this trade while it was another trade is compared with the gateway, as if it came now.
  const said = order.others.flatMap((one) => (one.trade_no === trade_no ? saidOf(one) : []));
  const held = [
    ...said.map((claim) => ({ claim, heard: order.heard })),
    ...order.held.filter(({ claim }) => isOfNow(claim)),
  ];
  const contradicted = order.contradicted.filter(isOfNow);
  const own = { ...withLedgerOf(trade_no, order), ...{ others, held, contradicted }, ...NOT_ASKED_FOR };
  const other = { trade_no: known, trade_status: seen?.status ?? null, order_amount: paid?.amount ?? null };
  const second = raised(noted(own, { ...other, asked: seen === null ? 'not yet' : 'answered' }), 'second-trade');
  // Unconfirmed notifications of the trade before are noted with that trade.
  return claims.filter((claim) => !isOfNow(claim)).reduce(withClaimOfOther, second);
}

/** The gateway has said nothing yet about the trade that is the order's now. */
const NOT_ASKED_FOR = { seen: null, bank: null, denied: null, mismatch: undefined } as const;

/** No claim that the trade was paid: the payment says so itself. None that a refund paid nothing: without a number it says nothing. */
function saidOf({ trade_no, trade_status }: NotedTrade): NotificationClaim[] {
  const says = trade_status !== null && isAfterSaleStatus(trade_status) && !saysUnpaid(trade_status);
  return says ? [{ trade_no, trade_status }] : [];
}

/** Each trade has its own ledger: a refund of one trade says nothing about the money of another. */
function withLedgerOf(trade_no: string, order: KnownOrder): KnownOrder {
  const own = order.earlier.find((one) => one.trade_no === trade_no) ?? { ...NOTHING_KNOWN, isComplete: true };
  const earlier = [...order.earlier.filter((one) => one.trade_no !== trade_no), ledgerOf(order, trade_no)];
  const { paid, history, elsewhere, refunds } = own;
  const known = withoutReasons(order, ['refund-elsewhere', 'unknown-trade', 'amount-mismatch']);
  const named = { ...known, trade_no, paid, history, elsewhere, refunds, earlier: earlier.slice(-KEPT_TRADES) };
  return own.isComplete ? named : withUnknownRefund(named);
}

/** What is kept of a trade that is not the order's any more. `now`: the trade that is. */
function ledgerOf(order: KnownOrder, now: string | null): TradeLedger {
  const { trade_no, paid, history, elsewhere } = order;
  const refunds = order.refunds.map((one) => ofTradeBefore(one, now));
  return { trade_no, paid, history, elsewhere, refunds, isComplete: isComplete(order) };
}

/**
 * The trade of this refund is not polled any more, so only a notification with its number, or a person, can tell how it ends. A refund that
 * waits is not sent: it was granted for the money and currency of that trade.
 */
function ofTradeBefore(refund: LedgerRefund, now: string | null): LedgerRefund {
  if (refund.outcome !== null) return refund;
  return { ...refund, ...(refund.phase === 'waiting' ? notMade(ofOtherTrade(now)) : CONTRADICTED) };
}

/** Changes the ledger that has this refund, as if its trade were the order's own. */
function inLedgerOf(order: KnownOrder, number: string, change: (its: KnownOrder) => KnownOrder): KnownOrder {
  const ledger = order.earlier.find(({ refunds }) => refunds.some((one) => one.number === number));
  if (ledger === undefined) return change(order);
  const { isComplete: isWhole, ...its } = ledger;
  const nothingElse = { ...NOT_ASKED_FOR, payment: null, held: [], contradicted: [], others: [], earlier: [] };
  const changed = change({ ...order, ...its, ...nothingElse, reasons: isWhole ? [] : ['refund-elsewhere'] });
  const earlier = order.earlier.map((one) => (one === ledger ? ledgerOf(changed, order.trade_no) : one));
  return { ...order, earlier };
}

/** Two ends as one. A trade that may still be paid stays watched after a later run's end, or if the same end is only read. */
const together = (one: PaymentEnd, other: PaymentEnd): PaymentEnd => ({
  ...one,
  ended_at: Math.max(one.ended_at, other.ended_at),
  watch_until: Math.max(one.watch_until, other.watch_until),
  sent_again: one.sent_again || other.sent_again,
  ordered_here: one.ordered_here || other.ordered_here,
  reasons: one.run_id === other.run_id ? [...new Set([...one.reasons, ...other.reasons])] : one.reasons,
});

// — Other trades under the order's number —

/** The trade that was asked for by its own number may be the order's, if that is not known yet. */
function onAsked(order: KnownOrder, { other, trade, answer, at }: FactOf<'asked'>, settings: FoldSettings): KnownOrder {
  if (trade === null) return noted(order, { trade_no: other, asked: answer });
  if (!isOwnTrade(order, trade)) return onOther(order, trade);
  const known = noted(order, { trade_no: other, asked: answer });
  return onQueried(known, { is: 'queried', trade, after: 0, at }, settings);
}

/** The gateway shows another trade than the order's own. */
function onOther(order: KnownOrder, trade: QueriedTrade): KnownOrder {
  const { trade_no, trade_status, order_amount = null } = trade;
  if (trade_no === undefined) return order;
  // The gateway says that this is another order's trade: the claims that named it are dropped.
  if (isOfTrade(trade, order.trade_no)) {
    const others = order.others.filter((one) => one.trade_no !== trade_no);
    const held = order.held.filter(({ claim }) => claim.trade_no !== trade_no);
    return raised({ ...order, others, held }, 'unexpected-signal');
  }
  const known = toldOf(order, noted(order, { trade_no, trade_status, order_amount, asked: 'answered' }), trade_no);
  // The order has no other money.
  return isUnpaid(order) && outcomeOf(trade_status) === 'SUCCESS' ? raised(known, 'late-payment') : known;
}

/** A person is told of another trade once, and again when its status changes. */
function toldOf(before: KnownOrder, order: KnownOrder, trade_no: string): KnownOrder {
  const statusIn = ({ others }: KnownOrder) => others.find((one) => one.trade_no === trade_no)?.trade_status;
  return statusIn(before) === statusIn(order) ? order : raised(order, 'second-trade');
}

const noted = (order: KnownOrder, said: Parameters<typeof withNoted>[1]): KnownOrder => ({
  ...order,
  others: withNoted(order.others, said).slice(-KEPT_TRADES),
});

// — The gateway's answers —

type FactOf<Kind extends AfterSaleFact['is']> = Extract<AfterSaleFact, { is: Kind }>;

/** Whether the gateway was asked for this answer before the one that is known: the trade may have moved since. */
export const isOlder = ({ seen }: KnownOrder, { trade_status, asked_at }: QueriedTrade): boolean =>
  seen !== null && asked_at < seen.asked_at && trade_status !== seen.status;

function onQueried(before: KnownOrder, { trade, after, at }: FactOf<'queried'>, settings: FoldSettings): KnownOrder {
  const answered = withoutReasons(before, ANSWERED);
  if (isOlder(before, trade)) return onOlder(answered, trade.trade_status, at);
  const { trade_status: status, order_amount: amount, order_currency: currency } = trade;
  // A person may have typed the answer: without a time, or with one to come, which would make every later answer an older one.
  const asked_at = Math.min(trade.asked_at ?? at, at);
  const said = { trade_status: status, amount, currency };
  // A buyer may pay into one trade twice.
  const learned = withAmount(withCandidate(learnedFrom(answered, trade), trade), said);
  const unread = amount === undefined || isMoney(amount) ? {} : { unread_amount: amount };
  const from = before.seen?.status ?? null;
  const isSame = status === (shownBefore(before, trade) ?? from);
  const same_since = isSame ? (before.seen?.same_since ?? asked_at) : asked_at;
  const seen = { status, asked_at, same_since, heard: after, ...unread };
  const moved = shownAgain({ ...movedTo(learned, from, status, at), seen }, asked_at);
  const lag_ms = replicaLag(settings);
  const read = withClaimsRead(withEnd(moved, lag_ms), after, lag_ms);
  const known = hasUnexplainedMovement(read, lag_ms, settings) ? withUnknownRefund(read) : read;
  return status === from ? known : explained(known);
}

/** What the gateway showed of this trade before, while several may be the order's own and are asked for in turn. */
const shownBefore = ({ trade_no: own, others }: KnownOrder, { trade_no }: QueriedTrade): string | undefined =>
  own === null ? others.find((one) => one.trade_no === trade_no)?.shown : undefined;

/** What a status says about the trade's end: the trade has ended; or, if the status lasts, a sale is no longer a sale. */
function withEnd(order: KnownOrder, lag_ms: number): KnownOrder {
  const { status = '' } = order.seen ?? {};
  const ended = outcomeOf(status) === null ? order : withoutReasons(order, ['never-ended']);
  return isRevoked(ended) && lagLeft(ended, lag_ms) === 0 ? raised(ended, 'unlisted-transition') : ended;
}

/** An answer that is older than the known one. What it shows was true then, although the trade shows it no more. */
function onOlder(order: KnownOrder, status: string, at: number): KnownOrder {
  const heard = heardOfBank(order, status, at);
  return saysUnpaid(status) && !order.history.some(({ to }) => to === status) ? askedOfAllGone(heard) : heard;
}

function onUnanswered(order: KnownOrder, { why, after, at }: FactOf<'unanswered'>): KnownOrder {
  if (why !== 'unknown-trade') return raised(withoutSilence(order), why);
  // What a person has settled stays settled until the gateway shows the trade, or a notification names it.
  const isSettled = isSearchEnded(order);
  const denied = { ...withoutSilence(order), denied: { heard: after, at, isSettled } };
  return !isSettled && isMissing(order) ? raised(denied, why) : denied;
}

/** Whether there should be a trade. An order that nothing has ever shown may not have been made, and gateways forget what has ended. */
function isMissing(order: KnownOrder): boolean {
  const { payment, held, refunds } = order;
  const status = shownStatus(order);
  const isOpen = status !== null && outcomeOf(status) === null;
  const isRefundWaiting = refunds.some(({ phase }) => phase === 'waiting');
  const isNamed = payment === null && !isOfNobody(order);
  return isNamed || isOpen || outcomeNow(order) === 'SUCCESS' || held.length > 0 || isRefundWaiting;
}

/** Only the latest reason of a missing answer stays. "No such order" is an answer. */
const withoutSilence = (order: KnownOrder) => withoutReasons(order, SILENCES);

/** Until the order's own trade is known, each trade that is found is asked for. */
function withCandidate(order: KnownOrder, trade: QueriedTrade): KnownOrder {
  const { trade_no, trade_status, order_amount = null } = trade;
  if (trade_no === undefined) return order;
  if (order.trade_no === null)
    return noted(order, { trade_no, trade_status, order_amount, asked: 'answered', shown: trade_status });
  return { ...order, others: order.others.filter((one) => one.trade_no !== order.trade_no) };
}

function learnedFrom(order: KnownOrder, trade: QueriedTrade): KnownOrder {
  const ordered = order.payment?.state;
  const said = trade.order_amount;
  const amount = said === undefined || isAcceptedUnread(order, said) ? ordered?.order_amount : said;
  const currency = trade.order_currency ?? ordered?.order_currency ?? undefined;
  const isSold = outcomeOf(trade.trade_status) === 'SUCCESS' && isMoney(amount) && currency !== undefined;
  return {
    ...order,
    denied: null,
    // A trade that was only found, and is not paid, may be another order's: it is asked for like other trades.
    trade_no: order.trade_no ?? (isSold || !isUnpaid(order) ? (trade.trade_no ?? null) : null),
    method: order.method ?? trade.method ?? null,
    // Before it is sold, a trade shows what was ordered, and buyers may pay another amount.
    paid: order.paid ?? (isSold ? { amount, currency } : null),
  };
}

/** Nobody can read this amount, and a person has said that the order is paid: the ordered amount counts. */
const isAcceptedUnread = (order: KnownOrder, amount: string): boolean =>
  !isMoney(amount) && toldOutcome(order) === 'SUCCESS' && isDecidedAmount(order, { amount });

function movedTo(order: KnownOrder, from: string | null, to: string, at: number): KnownOrder {
  const heard = heardOfBank(order, to, at);
  const refunds = heard.refunds.map((one) =>
    one.begun !== null && isRefundStatus(to) && to !== one.begun.shown ? { ...one, moved: true } : one,
  );
  if (from === to) return { ...heard, refunds };
  const isFirstReversal =
    from === 'CHARGEBACK' && to === 'CHARGEBACK_REVERSED' && !order.history.some((one) => one.to === to);
  const shown = order.payment ? (from ?? saleStatus(order.payment.state)) : lastShown(order);
  const transition = { time: iso(at), from: shown, to, source: 'query' as const };
  const isNews = shown !== to && !isNoTransition(order, from, to);
  const history = isNews ? [...heard.history, transition] : heard.history;
  const known = { ...heard, refunds, history, bank: isFirstReversal ? null : heard.bank };
  return onBankStatus(isKnownStatus(to) ? known : raised(known, 'unknown-status'), to);
}

/** Notes until when the trade has shown the status that it moved to last. */
function shownAgain(order: KnownOrder, shown_at: number): KnownOrder {
  const at = order.history.findLastIndex(({ source }) => source === 'query');
  const last = order.history[at];
  if (last?.to !== order.seen?.status || last === undefined) return order;
  return { ...order, history: order.history.with(at, { ...last, shown_at }) };
}

/** The status of the last transition that a query has shown. */
const lastShown = ({ history }: KnownOrder) => history.findLast(({ source }) => source === 'query')?.to ?? null;

/**
 * The payment tells the statuses before its end: here they come from a stale replica, or the after-sale began before the end. Once the
 * payment has ended, only another end is a transition.
 */
function isNoTransition(order: KnownOrder, from: string | null, to: string): boolean {
  const outcome = outcomeOf(to);
  if (!isKnownStatus(to)) return false;
  if (order.payment === null) return outcome === null;
  // A person has told this sale already, or knew of the money and told another end.
  const isTold = (toldOutcome(order) === 'SUCCESS' || order.decision?.knew === true) && !isAfterSaleStatus(from ?? '');
  if (outcome === 'SUCCESS') return to === 'SUCCESS' && isTold;
  return outcome === null || hasMoney(order) || toldOutcome(order) === 'SUCCESS';
}

/** No refund is sent while a replica may not show yet that the bank takes the money back. */
const heardOfBank = (order: KnownOrder, status: string, at: number): KnownOrder =>
  takesMoneyBack(status) ? { ...order, bank: { status, at } } : order;

/** The bank's latest status replaces the reason of an earlier one. */
function onBankStatus(order: KnownOrder, status: string): KnownOrder {
  const reason = attentionOfStatus(status);
  if (reason === undefined) return order;
  // But a late answer about the dispute must not hide the chargeback that followed.
  const stays = (one: Attention) => !OF_THE_BANK.includes(one) || (one === 'chargeback' && reason === 'dispute');
  const others = order.reasons.filter((one) => one !== reason && stays(one));
  return { ...order, reasons: [...others, reason] };
}

/** What a look says about the notifications that came before it: they are confirmed, or contradicted for long, or still held. */
function withClaimsRead(order: KnownOrder, after: number, lag_ms: number): KnownOrder {
  const { seen } = order;
  if (seen === null) return order;
  const read = order.held.filter(({ heard }) => heard <= after);
  const isLasting = lagLeft(order, lag_ms) === 0;
  const settled = isLasting ? read : read.filter(({ claim }) => isAnswered(claim, seen.status));
  const rest: KnownOrder = { ...order, held: order.held.filter((one) => !settled.includes(one)) };
  const closed = settled.reduce((known, { claim }) => afterClaim(known, claim, seen.status), rest);
  const claims = [...closed.contradicted, ...settled.map(({ claim }) => claim)];
  // A claim that the answer agrees with, perhaps after all, needs no person.
  const isSettled = (claim: NotificationClaim) => isAnswered(claim, seen.status) || tellsKnownSale(claim, seen.status);
  return { ...closed, contradicted: distinct(claims.filter((claim) => !isSettled(claim))) };
}

/** What a settled notification leaves that the status does not show any more. */
function afterClaim(
  order: KnownOrder,
  { trade_status = '', out_request_no }: NotificationClaim,
  shown: string,
): KnownOrder {
  // A decision about the bank's status does not cover a later status, even if the trade shows the same again.
  if (isBankStatus(trade_status) && isBankStatus(shown)) return onBankStatus(order, trade_status);
  const isUnnamedEnd = !out_request_no && saysUnpaid(trade_status);
  return isUnnamedEnd && refundMeaningOf(shown) !== refundMeaningOf(trade_status) ? askedOfAllGone(order) : order;
}

/** If the trade shows a refund that none of ours explains, somebody else has made one. */
function explained(order: KnownOrder): KnownOrder {
  const status = order.seen?.status ?? '';
  if (!isRefundStatus(status)) return order;
  const isOurs = order.refunds.some(outcomeNamed(status) === 'REFUNDED' ? mayBeGone : mayHaveShown);
  return isOurs && !isMoreThanOurs(order, status) ? order : withUnknownRefund(order);
}

/** This gateway has called parts of this trade PARTIAL_REFUND, and now calls it REFUNDED although our ledger has money left. */
const isMoreThanOurs = (order: KnownOrder, status: string): boolean =>
  refundMeaningOf(status) === 'done' && hasCalledAPart(order) && isMore(leftAtGateway(order), '0');

// — Notifications —

function onNotified(before: KnownOrder, claim: NotificationClaim, at: number): KnownOrder {
  const order = { ...changedAt(before, at), heard: before.heard + 1 };
  if (!isOfTrade(claim, order.trade_no)) return onOfOther(order, claim, at);
  const { trade_status = '', out_request_no } = claim;
  const heard = heardOfBank(withAmount(order, claim), trade_status, at);
  const refund = findOwnRefund(heard, out_request_no);
  // "The payment stands" is not news if the trade has shown it.
  if (order.seen !== null && refundMeaningOf(trade_status) === 'stands' && isAnswered(claim, order.seen.status))
    return heard;
  const held = { ...withNamed(heard, claim), held: withClaim(heard, claim) };
  if (!out_request_no || !isRefundStatus(trade_status)) return held;
  // A refund that is not in our ledger was made elsewhere.
  if (refund === undefined || refund.begun === null) return withUnknownRefund(held);
  return afterNamed(heard, refund, trade_status, at);
}

/** Until the order's own trade is known, each trade that is named is asked for. */
function withNamed(order: KnownOrder, { trade_no, trade_status, amount }: NotificationClaim): KnownOrder {
  if (order.payment === null || order.trade_no !== null || !trade_no) return order;
  return noted(order, { trade_no, trade_status: trade_status ?? null, order_amount: amount ?? null });
}

function onOfOther(order: KnownOrder, claim: NotificationClaim, at: number): KnownOrder {
  const { trade_no, trade_status = '', out_request_no = '' } = claim;
  const ledger = order.earlier.find((one) => one.trade_no === trade_no);
  const refund = ledger?.refunds.find(({ number }) => number === out_request_no);
  const isOfRefund = refund !== undefined && refund.begun !== null && isRefundStatus(trade_status);
  const known = isOfRefund
    ? inLedgerOf(order, out_request_no, (its) => afterNamed(its, refund, trade_status, at))
    : order;
  return withClaimOfOther(known, claim);
}

/** Another trade under the order's number is noted with what a notification says of it. */
function withClaimOfOther(order: KnownOrder, { trade_no, trade_status, amount }: NotificationClaim): KnownOrder {
  if (!trade_no) return order;
  const said = { trade_no, trade_status: trade_status ?? null, order_amount: amount ?? null };
  return toldOf(order, noted(order, said), trade_no);
}

type Said = Pick<NotificationClaim, 'trade_status' | 'amount' | 'currency'>;

/** If a notification, or a sold trade, has another amount than the order, a person compares, unless a person has decided on it. */
function withAmount(order: KnownOrder, claim: Said): KnownOrder {
  const state = order.payment?.state;
  if (state === undefined || claim.trade_status !== 'SUCCESS' || !isUnlikeOrder(state, claim)) return order;
  if (isDecidedAmount(order, claim)) return order;
  const mismatch = { amount: claim.amount ?? null, currency: claim.currency ?? null };
  return raised({ ...order, mismatch }, 'amount-mismatch');
}

/** The gateway may repeat a notification for years: it is held once, as of its latest arrival. */
function withClaim({ held, heard }: KnownOrder, claim: NotificationClaim): KnownOrder['held'] {
  const text = JSON.stringify(claim);
  return [...held.filter((one) => JSON.stringify(one.claim) !== text), { claim, heard }];
}

// — Requests —

function onRequested(
  order: KnownOrder,
  { number, amount, currency, isAll = false, at }: FactOf<'requested'>,
): KnownOrder {
  const earlier = findRefund(order, number);
  const fresh: LedgerRefund = {
    number,
    attempt: (earlier?.attempt ?? 0) + 1,
    amount,
    currency,
    isAll,
    requested_at: at,
    phase: 'waiting',
    begun: null,
    answered_at: null,
    moved: false,
    answer: null,
    outcome: null,
    confirmed_by: null,
    over_by: null,
    named: null,
    asked: null,
    decided: null,
    failure: null,
    isOverdue: false,
    isLate: false,
  };
  return withOwnRefund(order, fresh);
}

/** Keeps the state small over years and thousands of requests: drops what no rule needs any more. */
function bounded(order: KnownOrder): KnownOrder {
  const free = order.refunds.filter((one) => one.outcome !== null && !mayBeGone(one));
  const unmade = free.filter(({ outcome }) => outcome === 'NOT_CREATED');
  const dropped = new Set([...unmade.slice(0, -KEPT_WITHOUT_REFUND), ...free.slice(0, -KEPT_WITHOUT_MONEY)]);
  const refunds = order.refunds.filter((one) => !dropped.has(one));
  return { ...order, refunds, history: order.history.slice(-KEPT_TRANSITIONS) };
}
