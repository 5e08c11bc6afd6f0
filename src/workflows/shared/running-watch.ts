/**
 * A poll of the trade that runs beside everything else that a workflow does: it goes on through looks that bring no news, and
 * ends with the workflow. To cancel it and to start another one costs a workflow task.
 */
import { RetryState } from '@temporalio/common';
import { ActivityFailure, condition, TimeoutFailure } from '@temporalio/workflow';
import type { QueriedTrade, WatchInput } from '../../contract';
import { gateway } from './activities';
import { hasEnded, type Poll, startPoll } from './polling';

/** So many polls until one deadline begin the schedule anew: a gateway that contradicts itself is asked ever less often, too. */
const POLLS_ANEW = 5;

/** What a poll asks for, as text. It finds null when it is due. */
interface TradePoll {
  readonly asks: string;
  readonly poll: Poll<QueriedTrade | null>;
}

export class RunningWatch {
  private running: TradePoll | undefined;
  /** How the polls until one deadline are spaced. */
  private schedule: { due_at: number | undefined; began: number; polls: number } | undefined;

  /**
   * Waits until the trade has another status than `watch.seen`; `due` at `watch.due_at`, or where the server has ended the poll.
   * Once `isInterrupted` holds, the wait ends and the poll goes on. A poll that asks for something else is replaced. Fails where
   * the poll itself fails.
   */
  async next(watch: WatchInput, isInterrupted: () => boolean): Promise<QueriedTrade | 'interrupted' | 'due'> {
    const poll = this.pollFor(watch);
    await condition(() => hasEnded(poll) || isInterrupted());
    if (!hasEnded(poll)) return 'interrupted';
    this.running = undefined;
    if (poll.found) return poll.found;
    if (poll.found === null || isOutOfTime(poll.failure)) return 'due';
    throw poll.failure;
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
    if (this.running?.asks === asks) return this.running.poll;
    this.stop();
    const spaced = { ...watch, schedule: this.scheduleOf(watch) };
    const poll = startPoll(() => gateway.watchTrade(spaced));
    this.running = { asks, poll };
    return poll;
  }

  /** Each deadline begins the schedule anew. So do the first polls before it; later ones continue the schedule. */
  private scheduleOf({ due_at, schedule }: WatchInput): WatchInput['schedule'] {
    const now = Date.now();
    const known = this.schedule && this.schedule.due_at === due_at ? this.schedule : { due_at, began: now, polls: 0 };
    const polls = known.polls + 1;
    const began = polls <= POLLS_ANEW ? now : known.began;
    this.schedule = { due_at, began, polls };
    const age = now - began;
    const left = schedule.poll_schedule_ms.filter((at) => at > age).map((at) => at - age);
    return { ...schedule, poll_schedule_ms: left };
  }
}

/** The server makes no further attempt: the next one would come after the poll's time. */
function isOutOfTime(failure: unknown): boolean {
  if (!(failure instanceof ActivityFailure)) return false;
  return failure.retryState === RetryState.TIMEOUT || failure.cause instanceof TimeoutFailure;
}
