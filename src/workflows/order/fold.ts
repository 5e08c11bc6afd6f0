/**
 * The state of an order after its sale, as the facts make it. Pure: the same facts in the same order give the same state, and nothing
 * that can be derived is kept. It is also all that a run hands on to the next one.
 */
import {
  type Attention,
  attentionOfStatus,
  isBankStatus,
  isOfTrade,
  isRefundStatus,
  type LedgerRefund,
  type NotificationClaim,
  outcomeOf,
  type RefundMeaning,
  refundMeaningOf,
  type SoldOrder,
  type Source,
  takesMoneyBack,
} from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { isDecimal, isMore, less, sumOf } from '../../gateway/pure/money';
import { isKnownStatus } from '../../gateway/pure/statuses';
import { latePaymentRefundNumber } from '../shared/refund-numbers';
import { isAnswered } from './claims';
import type { AfterSaleFact } from './facts';
import { type Column, LAG_SETTLINGS, OPEN, outcomeNamed, rowOf, type Verdict, verdictOn } from './refund-table';

/** What the fold needs of the settings. */
export interface FoldSettings {
  readonly settling_ms: number;
}

export const NOTHING_KNOWN: SoldOrder = {
  out_trade_no: null,
  trade_no: null,
  method: null,
  paid: null,
  seen: null,
  history: [],
  refunds: [],
  elsewhere: '0.00',
  complete: true,
  bank: null,
  denied: null,
  heard: 0,
  held: [],
  contradicted: [],
  reasons: [],
};

/** So many transitions are kept: the latest. */
const KEPT_TRANSITIONS = 200;
/** So many refunds that certainly were never made are kept, and so many that paid nothing: the latest. */
const KEPT_WITHOUT_REFUND = 50;
const KEPT_WITHOUT_MONEY = 500;

/** The state after one more fact. */
export function fold(sale: SoldOrder, fact: AfterSaleFact, settings: FoldSettings): SoldOrder {
  return bounded(withLateMoney(sale, judged(applied(sale, fact, settings), settings)));
}

/** No caller waits for the refund of a late payment, because the payment itself has asked for it. */
function withLateMoney(before: SoldOrder, sale: SoldOrder): SoldOrder {
  const number = latePaymentRefundNumber(sale);
  const outcome = findRefund(sale, number)?.outcome ?? null;
  const isNew = (findRefund(before, number)?.outcome ?? null) !== outcome;
  return isNew && outcome !== null && outcome !== 'REFUNDED' ? raised(sale, 'late-payment') : sale;
}

function applied(sale: SoldOrder, fact: AfterSaleFact, settings: FoldSettings): SoldOrder {
  switch (fact.is) {
    case 'introduced':
      return {
        ...sale,
        trade_no: fact.trade_no ?? sale.trade_no,
        out_trade_no: fact.out_trade_no ?? sale.out_trade_no,
        method: sale.method ?? fact.method ?? null,
      };
    case 'queried':
      return onQueried(sale, fact, settings);
    case 'unanswered':
      return onUnanswered(sale, fact);
    case 'notified':
      return onNotified(sale, fact.claim, fact.at);
    case 'requested':
      return onRequested(sale, fact);
    case 'begun':
      return changed(sale, fact.number, {
        phase: 'sending',
        begun: { at: fact.at, shown: sale.seen?.status ?? '' },
        moved: false,
        isOld: false,
      });
    case 'answered':
      return onAnswered(sale, fact);
    case 'decided':
      return onDecided(sale, fact);
    case 'passed':
      return changed(sale, fact.number, { isOld: true });
    case 'noticed':
      return fact.what === 'unread' ? withUnknownRefund(sale) : raised(sale, fact.what);
  }
}

// — The gateway's answers —

type FactOf<Kind extends AfterSaleFact['is']> = Extract<AfterSaleFact, { is: Kind }>;

/** Whether the gateway was asked for it before it was asked for what is known: the trade may have moved since. */
export const isOlder = ({ seen }: SoldOrder, { trade_status, asked_at }: QueriedTrade): boolean =>
  seen !== null && asked_at < seen.asked_at && trade_status !== seen.status;

function onQueried(
  before: SoldOrder,
  { trade, lasted_ms, after, at }: FactOf<'queried'>,
  { settling_ms }: FoldSettings,
): SoldOrder {
  const answered = settledReasons(before, ANSWERED);
  if (isOlder(before, trade)) return onOlder(answered, trade.trade_status, at);
  const learned = learnedFrom(answered, trade);
  const seen = { status: trade.trade_status, asked_at: trade.asked_at, lasted_ms, heard: after };
  const from = before.seen?.status ?? null;
  const moved = { ...movedTo(learned, from, seen.status, at), seen };
  return explained(withClaimsRead(moved, after), from, LAG_SETTLINGS * settling_ms);
}

/** The gateway is there again, and shows the trade. */
const ANSWERED: readonly Attention[] = ['no-answer', 'credentials', 'unknown-trade'];

/** The trade has moved on since, and what it shows no more was so all the same. */
function onOlder(sale: SoldOrder, status: string, at: number): SoldOrder {
  const heard = heardOfBank(sale, status, at);
  const meaning = refundMeaningOf(status);
  const isEnd = meaning === 'refused' || meaning === 'revoked';
  return isEnd && !sale.history.some(({ to }) => to === status) ? askedOfAllGone(heard) : heard;
}

function onUnanswered(sale: SoldOrder, { why, after }: FactOf<'unanswered'>): SoldOrder {
  return raised(why === 'unknown-trade' ? { ...sale, denied: { heard: after, isSettled: false } } : sale, why);
}

function learnedFrom(sale: SoldOrder, trade: QueriedTrade): SoldOrder {
  const { order_amount: amount, order_currency: currency } = trade;
  const isSold = outcomeOf(trade.trade_status) === 'SUCCESS' && isDecimal(amount) && currency !== undefined;
  return {
    ...sale,
    denied: null,
    trade_no: sale.trade_no ?? trade.trade_no ?? null,
    out_trade_no: sale.out_trade_no ?? trade.out_trade_no ?? null,
    method: sale.method ?? trade.method ?? null,
    // Before it is sold, a trade shows what was ordered, and buyers may pay another amount.
    paid: sale.paid ?? (isSold ? { amount, currency } : null),
  };
}

function movedTo(sale: SoldOrder, from: string | null, to: string, at: number): SoldOrder {
  const heard = heardOfBank(sale, to, at);
  const refunds = heard.refunds.map((one) =>
    one.begun !== null && isRefundStatus(to) && to !== one.begun.shown ? { ...one, moved: true } : one,
  );
  if (from === to) return { ...heard, refunds };
  const isFirstReversal =
    from === 'CHARGEBACK' && to === 'CHARGEBACK_REVERSED' && !sale.history.some((one) => one.to === to);
  const history = [...heard.history, { time: iso(at), from, to, source: 'query' as const }];
  const known = { ...heard, refunds, history, bank: isFirstReversal ? null : heard.bank };
  return onBankStatus(isKnownStatus(to) ? known : raised(known, 'unknown-status'), to);
}

/** No refund is sent while a replica may not show yet that the bank takes the money back. */
const heardOfBank = (sale: SoldOrder, status: string, at: number): SoldOrder =>
  takesMoneyBack(status) ? { ...sale, bank: { status, at } } : sale;

const OF_THE_BANK: readonly Attention[] = ['dispute', 'chargeback', 'chargeback-reversed'];

/** The bank's latest status replaces the one before, and answers what was notified of it, but no later step. */
function onBankStatus(sale: SoldOrder, status: string): SoldOrder {
  const reason = attentionOfStatus(status);
  if (reason === undefined) return sale;
  // A late answer about the dispute before it does not take a chargeback from a person.
  const stays = (one: Attention) => !OF_THE_BANK.includes(one) || (one === 'chargeback' && reason === 'dispute');
  const others = sale.reasons.filter((one) => one !== reason && stays(one));
  return { ...sale, reasons: [...others, reason] };
}

/** Notifications that came before a look are settled by it: they are confirmed, or contradicted for long, or still held. */
function withClaimsRead(sale: SoldOrder, after: number): SoldOrder {
  const { seen } = sale;
  if (seen === null) return sale;
  const read = sale.held.filter(({ heard }) => heard <= after);
  const open = read.filter(({ claim }) => !isAnswered(claim, seen.status));
  const isLasting = seen.lasted_ms > 0;
  const settled = read.filter((one) => !open.includes(one) || isLasting);
  const held = sale.held.filter((one) => !settled.includes(one));
  const rest: SoldOrder = { ...sale, held };
  const closed = settled.reduce((known, { claim }) => afterClaim(known, claim, seen.status), rest);
  const claims = [...closed.contradicted, ...(isLasting ? open : []).map(({ claim }) => claim)];
  // What an answer agrees with after all needs nobody any more.
  const contradicted = distinct(claims.filter((claim) => !isAnswered(claim, seen.status)));
  return { ...closed, contradicted };
}

/** Whether the gateway goes on contradicting what was notified, and no person has looked yet. */
export const isContradicted = ({ contradicted }: SoldOrder): boolean => contradicted.length > 0;

const distinct = (claims: readonly NotificationClaim[]): NotificationClaim[] => [
  ...new Map(claims.map((claim) => [JSON.stringify(claim), claim])).values(),
];

/** What a notification leaves that no status shows any more. */
function afterClaim(
  sale: SoldOrder,
  { trade_status = '', out_request_no }: NotificationClaim,
  shown: string,
): SoldOrder {
  // A decision on the status of the bank cannot cover one that came later, even where the trade is back at the same.
  if (isBankStatus(trade_status) && isBankStatus(shown)) return onBankStatus(sale, trade_status);
  const meaning = refundMeaningOf(trade_status);
  const isUnnamedEnd = !out_request_no && (meaning === 'refused' || meaning === 'revoked');
  return isUnnamedEnd && refundMeaningOf(shown) !== meaning ? askedOfAllGone(sale) : sale;
}

/** Where the trade shows a refund that none of ours explains, somebody else has made one. */
function explained(sale: SoldOrder, from: string | null, lag_ms: number): SoldOrder {
  const status = sale.seen?.status ?? '';
  if (!isRefundStatus(status) || status === from) return sale;
  if (hasUnexplainedMovement(sale, lag_ms)) return withUnknownRefund(sale);
  const begun = sale.refunds.filter((one) => mayBeGone(one) || (one.begun !== null && one.outcome !== 'NOT_CREATED'));
  const gone = begun.filter(mayBeGone);
  const meaning = refundMeaningOf(status);
  const isOurs =
    meaning === 'part is done'
      ? gone.length > 0
      : meaning === 'done'
        ? gone.length > 0 && !isMoreThanOurs(sale)
        : begun.length > 0;
  return isOurs ? sale : withUnknownRefund(sale);
}

/** This gateway has called parts of this trade PARTIAL_REFUND, and now calls it REFUNDED although our ledger has money left. */
function isMoreThanOurs(sale: SoldOrder): boolean {
  return hasCalledAPart(sale) && isMore(leftAtGateway(sale), '0');
}

// — Notifications —

function onNotified(before: SoldOrder, claim: NotificationClaim, at: number): SoldOrder {
  const sale = { ...before, heard: before.heard + 1 };
  // Another trade under the order's number may have a refund under the same number.
  if (!isOfTrade(claim, sale.trade_no)) return raised(sale, 'second-trade');
  const { trade_status = '', out_request_no } = claim;
  const heard = heardOfBank(sale, trade_status, at);
  const refund = out_request_no ? findRefund(heard, out_request_no) : undefined;
  // That the payment stands is no news where the trade has shown it.
  if (sale.seen !== null && refundMeaningOf(trade_status) === 'stands' && isAnswered(claim, sale.seen.status))
    return heard;
  const held = { ...heard, held: withClaim(heard, claim) };
  if (!out_request_no || !isRefundStatus(trade_status)) return held;
  // A refund that is not in our ledger is one from elsewhere.
  if (refund === undefined || refund.begun === null) return withUnknownRefund(held);
  return onNamed(heard, refund, trade_status);
}

/** The gateway may send the same for years: it is held once, as of its latest arrival. */
function withClaim({ held, heard }: SoldOrder, claim: NotificationClaim): SoldOrder['held'] {
  const text = JSON.stringify(claim);
  return [...held.filter((one) => JSON.stringify(one.claim) !== text), { claim, heard }];
}

/** A signed notification names one of our refunds. What was done may come back, and nothing is done that came back or was refused. */
function onNamed(sale: SoldOrder, refund: LedgerRefund, status: string): SoldOrder {
  const { number, outcome } = refund;
  const named = outcomeNamed(status);
  const hasPaidNothing = outcome !== null && outcome !== 'REFUNDED';
  if (named === undefined) {
    // A late one, of before its end was notified. Else it is under way, whoever said that it is not.
    if (hasPaidNothing) return refund.confirmed_by === 'notification' ? sale : changed(sale, number, CONTRADICTED);
    const isThere = refund.phase === 'lost' && refund.asked !== 'by a contradiction';
    return changed(sale, number, {
      named: status,
      ...(isThere ? { phase: 'taken' as const, asked: null } : {}),
    });
  }
  // The trade may never have shown it to us.
  const end = { ...ended(named, 'notification'), named: status, moved: true };
  if (named === 'REFUNDED') {
    // It was done before it came back. Else what says that it is gone contradicts who said that it paid nothing.
    if (hasPaidNothing && refund.confirmed_by === 'notification') return sale;
    return changed(sale, number, hasPaidNothing ? CONTRADICTED : end);
  }
  // Whichever try it means, that is known. The gateway has used the number, where there was one try.
  if (hasPaidNothing && (outcome !== 'NOT_CREATED' || refund.attempt > 1)) return sale;
  // Nothing says which try under the number it means.
  return changed(sale, number, refund.attempt > 1 ? CONTRADICTED : end);
}

// — Requests —

function onRequested(sale: SoldOrder, { number, amount, currency, at }: FactOf<'requested'>): SoldOrder {
  const earlier = findRefund(sale, number);
  const fresh: LedgerRefund = {
    number,
    attempt: (earlier?.attempt ?? 0) + 1,
    amount,
    currency,
    requested_at: at,
    phase: 'waiting',
    begun: null,
    answered_at: null,
    moved: false,
    answer: null,
    outcome: null,
    confirmed_by: null,
    named: null,
    asked: null,
    decided: null,
    failure: null,
    isOld: false,
  };
  return { ...sale, refunds: [...sale.refunds.filter((one) => one !== earlier), fresh] };
}

function onAnswered(sale: SoldOrder, { number, answered, at }: FactOf<'answered'>): SoldOrder {
  // A notification of its end, or a person, may have been faster: callers were answered then, and get the same again.
  if (findRefund(sale, number)?.phase === 'ended') return sale;
  switch (answered.said) {
    case 'taken':
      return changed(sale, number, { phase: 'taken', answer: answered.answer, answered_at: at });
    case 'not-sent':
      return changed(sale, number, { phase: 'waiting', begun: null, moved: false });
    case 'refused':
      return changed(sale, number, notMade(answered.failure));
    case 'taken-by-others':
      return withUnknownRefund(changed(sale, number, notMade(answered.failure)));
    case 'unknown':
      return changed(sale, number, { phase: 'lost', answered_at: at });
  }
}

// — Persons —

function onDecided(sale: SoldOrder, { by, reason, refund, elsewhere, seen, at }: FactOf<'decided'>): SoldOrder {
  const shown = sale.seen?.status ?? null;
  const decided = { by, reason, shown };
  const named =
    refund === undefined
      ? sale
      : changed(sale, refund.number, { ...ended(refund.outcome, 'operator'), decided, failure: null });
  // What the trade has shown since it was begun is somebody else's.
  const isOfOthers =
    (refund?.outcome === 'NOT_CREATED' && hasMovedUnnamed(sale, refund.number)) ||
    (refund?.outcome === 'REFUND_REFUSED' && showsMoneyOfNobody(named));
  const explained = isOfOthers ? withUnknownRefund(named) : named;
  const counted =
    elsewhere === undefined
      ? explained
      : settledReasons({ ...explained, elsewhere: sumOf([elsewhere]), complete: true }, ['refund-elsewhere']);
  const settled = seen ? settledReasons(looked(counted, seen), [seen]) : counted;
  const to = refund?.outcome ?? shown ?? 'resolved';
  const said = { by, reason, ...(elsewhere === undefined ? {} : { refunded_elsewhere: elsewhere }) };
  const history = [...settled.history, { time: iso(at), from: shown, to, source: 'operator' as const, ...said }];
  return settled.complete ? { ...settled, history } : raised({ ...settled, history }, 'refund-elsewhere');
}

/** Whether the trade shows that money went back, and nothing that is known explains it. */
function showsMoneyOfNobody({ seen, refunds, elsewhere }: SoldOrder): boolean {
  const meaning = refundMeaningOf(seen?.status ?? null);
  const isExplained = refunds.some((one) => mayBeGone(one) || one.outcome === 'REFUND_REVOKE') || elsewhere !== '0.00';
  return (meaning === 'part is done' || meaning === 'done') && !isExplained;
}

/** Whether the trade has moved since this refund was begun, and no person has said since what went back elsewhere. */
function hasMovedUnnamed(sale: SoldOrder, number: string): boolean {
  const { moved = false, begun = null } = findRefund(sale, number) ?? {};
  const isNamed = sale.history.some(
    ({ time, refunded_elsewhere }) => refunded_elsewhere !== undefined && Date.parse(time) >= (begun?.at ?? 0),
  );
  return moved && !isNamed;
}

/** A person has looked at what needed one. */
function looked(sale: SoldOrder, seen: Attention): SoldOrder {
  if (seen === 'unknown-trade') return withoutTrade(sale);
  return seen === 'unconfirmed-notification' ? { ...sale, contradicted: [] } : sale;
}

/** There is no such trade: what was notified of it before the gateway denied it is settled, too. */
function withoutTrade(sale: SoldOrder): SoldOrder {
  const heard = sale.denied?.heard ?? 0;
  return { ...sale, denied: { heard, isSettled: true }, held: sale.held.filter((one) => one.heard > heard) };
}

// — What follows for the refunds —

/** Reads each refund that may be gone in the table. Its order of facts does not matter: only what is known now does. */
function judged(sale: SoldOrder, { settling_ms }: FoldSettings): SoldOrder {
  return sale.refunds.filter(isJudged).reduce((known, refund) => {
    const verdict = verdictOf(known, refund);
    if (verdict === undefined || !isDue(known, refund, verdict, settling_ms)) return known;
    // What a contradiction has asked, only a person or the number itself answers.
    if (refund.asked === 'by a contradiction') return known;
    if (verdict.is === 'ask')
      return changed(known, refund.number, verdict.lasts ? CONTRADICTED : { asked: 'by the table' });
    // The trade shows that the gateway has it, although its answer was lost.
    if (verdict.is === 'accepted' && refund.phase === 'lost')
      return changed(known, refund.number, { phase: 'taken', asked: null });
    if (verdict.is !== 'refunded') return changed(known, refund.number, { asked: null });
    return changed(known, refund.number, { ...ended('REFUNDED', 'query'), named: known.seen?.status ?? null });
  }, sale);
}

const isJudged = ({ phase, begun, outcome, failure }: LedgerRefund) =>
  begun !== null && failure === null && (phase === 'lost' || phase === 'taken' || outcome === 'REFUNDED');

/** What the trade says of this refund now; undefined where it says nothing new of one that has ended or was decided. */
export function verdictOf(sale: SoldOrder, refund: LedgerRefund): Verdict | undefined {
  const { seen } = sale;
  const { begun, decided, outcome } = refund;
  if (seen === null || begun === null) return undefined;
  // A person knew what the trade showed.
  if (decided?.shown === seen.status) return undefined;
  const isUnmistakable = isOnlyOne(sale, refund) || hasCalledAPart(sale);
  const row = rowOf(seen.status, { shown: begun.shown, moved: refund.moved, isUnmistakable });
  const isOpenEnd = unexplainedEnds(sale).some((at) => at >= begun.at);
  const saysEnd = row === 'refused' || row === 'revoked';
  if (outcome !== null) {
    // What was done may come back; it is not refused any more.
    const hasComeBack = row === 'stands' || (row === 'revoked' && isOpenEnd);
    return hasComeBack && refund.named !== seen.status ? verdictOn(row, 'accepted', false) : undefined;
  }
  // An end may show for a moment only, and it is somebody's: ours, unless it is that of one whose end is known by its number.
  if (isOpenEnd) return verdictOn('refused', 'accepted', false);
  return saysEnd ? OPEN : verdictOn(row, columnOf(sale, refund), !isMore(leftAtGateway(sale), '0'));
}

function columnOf(sale: SoldOrder, refund: LedgerRefund): Column {
  if (refund.phase !== 'lost') return 'accepted';
  return isOnlyOne(sale, refund) && sale.bank === null ? 'lost alone' : 'lost beside others';
}

/** Whether nothing else is known that may have gone back, or be going. */
function isOnlyOne(sale: SoldOrder, { number }: LedgerRefund): boolean {
  const others = sale.refunds.filter((one) => one.number !== number && mayBeGone(one));
  return others.length === 0 && sale.complete && sale.elsewhere === '0.00';
}

/** Whether this gateway has called this trade PARTIAL_REFUND, so that REFUNDED says that all has gone back. */
const hasCalledAPart = ({ history }: SoldOrder) => history.some(({ to }) => to === 'PARTIAL_REFUND');

/** Whether a verdict has waited long enough. */
function isDue(sale: SoldOrder, { isOld }: LedgerRefund, verdict: Verdict, settling_ms: number): boolean {
  const { seen } = sale;
  if (verdict.is !== 'ask' || verdict.after === 'none') return true;
  if (verdict.after === 'lag') return (seen?.lasted_ms ?? 0) >= LAG_SETTLINGS * settling_ms;
  return isOld;
}

/** What a refund that was made shows first: that it is under way, or its end. What comes back was made before. */
const BEGINS: readonly RefundMeaning[] = ['under way', 'part is done', 'done', 'refused'];
/** From these, the trade goes on with the refund that it has shown, or falls back to the one before. */
const GOES_ON: readonly RefundMeaning[] = ['under way', 'refused', 'revoked', 'of the bank'];

/**
 * Whether the trade has shown the beginning of one more refund than ours: somebody else has made one. A person who has named what went back
 * elsewhere has explained those before.
 */
function hasUnexplainedMovement({ history, refunds }: SoldOrder, lag_ms: number): boolean {
  const beganAt = withoutEchoes(history, lag_ms)
    .filter(({ was, is }) => BEGINS.includes(is) && was !== is && !GOES_ON.includes(was))
    .map(({ at }) => at);
  const ours = refunds
    .filter((one) => mayBeGone(one) || (one.begun !== null && one.outcome !== 'NOT_CREATED'))
    .map(({ begun }) => begun?.at ?? 0);
  const explained = history.findLast(({ refunded_elsewhere }) => refunded_elsewhere !== undefined)?.time;
  const unexplained = ours.reduce((open, begun) => {
    const at = open.findIndex((time) => time >= begun);
    return at < 0 ? open : open.toSpliced(at, 1);
  }, beganAt);
  return unexplained.some((time) => explained === undefined || time > Date.parse(explained));
}

interface Movement {
  readonly was: RefundMeaning;
  readonly is: RefundMeaning;
  /** Ms since the epoch. */
  readonly at: number;
}

/** How the trade has moved, without what a replica that was behind showed of a moment before. */
function withoutEchoes(history: SoldOrder['history'], lag_ms: number): Movement[] {
  const leftAt = new Map<string, number>();
  let current: string | null = null;
  return history.flatMap(({ to, time, source }) => {
    const at = Date.parse(time);
    const left = leftAt.get(to);
    if (source !== 'query' || to === current || (left !== undefined && at - left < lag_ms)) return [];
    const movement = { was: refundMeaningOf(current), is: refundMeaningOf(to), at };
    if (current !== null) leftAt.set(current, at);
    current = to;
    return [movement];
  });
}

/** When the trade began to show ends of refunds that are none of those whose end is known by their number. Ms since the epoch. */
function unexplainedEnds({ history, refunds }: SoldOrder): number[] {
  const known = refunds.filter(({ confirmed_by }) => confirmed_by !== 'query');
  return ENDS.flatMap((outcome) => {
    const ended = known.filter((one) => one.outcome === outcome && one.begun !== null);
    const shown = history
      .filter(({ to, source }) => to === outcome && source === 'query')
      .map(({ time }) => Date.parse(time));
    // Each known end explains the first that the trade has shown since that refund was begun.
    return ended.reduce((open, { begun }) => {
      const at = open.findIndex((time) => time >= (begun?.at ?? 0));
      return at < 0 ? open : open.toSpliced(at, 1);
    }, shown);
  });
}

const ENDS = ['REFUND_REFUSED', 'REFUND_REVOKE'] as const;

// — The ledger —

/** Whether money of it may have gone, or may still go: whatever has left us and was not freed. Where a person is asked, it may. */
export const mayBeGone = ({ begun, asked, outcome }: LedgerRefund): boolean =>
  outcome === 'REFUNDED' || asked !== null || (begun !== null && outcome === null);

/** How much certainly is at the gateway still: a refund that waits for its turn has taken nothing. */
export function leftAtGateway(sale: SoldOrder, except?: string): string {
  const gone = sale.refunds.filter((one) => one.number !== except && mayBeGone(one));
  return less(sale.paid?.amount ?? '0', sumOf([sale.elsewhere, ...gone.map(({ amount }) => amount)]));
}

/** How much may still be granted: what waits for its turn is reserved. */
export function leftToGrant(sale: SoldOrder): string {
  const reserved = sale.refunds.filter((one) => mayBeGone(one) || one.phase === 'waiting');
  const left = less(sale.paid?.amount ?? '0', sumOf([sale.elsewhere, ...reserved.map(({ amount }) => amount)]));
  // A gateway may give back more than was paid.
  return isMore('0', left) ? '0.00' : left;
}

export const findRefund = ({ refunds }: SoldOrder, number: string): LedgerRefund | undefined =>
  refunds.find((one) => one.number === number);

function withUnknownRefund(sale: SoldOrder): SoldOrder {
  return raised({ ...sale, complete: false }, 'refund-elsewhere');
}

/** Something that paid nothing was notified, nobody says which, and no answer shows it. */
function askedOfAllGone(sale: SoldOrder): SoldOrder {
  return { ...sale, refunds: sale.refunds.map((one) => (mayBeGone(one) ? { ...one, ...CONTRADICTED } : one)) };
}

const CONTRADICTED = { asked: 'by a contradiction' } as const;

type Change = Partial<LedgerRefund> | ((refund: LedgerRefund) => Partial<LedgerRefund>);

function changed(sale: SoldOrder, number: string, change: Change): SoldOrder {
  const refunds = sale.refunds.map((one) =>
    one.number === number ? { ...one, ...(typeof change === 'function' ? change(one) : change) } : one,
  );
  return { ...sale, refunds };
}

const ended = (outcome: LedgerRefund['outcome'], confirmed_by: Source) =>
  ({ phase: 'ended', outcome, confirmed_by, asked: null }) as const;

/** There certainly is no refund: its number is free again. */
const notMade = (failure: LedgerRefund['failure']) =>
  ({ phase: 'ended', outcome: 'NOT_CREATED', failure, asked: null }) as const;

// — Reasons —

function raised(sale: SoldOrder, reason: Attention): SoldOrder {
  return sale.reasons.includes(reason) ? sale : { ...sale, reasons: [...sale.reasons, reason] };
}

function settledReasons(sale: SoldOrder, reasons: readonly Attention[]): SoldOrder {
  return { ...sale, reasons: sale.reasons.filter((one) => !reasons.includes(one)) };
}

const iso = (at: number) => new Date(at).toISOString();

/** A life of years and thousands of requests stays small: what no question needs any more is dropped. */
function bounded(sale: SoldOrder): SoldOrder {
  const free = sale.refunds.filter((one) => one.outcome !== null && !mayBeGone(one));
  const unmade = free.filter(({ outcome }) => outcome === 'NOT_CREATED');
  const dropped = new Set([
    ...allButTheLatest(unmade, KEPT_WITHOUT_REFUND),
    ...allButTheLatest(free, KEPT_WITHOUT_MONEY),
  ]);
  if (dropped.size === 0 && sale.history.length <= KEPT_TRANSITIONS) return sale;
  const refunds = sale.refunds.filter((one) => !dropped.has(one));
  return { ...sale, refunds, history: sale.history.slice(-KEPT_TRANSITIONS) };
}

const allButTheLatest = <T>(all: readonly T[], kept: number): readonly T[] =>
  all.slice(0, Math.max(0, all.length - kept));
