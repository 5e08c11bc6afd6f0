/**
 * How a trade's status has moved in queries, and which movements none of our refunds explains: somebody else has made a refund, or one of
 * ours has ended without its number. A movement that may be the echo of a stale replica waits until it cannot be one. Pure.
 */
import {
  ENDS_UNPAID,
  isRefundStatus,
  type KnownOrder,
  type LedgerRefund,
  longestPause,
  type PollSchedule,
  type RefundMeaning,
  refundMeaningOf,
} from '../../contract';
import { mayHaveShown } from './ledger';

/** What a new refund shows first: that it is under way, or its end. A revoked refund has shown something before. */
const BEGINS: readonly RefundMeaning[] = ['under way', 'part is done', 'done', 'refused'];
/** After these, the trade goes on with the refund that it has shown, or falls back to the refund before. */
const GOES_ON: readonly RefundMeaning[] = ['under way', 'refused', 'revoked', 'of the bank'];
/** The ends of a refund that paid. */
const PAID: readonly RefundMeaning[] = ['part is done', 'done'];

/**
 * Whether the trade has shown, or may have shown, the beginning of one more refund than ours: somebody else has made it. A person who names what
 * went back elsewhere explains the beginnings before that.
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
  // A possible echo may also be the beginning of one of our refunds: then this refund explains no later beginning.
  return unexplainedBy(refunds.filter(mayHaveShown), begins, isOf).some(
    ({ at, echo_left }) => echo_left === 0 && (explained === undefined || at > Date.parse(explained)),
  );
}

const isBeginning = ({ was, is }: Movement) => BEGINS.includes(is) && was !== is && !GOES_ON.includes(was);

/** Whether an end has followed "under way", which may be an echo: either way it is one refund, and the end also shows its beginning. */
const isEndAfter = ({ is }: Movement, next: Movement | undefined) =>
  is === 'under way' && next !== undefined && next.is !== 'under way' && isBeginning(next);

/** Whether this movement may be the beginning of this refund. `seen_ms`: polls see within this time of its answer that it is under way. */
function mayBeginWith(
  { begun, answered_at, over_by }: LedgerRefund,
  { at, is, shown_at }: Movement,
  { lag_ms, seen_ms }: { readonly lag_ms: number; readonly seen_ms: number },
): boolean {
  if (at < (begun?.at ?? 0)) return false;
  // An end may be seen at any later time.
  if (is !== 'under way') return true;
  if (over_by !== null) return shown_at < over_by + lag_ms;
  // If the trade already shows a part refunded, the next refund may have ended at once, unseen.
  const mayEndUnseen = begun !== null && PAID.includes(refundMeaningOf(begun.shown));
  return !mayEndUnseen || answered_at === null || at < answered_at + seen_ms;
}

interface Movement {
  readonly to: string;
  readonly was: RefundMeaning;
  readonly is: RefundMeaning;
  /** Ms since the epoch. */
  readonly at: number;
  /** When the trade showed it last. */
  readonly shown_at: number;
  /** How long the trade still has to show it until it cannot be the echo of a stale replica; 0 if the trade has moved. In ms. */
  readonly echo_left: number;
}

/**
 * How the trade has moved. A possible echo is in the list but moves nothing, unless it may also be the end of a refund under way: what is
 * under way a whole lag later may be another refund.
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

/** How long the trade still has to show its status until that cannot be an echo, in ms. An echo does not last. */
export function echoLeft(order: KnownOrder, lag_ms: number): number {
  const { history, seen } = order;
  const last = movementsOf(history, lag_ms).at(-1);
  const ofMovement = last && last.to === seen?.status ? last.echo_left : 0;
  return Math.max(ofMovement, overLeft(order, lag_ms));
}

/** If all of our refunds are over: how long the trade still has to show a refund under way until it cannot be one of them, in ms. */
function overLeft({ seen, refunds }: KnownOrder, lag_ms: number): number {
  if (seen === null || refundMeaningOf(seen.status) !== 'under way') return 0;
  const over = refunds.filter(mayHaveShown).map(({ over_by }) => over_by ?? Number.POSITIVE_INFINITY);
  const left = Math.max(...over) + lag_ms - seen.asked_at;
  // Otherwise we have no such refund, or one of ours may still be under way.
  return Number.isFinite(left) ? left : 0;
}

/**
 * The trade has shown, perhaps for a moment only, a refund that paid nothing, without its number: each refund that began before that and has no
 * end of its own may be the one.
 */
export const mayHaveEnded = (order: KnownOrder, { begun }: LedgerRefund): boolean =>
  unexplainedEnds(order).some((at) => at >= (begun?.at ?? 0));

/** When the trade began to show ends of refunds that no notification with a number, and no person, explains. Ms since the epoch. */
export function unexplainedEnds({ history, refunds }: KnownOrder): number[] {
  const known = refunds.filter(({ confirmed_by }) => confirmed_by !== 'query');
  return ENDS_UNPAID.flatMap((outcome) => {
    const ended = known.filter((one) => one.outcome === outcome && one.begun !== null);
    const shown = history
      .filter(({ to, source }) => to === outcome && source === 'query')
      .map(({ time }) => Date.parse(time));
    return unexplainedBy(ended, shown, ({ begun }, at) => at >= (begun?.at ?? 0));
  });
}

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
