/** What the trade says of each refund that has left us: the table, read for what is known now. Pure. */
import {
  isRefundStatus,
  type KnownOrder,
  type LedgerRefund,
  longestPause,
  type PollSchedule,
  type RefundMeaning,
  refundMeaningOf,
} from '../../contract';
import { isMore } from '../../gateway/pure/money';
import { asEnded, CONTRADICTED, isComplete, leftAtGateway, mayBeGone, mayHaveShown, withRefund } from './ledger';
import { CAME_BACK, type Column, type Row, rowOf, type Verdict, verdictOn, WHOSE_END } from './refund-table';
import { lagLeft } from './replica-lag';

/** Reads each refund that may be gone in the table. Its order of facts does not matter: only what is known now does. */
export function judged(order: KnownOrder, lag_ms: number): KnownOrder {
  return order.refunds.reduce((known, refund) => {
    const verdict = verdictOf(known, refund);
    if (verdict === undefined || !isDue(known, refund, verdict, lag_ms)) return known;
    // What a contradiction has asked, only a person or the number itself answers.
    if (refund.asked === 'by a contradiction') return known;
    if (verdict.is === 'ask')
      return withRefund(known, refund.number, verdict.lasts ? CONTRADICTED : { asked: 'by the table' });
    // The trade shows that the gateway has it, although its answer was lost.
    if (verdict.is === 'accepted' && refund.phase === 'lost')
      return withRefund(known, refund.number, { phase: 'taken', asked: null });
    if (verdict.is !== 'refunded') return withRefund(known, refund.number, { asked: null });
    return withRefund(known, refund.number, { ...asEnded('REFUNDED', 'query'), named: known.seen?.status ?? null });
  }, order);
}

const isJudged = ({ phase, begun, outcome, failure }: LedgerRefund) =>
  begun !== null && failure === null && (phase === 'lost' || phase === 'taken' || outcome === 'REFUNDED');

/** What the trade says of this refund now; undefined where it says nothing new of one that has ended or was decided. */
export const verdictOf = (order: KnownOrder, refund: LedgerRefund): Verdict | undefined =>
  readingOf(order, refund)?.verdict;

/** The same, with the place in the table. */
export function readingOf(
  order: KnownOrder,
  refund: LedgerRefund,
): { readonly row: Row; readonly column: Column; readonly verdict: Verdict } | undefined {
  const { seen } = order;
  const { begun, decided } = refund;
  if (seen === null || begun === null || !isJudged(refund)) return undefined;
  // A person knew what the trade showed.
  if (decided?.shown === seen.status) return undefined;
  const isUnmistakable = isOnlyOne(order, refund) || hasCalledAPart(order);
  const row = rowOf(seen.status, { shown: begun.shown, moved: refund.moved, isUnmistakable });
  const column = columnOf(order, refund);
  const verdict = verdictAt(order, refund, row, column);
  return verdict && { row, column, verdict };
}

function verdictAt(order: KnownOrder, refund: LedgerRefund, row: Row, column: Column): Verdict | undefined {
  const { outcome, named } = refund;
  const hasUnnamedEnd = mayHaveEnded(order, refund);
  if (outcome !== null) return named === order.seen?.status ? undefined : verdictOnDone(row, hasUnnamedEnd);
  if (hasUnnamedEnd) return WHOSE_END;
  return verdictOn(row, column, !isMore(leftAtGateway(order), '0'));
}

/** What was done may come back; it is not refused any more. */
function verdictOnDone(row: Row, hasUnnamedEnd: boolean): Verdict | undefined {
  if (row === 'stands') return CAME_BACK;
  return row === 'revoked' && hasUnnamedEnd ? WHOSE_END : undefined;
}

function columnOf(order: KnownOrder, refund: LedgerRefund): Column {
  if (refund.phase !== 'lost') return 'accepted';
  const isAlone =
    isOnlyOne(order, refund) && order.bank === null && !order.refunds.some((one) => isEndUnseen(order, one));
  return isAlone ? 'lost alone' : 'lost beside others';
}

/** Whether a refund paid nothing, and the trade has not shown that: what it shows may still be that one. */
const isEndUnseen = ({ history }: KnownOrder, { begun, outcome }: LedgerRefund): boolean =>
  begun !== null &&
  ENDS.some((end) => end === outcome) &&
  !history.some(({ to, source, time }) => to === outcome && source === 'query' && Date.parse(time) >= begun.at);

/** Whether nothing else is known that may have gone back, or be going. */
function isOnlyOne(order: KnownOrder, { number }: LedgerRefund): boolean {
  const others = order.refunds.filter((one) => one.number !== number && mayBeGone(one));
  return others.length === 0 && isComplete(order) && order.elsewhere === '0.00';
}

/** Whether this gateway has called this trade PARTIAL_REFUND, so that REFUNDED says that all has gone back. */
export const hasCalledAPart = ({ history }: KnownOrder) => history.some(({ to }) => to === 'PARTIAL_REFUND');

/** Whether a verdict has waited long enough. */
function isDue(order: KnownOrder, { isOld }: LedgerRefund, verdict: Verdict, lag_ms: number): boolean {
  if (verdict.is !== 'ask' || verdict.after === 'none') return true;
  if (verdict.after === 'lag') return lagLeft(order, lag_ms) === 0;
  return isOld;
}

/** What a refund that was made shows first: that it is under way, or its end. What comes back was made before. */
const BEGINS: readonly RefundMeaning[] = ['under way', 'part is done', 'done', 'refused'];
/** From these, the trade goes on with the refund that it has shown, or falls back to the one before. */
const GOES_ON: readonly RefundMeaning[] = ['under way', 'refused', 'revoked', 'of the bank'];
/** The ends of a refund that paid. */
const PAID: readonly RefundMeaning[] = ['part is done', 'done'];

/**
 * Whether the trade has shown the beginning of one more refund than ours, or may have: somebody else has made one. A person who has named what
 * went back elsewhere has explained those before.
 */
export function hasUnexplainedMovement(
  { history, refunds }: KnownOrder,
  lag_ms: number,
  schedule: Readonly<PollSchedule>,
): boolean {
  const begins = movementsOf(history, lag_ms).filter(
    (one, i, all) => isBeginning(one) && !(one.echo_left > 0 && isEndAfter(one, all[i + 1])),
  );
  const seen_ms = lag_ms + longestPause(lag_ms, schedule);
  const isOf = (refund: LedgerRefund, one: Movement) => mayBeginWith(refund, one, { lag_ms, seen_ms });
  const explained = history.findLast(({ refunded_elsewhere }) => refunded_elsewhere !== undefined)?.time;
  // What may be an echo may also be the beginning of ours: then that explains no later one.
  return unexplainedBy(refunds.filter(mayHaveShown), begins, isOf).some(
    ({ at, echo_left }) => echo_left === 0 && (explained === undefined || at > Date.parse(explained)),
  );
}

const isBeginning = ({ was, is }: Movement) => BEGINS.includes(is) && was !== is && !GOES_ON.includes(was);

/** Whether an end has followed what was under way, perhaps as an echo: either way that is one refund, and the end shows its beginning, too. */
const isEndAfter = ({ is }: Movement, next: Movement | undefined) =>
  is === 'under way' && next !== undefined && PAID.includes(next.is) && isBeginning(next);

/** Whether the trade may have begun to show this refund so. `seen_ms`: within that time of its answer, polls see that it is under way. */
function mayBeginWith(
  { begun, answered_at, over_by }: LedgerRefund,
  { at, is, shown_at }: Movement,
  { lag_ms, seen_ms }: { readonly lag_ms: number; readonly seen_ms: number },
): boolean {
  if (at < (begun?.at ?? 0)) return false;
  // What has ended may be seen so at any later time.
  if (is !== 'under way') return true;
  if (over_by !== null) return shown_at < over_by + lag_ms;
  // Of a trade that shows a part already, the next one may have ended at once, and nothing has shown that.
  const mayEndUnseen = begun !== null && PAID.includes(refundMeaningOf(begun.shown));
  return !mayEndUnseen || answered_at === null || at < answered_at + seen_ms;
}

interface Movement {
  readonly to: string;
  readonly was: RefundMeaning;
  readonly is: RefundMeaning;
  /** Ms since the epoch. */
  readonly at: number;
  /** When it was shown last. */
  readonly shown_at: number;
  /** How long it still has to be shown until it is no echo of a moment before, by a replica that was behind; 0 where it has moved. In ms. */
  readonly echo_left: number;
}

/**
 * How the trade has moved. What may be an echo is in the list, and nothing has moved by it, unless it may also be the end of what was under way:
 * what is under way a whole lag later may be another refund.
 */
function movementsOf(history: KnownOrder['history'], lag_ms: number): Movement[] {
  const leftAt = new Map<string, number>();
  let current: string | null = null;
  return history.flatMap(({ to, time, source, shown_at: shown }) => {
    if (source !== 'query' || to === current) return [];
    const at = Date.parse(time);
    const shown_at = shown ?? at;
    const [was, is] = [refundMeaningOf(current), refundMeaningOf(to)];
    // That a refund came back counts once it has lasted: see CAME_BACK.
    const since = is === 'stands' && current !== null && isRefundStatus(current) ? at : leftAt.get(to);
    const echo_left = since === undefined ? 0 : Math.max(0, since + lag_ms - shown_at);
    const movement = { to, was, is, at, shown_at, echo_left };
    if (echo_left > 0 && !(was === 'under way' && PAID.includes(is))) return [movement];
    if (current !== null) leftAt.set(current, at);
    current = to;
    return [movement];
  });
}

/** How long the trade still has to show what it shows until nobody can take it for an echo, in ms. An echo does not last. */
export function echoLeft(order: KnownOrder, lag_ms: number): number {
  const { history, seen } = order;
  const last = movementsOf(history, lag_ms).at(-1);
  const ofMovement = last && last.to === seen?.status ? last.echo_left : 0;
  return Math.max(ofMovement, overLeft(order, lag_ms));
}

/** How long the trade still has to show a refund under way until that is none of ours, each of which is over, in ms. */
function overLeft({ seen, refunds }: KnownOrder, lag_ms: number): number {
  if (seen === null || refundMeaningOf(seen.status) !== 'under way') return 0;
  const over = refunds.filter(mayHaveShown).map(({ over_by }) => over_by ?? Number.POSITIVE_INFINITY);
  const left = Math.max(...over) + lag_ms - seen.asked_at;
  // Else there is none of ours, or one may still be under way.
  return Number.isFinite(left) ? left : 0;
}

/**
 * Whether the trade has shown, perhaps for a moment only, that a refund paid nothing, and nothing says which: each that was begun before it, and
 * has no end of its own, may be the one.
 */
export const mayHaveEnded = (order: KnownOrder, { begun }: LedgerRefund): boolean =>
  unexplainedEnds(order).some((at) => at >= (begun?.at ?? 0));

/** When the trade began to show ends of refunds that are none of those whose end is known by their number. Ms since the epoch. */
export function unexplainedEnds({ history, refunds }: KnownOrder): number[] {
  const known = refunds.filter(({ confirmed_by }) => confirmed_by !== 'query');
  return ENDS.flatMap((outcome) => {
    const ended = known.filter((one) => one.outcome === outcome && one.begun !== null);
    const shown = history
      .filter(({ to, source }) => to === outcome && source === 'query')
      .map(({ time }) => Date.parse(time));
    return unexplainedBy(ended, shown, ({ begun }, at) => at >= (begun?.at ?? 0));
  });
}

const ENDS = ['REFUND_REFUSED', 'REFUND_REVOKE'] as const;

/** What the trade has shown, earliest first, that none of these refunds explains: each explains the first that may be of it. */
const unexplainedBy = <Shown>(
  refunds: readonly LedgerRefund[],
  shown: readonly Shown[],
  isOf: (refund: LedgerRefund, one: Shown) => boolean,
): readonly Shown[] =>
  refunds.reduce((open, refund) => {
    const at = open.findIndex((one) => isOf(refund, one));
    return at < 0 ? open : open.toSpliced(at, 1);
  }, shown);
