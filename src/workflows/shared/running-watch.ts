/**
 * A poll of the trade that runs beside everything else that a workflow does: it goes on through looks that bring no news, and
 * ends with the workflow. To cancel it and to start another one costs a workflow task. A timer of the workflow holds the
 * deadline: a poll may be paused, and then the server does not end it either.
 */
import { CancellationScope, condition, sleep } from '@temporalio/workflow';
import { leftOfSchedule, type QueriedTrade, type WatchInput } from '../../contract';
import { gateway } from './activities';
import { hasEnded, type Poll, startPoll } from './polling';

/** So many polls until one deadline begin the schedule anew: a gateway that contradicts itself is asked ever less often, too. */
const POLLS_ANEW = 5;

/** The poll ends by itself when it is due; so long after that, in ms, the workflow waits for it no more. */
const OVERDUE_MS = 30_000;

/** What a poll asks for, as text. It finds null when it is due. */
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

export class RunningWatch {
  private running: TradePoll | undefined;
  /** How the polls until one deadline are spaced. */
  private schedule: { due_at: number | undefined; began: number; polls: number } | undefined;
  private deadline: Deadline | undefined;

  /**
   * Waits until the trade has another status than `watch.seen`; `due` at `watch.due_at`, whatever has become of the poll. Once
   * `isInterrupted` holds, the wait ends and the poll goes on. A poll that asks for something else is replaced. Fails where the
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

  /** One timer for a deadline, however often news come before it: each costs an event. */
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
    return leftOfSchedule(schedule, now - began);
  }
}
