/**
 * Waits for a signal while a slow poll runs. The poll ends with the wait, or continues beside it. The server spaces the poll's attempts:
 * waiting adds no events to the history.
 */
import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { leftOfSchedule, type WatchInput } from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { gateway } from './activities';

/**
 * What came first: the poll's result, an interruption, or the end of the time. `unended`: nobody knows how the activity ends, since it is
 * paused and its worker has died.
 */
type WaitResult<Found> = Found | 'interrupted' | 'timeout' | 'unended';

export interface WaitOptions {
  /** Ends the wait as soon as it holds. */
  isInterrupted: () => boolean;
  /** The longest wait; without it there is no limit. */
  timeout_ms?: number | undefined;
  /** Names the timer in Temporal UI. */
  summary?: string | undefined;
  /** How long the activity may take to end once its time is over; without it there is no limit. A server ends none that is paused. */
  ends_within_ms?: number | undefined;
}

/** Waits until the trade has another status than `watch.seen`. */
export async function waitForTradeChange(watch: WatchInput, options: WaitOptions): Promise<WaitResult<QueriedTrade>> {
  const watched = await pollUntil(async () => ({ trade: await gateway.watchTrade(watch) }), options);
  return typeof watched === 'string' ? watched : (watched.trade ?? 'timeout');
}

/** An activity that runs beside the code that waits for it, and its result. */
export interface Poll<Found> {
  readonly scope: CancellationScope;
  /** Resolves once the activity has ended, in any way. */
  readonly ended: Promise<unknown>;
  found?: Found;
  failure?: unknown;
}

export function startPoll<Found>(ask: () => Promise<Found>): Poll<Found> {
  const scope = new CancellationScope();
  const outcome: Pick<Poll<Found>, 'found' | 'failure'> = {};
  const ended = scope.run(ask).then(
    (found) => Object.assign(outcome, { found }),
    (failure) => Object.assign(outcome, { failure }),
  );
  return Object.assign(outcome, { scope, ended });
}

export const hasEnded = ({ found, failure }: Pick<Poll<unknown>, 'found' | 'failure'>) =>
  found !== undefined || failure !== undefined;

/** Runs a poll until it finds something, is interrupted or times out. Fails if the poll itself fails. */
export async function pollUntil<Found extends object | number>(
  ask: () => Promise<Found>,
  { isInterrupted, timeout_ms, summary, ends_within_ms }: WaitOptions,
): Promise<WaitResult<Found>> {
  const poll = startPoll(ask);
  let isInTime = true;
  let cancelled: unknown;
  try {
    isInTime = await waitUntil(() => hasEnded(poll) || isInterrupted(), timeout_ms, summary);
  } catch (error) {
    // If this part of the workflow is cancelled, the result of a request under way still counts.
    cancelled = error;
  }
  if (!hasEnded(poll)) {
    poll.scope.cancel();
    if (isInTime || ends_within_ms === undefined) await poll.ended;
    else if (!(await waitUntil(() => hasEnded(poll), ends_within_ms, 'until an activity that is held up has ended')))
      return 'unended';
  }
  if (poll.found !== undefined) return poll.found;
  if (cancelled !== undefined) throw cancelled;
  if (!isCancellation(poll.failure)) throw poll.failure;
  return isInTime ? 'interrupted' : 'timeout';
}

/** False if the time ended first. */
async function waitUntil(isMet: () => boolean, timeout_ms?: number, summary?: string): Promise<boolean> {
  if (timeout_ms !== undefined) {
    return condition(isMet, Math.max(timeout_ms, 1), summary === undefined ? {} : { summary });
  }
  await condition(isMet);
  return true;
}

/** This many polls before a deadline restart the schedule; later ones continue it, so a gateway that contradicts itself is asked less often. */
const POLLS_ANEW = 5;

/** The poll ends by itself when it is due; this long after that, in ms, the workflow stops waiting for it. */
const OVERDUE_MS = 30_000;

/** A poll, and what it asks for, as text. Its result is null when it is due. */
interface TradePoll {
  readonly asks: string;
  readonly poll: Poll<QueriedTrade | null>;
}

interface Deadline {
  /** Ms since the epoch. */
  readonly due_at: number;
  readonly timer: CancellationScope;
  isOver: boolean;
}

/**
 * A poll of the trade that runs beside everything else that a workflow does: it goes on through looks that bring no news, and
 * ends with the workflow. To replace it costs a workflow task. A timer of the workflow keeps the deadline, because a paused
 * poll does not end by itself, nor by the server.
 */
export class RunningWatch {
  private running: TradePoll | undefined;
  /** How the polls before the current deadline are spaced. */
  private schedule: { due_at: number | undefined; began: number; polls: number } | undefined;
  private deadline: Deadline | undefined;

  /**
   * Waits until the trade has another status than `watch.seen`; `due` at `watch.due_at`, whatever the poll does. Once
   * `isInterrupted` holds, the wait ends and the poll goes on. A poll that asks for something else is replaced. Fails if the
   * poll itself fails.
   */
  async next(watch: WatchInput, isInterrupted: () => boolean): Promise<QueriedTrade | 'interrupted' | 'due'> {
    const poll = this.pollFor(watch);
    const deadline = this.deadlineAt(watch.due_at);
    await condition(() => hasEnded(poll) || deadline.isOver || isInterrupted());
    if (hasEnded(poll)) {
      this.running = undefined;
      if (poll.failure !== undefined) throw poll.failure;
      return poll.found ?? 'due';
    }
    if (!deadline.isOver) return 'interrupted';
    this.stop();
    return 'due';
  }

  /** One timer for a deadline, however often news comes before it: each timer costs events. */
  private deadlineAt(due_at = Number.POSITIVE_INFINITY): Deadline {
    if (this.deadline?.due_at === due_at) return this.deadline;
    this.deadline?.timer.cancel();
    const deadline: Deadline = { due_at, isOver: false, timer: new CancellationScope() };
    this.deadline = deadline;
    if (due_at === Number.POSITIVE_INFINITY) return deadline;
    const left_ms = Math.max(due_at - Date.now(), 0) + OVERDUE_MS;
    const timer = deadline.timer.run(() => sleep(left_ms, { summary: 'the deadline, where the poll is held up' }));
    timer.then(
      () => {
        deadline.isOver = true;
      },
      () => undefined,
    );
    return deadline;
  }

  /** Ends the poll: what it finds from now on does not count. Returns what it has found. */
  stop(): QueriedTrade | undefined {
    const { poll } = this.running ?? {};
    poll?.scope.cancel();
    this.running = undefined;
    return poll?.found ?? undefined;
  }

  private pollFor(watch: WatchInput): Poll<QueriedTrade | null> {
    const asks = JSON.stringify(watch);
    // A poll that failed while nobody waited for it is made again: a look may have been answered since then.
    if (this.running?.asks === asks && this.running.poll.failure === undefined) return this.running.poll;
    this.stop();
    const spaced = { ...watch, schedule: this.scheduleOf(watch) };
    const poll = startPoll(() => gateway.watchTrade(spaced));
    this.running = { asks, poll };
    return poll;
  }

  /** Each deadline restarts the schedule, and so do the first polls before it; later polls continue it. */
  private scheduleOf({ due_at, schedule }: WatchInput): WatchInput['schedule'] {
    const now = Date.now();
    const known = this.schedule && this.schedule.due_at === due_at ? this.schedule : { due_at, began: now, polls: 0 };
    const polls = known.polls + 1;
    const began = polls <= POLLS_ANEW ? now : known.began;
    this.schedule = { due_at, began, polls };
    return leftOfSchedule(schedule, now - began);
  }
}
