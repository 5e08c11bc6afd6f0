/** What the trade says of each refund that has left us: the table, read for what is known now. Pure. */
import {
  isRefundStatus,
  type KnownOrder,
  type LedgerRefund,
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

/**
 * Whether the trade has shown the beginning of one more refund than ours: somebody else has made one. A person who has named what went back
 * elsewhere has explained those before.
 */
export function hasUnexplainedMovement({ history, refunds }: KnownOrder, lag_ms: number): boolean {
  const begins = beginningsIn(history, lag_ms);
  const certain = begins.filter(({ echo_left }) => echo_left === 0).map(({ at }) => at);
  // What may be an echo may also be the beginning of ours: then that explains no later one.
  const ours = refunds.filter(mayHaveShown);
  const explained = history.findLast(({ refunded_elsewhere }) => refunded_elsewhere !== undefined)?.time;
  return unexplainedBy(
    ours,
    begins.map(({ at }) => at),
  ).some((time) => certain.includes(time) && (explained === undefined || time > Date.parse(explained)));
}

/** How the trade has begun to show refunds. What may be an echo of one that it shows within the lag is none. */
function beginningsIn(history: KnownOrder['history'], lag_ms: number): Movement[] {
  const begins = movementsOf(history, lag_ms).filter(
    ({ was, is }) => BEGINS.includes(is) && was !== is && !GOES_ON.includes(was),
  );
  const isBefore = (at: number) => (one: Movement) => one.echo_left === 0 && one.at >= at && one.at - at < lag_ms;
  return begins.filter(({ echo_left, at }) => echo_left === 0 || !begins.some(isBefore(at)));
}

interface Movement {
  readonly to: string;
  readonly was: RefundMeaning;
  readonly is: RefundMeaning;
  /** Ms since the epoch. */
  readonly at: number;
  /** How long it still has to be shown until it is no echo of a moment before, by a replica that was behind; 0 where it has moved. In ms. */
  readonly echo_left: number;
}

/** How the trade has moved. What may be an echo is in the list, and nothing has moved by it. */
function movementsOf(history: KnownOrder['history'], lag_ms: number): Movement[] {
  const leftAt = new Map<string, number>();
  let current: string | null = null;
  return history.flatMap(({ to, time, source, shown_at }) => {
    if (source !== 'query' || to === current) return [];
    const at = Date.parse(time);
    const [was, is] = [refundMeaningOf(current), refundMeaningOf(to)];
    // That a refund came back counts once it has lasted: see CAME_BACK.
    const since = is === 'stands' && current !== null && isRefundStatus(current) ? at : leftAt.get(to);
    const echo_left = since === undefined ? 0 : Math.max(0, since + lag_ms - (shown_at ?? at));
    const movement = { to, was, is, at, echo_left };
    if (echo_left > 0) return [movement];
    if (current !== null) leftAt.set(current, at);
    current = to;
    return [movement];
  });
}

/** How long the trade still has to show what it has come back to until nobody can take it for an echo, in ms. An echo does not last. */
export function echoLeft({ history, seen }: KnownOrder, lag_ms: number): number {
  const last = movementsOf(history, lag_ms).at(-1);
  return last && last.to === seen?.status ? last.echo_left : 0;
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
    return unexplainedBy(ended, shown);
  });
}

const ENDS = ['REFUND_REFUSED', 'REFUND_REVOKE'] as const;

/** The times, earliest first, that none of these refunds explains: each explains the first that the trade has shown since it was begun. */
const unexplainedBy = (refunds: readonly LedgerRefund[], times: readonly number[]): readonly number[] =>
  refunds.reduce((open, { begun }) => {
    const at = open.findIndex((time) => time >= (begun?.at ?? 0));
    return at < 0 ? open : open.toSpliced(at, 1);
  }, times);
