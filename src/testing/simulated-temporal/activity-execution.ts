/** An activity as Temporal runs it: attempt after attempt by its retry policy. A worker that dies loses an attempt. */
import type { Client } from '@temporalio/client';
import {
  ApplicationFailure,
  defaultFailureConverter,
  defaultPayloadConverter,
  ensureApplicationFailure,
} from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { atSimulatedTime } from '../../activities';
import { api, type coresdk, optionalTsToMs } from './sdk-internals';
import type { VirtualClock } from './virtual-clock';

/** A worker's activities, and the client that they have. */
export interface Activities {
  readonly client: Client;
  readonly functions: Readonly<Record<string, unknown>>;
}
type Failure = api.api.failure.v1.IFailure;
export type Resolution = coresdk.activity_result.IActivityResolution;
const { RetryState, TimeoutType } = api.api.enums.v1;

/** What a workflow asked for, of either kind of activity. */
export type ScheduledActivity = Pick<
  coresdk.workflow_commands.IScheduleActivity,
  | 'activityId'
  | 'activityType'
  | 'arguments'
  | 'startToCloseTimeout'
  | 'scheduleToStartTimeout'
  | 'scheduleToCloseTimeout'
  | 'retryPolicy'
> & { workflowId: string; runId: string; workflowType: string };

/** An attempt that was lost with its worker. `workedAt`: when it did its work, in ms since the epoch, if only its result was lost. */
export interface LostAttempt {
  readonly activityType: string;
  readonly workflowId: string;
  readonly workedAt: number | undefined;
}

export class ActivityExecution {
  private attempt = 0;
  private heartbeatDetails: unknown;
  private over = false;
  /** The activity is cancelled, but its running attempt is waited for. */
  private isLastAttempt = false;
  private readonly since: number;
  private isPaused = false;
  /** When all its attempts must have ended, in ms since the epoch. */
  private latest = Number.POSITIVE_INFINITY;
  /** The attempt that runs now, and how to drop its result. */
  private running: { forget: () => void; began: number; workedAt?: number } | undefined;

  constructor(
    private readonly scheduled: ScheduledActivity,
    private readonly activities: Activities,
    private readonly clock: VirtualClock,
    /** How long a task waits for the worker, in ms. */
    private readonly delay: () => number,
    private readonly resolved: (resolution: Resolution) => void,
  ) {
    this.since = clock.now;
    const limit = optionalTsToMs(scheduled.scheduleToCloseTimeout) ?? 0;
    if (limit > 0) {
      this.latest = clock.now + limit;
      clock.in(limit, () =>
        this.giveUp(timedOut(TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE), RetryState.RETRY_STATE_TIMEOUT),
      );
    }
    this.begin(0);
  }

  /**
   * Stops the activity; false if it has ended, or goes on. A running attempt still does its work at the gateway; with `waits`, its result
   * counts, and it is the last one.
   */
  cancel(waits: boolean): boolean {
    if (this.over) return false;
    if (waits && this.running) {
      this.isLastAttempt = true;
      return false;
    }
    this.over = true;
    return true;
  }

  /** Stores a heartbeat that a client sends. Undefined if no attempt runs. */
  noteHeartbeat(details: api.api.common.v1.IPayload): { cancelRequested: boolean } | undefined {
    if (this.over || !this.running) return undefined;
    this.heartbeatDetails = defaultPayloadConverter.fromPayload(details);
    return { cancelRequested: this.isLastAttempt };
  }

  /** As Temporal's button does it: no attempt begins any more, and no time ends it. An attempt under way goes on. */
  pause(): void {
    this.isPaused = true;
  }

  /** A person ends the activity: it completes with `given`, or fails without it. Returns the attempt under way, which nobody hears any more. */
  endByHand(given?: { readonly result: unknown }): LostAttempt | undefined {
    if (this.over) return undefined;
    const { workedAt } = this.running ?? {};
    if (given) this.end({ completed: { result: defaultPayloadConverter.toPayload(given.result) } });
    else this.giveUp({ message: 'by hand', applicationFailureInfo: { type: '', nonRetryable: true } });
    const { activityType, workflowId } = this.scheduled;
    return this.running && { activityType: activityType ?? '', workflowId, workedAt };
  }

  /** The worker dies: what the attempt has sent stays sent, and its result is lost. Returns the attempt, if one ran. */
  lose(): LostAttempt | undefined {
    if (this.over || !this.running) return undefined;
    const { forget, began, workedAt } = this.running;
    forget();
    // For the server the attempt runs until its time is over.
    const timeout = optionalTsToMs(this.scheduled.startToCloseTimeout) ?? 0;
    const stop = this.clock.in(began + timeout - this.clock.now, () => {
      this.running = undefined;
      this.failed(timedOut(TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE));
    });
    this.running = { forget: stop, began };
    return { activityType: this.scheduled.activityType ?? '', workflowId: this.scheduled.workflowId, workedAt };
  }

  private begin(after_ms: number): void {
    this.clock.in(after_ms + this.clock.delay(), () => {
      if (this.over || this.isPaused) return;
      this.attempt += 1;
      const scheduled = this.clock.now;
      const waits = this.delay();
      const most = optionalTsToMs(this.scheduled.scheduleToStartTimeout) ?? 0;
      if (most > 0 && waits > most) {
        // The server does not repeat an attempt that no worker took in time.
        const late = timedOut(TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START);
        this.clock.in(most, () => this.giveUp(late, RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE));
        return;
      }
      const forget = this.clock.in(waits, () => this.run(scheduled));
      this.running = { forget, began: scheduled };
    });
  }

  private async run(scheduled: number): Promise<void> {
    const workedAt = this.clock.now;
    const ended = await runActivityCode(this.scheduled, this.activities, {
      attempt: this.attempt,
      since: this.since,
      now: workedAt,
      scheduled,
      heartbeatDetails: this.heartbeatDetails,
      heartbeat: (details) => {
        this.heartbeatDetails = details;
      },
    });
    const forget = this.clock.in(this.clock.delay(), () => {
      this.running = undefined;
      if (this.over) return;
      if ('result' in ended) this.end({ completed: { result: ended.result } });
      else this.failed(ended.failure);
    });
    this.running = { forget, began: scheduled, workedAt };
  }

  private failed(cause: Failure): void {
    if (this.over) return;
    const again = this.nextIn(cause);
    if (again === undefined) this.giveUp(cause);
    else if (this.isLastAttempt) this.giveUp(cause, RetryState.RETRY_STATE_CANCEL_REQUESTED);
    else if (this.clock.now + again > this.latest) this.giveUp(cause, RetryState.RETRY_STATE_TIMEOUT);
    else this.begin(again);
  }

  private giveUp(cause: Failure, retryState = RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE): void {
    if (this.over || (this.isPaused && retryState === RetryState.RETRY_STATE_TIMEOUT)) return;
    this.end(failedForGood(this.scheduled, this.withLastHeartbeat(cause), retryState));
  }

  /** The server reports the last heartbeat only with a timeout. */
  private withLastHeartbeat(cause: Failure): Failure {
    const { timeoutFailureInfo } = cause;
    if (!timeoutFailureInfo || this.heartbeatDetails === undefined) return cause;
    const lastHeartbeatDetails = { payloads: [defaultPayloadConverter.toPayload(this.heartbeatDetails)] };
    return { ...cause, timeoutFailureInfo: { ...timeoutFailureInfo, lastHeartbeatDetails } };
  }

  /** Ms to the next attempt; undefined if there is none. */
  private nextIn({ applicationFailureInfo, timeoutFailureInfo }: Failure): number | undefined {
    const policy = this.scheduled.retryPolicy ?? {};
    const type = timeoutFailureInfo ? 'TemporalTimeout:StartToClose' : applicationFailureInfo?.type;
    if (applicationFailureInfo?.nonRetryable || policy.nonRetryableErrorTypes?.includes(type ?? '')) return undefined;
    if (policy.maximumAttempts && this.attempt >= policy.maximumAttempts) return undefined;
    const first = optionalTsToMs(policy.initialInterval) ?? 1_000;
    const most = optionalTsToMs(policy.maximumInterval) ?? 100 * first;
    const grown = first * (policy.backoffCoefficient || 2) ** (this.attempt - 1);
    return optionalTsToMs(applicationFailureInfo?.nextRetryDelay) ?? Math.min(grown, most);
  }

  private end(resolution: Resolution): void {
    this.over = true;
    this.resolved(resolution);
  }
}

interface Attempt {
  attempt: number;
  /** When the activity was scheduled, and when this attempt was; ms since the epoch. */
  since: number;
  scheduled: number;
  /** When it runs. */
  now: number;
  heartbeatDetails?: unknown;
  heartbeat?: (details: unknown) => void;
}

export async function runActivityCode(
  { activityType, activityId, workflowId, runId, workflowType, arguments: payloads }: ScheduledActivity,
  { client, functions }: Activities,
  { attempt, since, scheduled, now, heartbeatDetails, heartbeat = () => undefined }: Attempt,
): Promise<{ result: api.api.common.v1.IPayload } | { failure: Failure }> {
  const environment = new MockActivityEnvironment(
    {
      attempt,
      heartbeatDetails,
      activityType: activityType ?? '',
      activityId: activityId ?? '',
      workflowType,
      workflowExecution: { workflowId, runId },
      scheduledTimestampMs: since,
      currentAttemptScheduledTimestampMs: scheduled,
    },
    { logger: new DefaultLogger('ERROR', () => undefined), client },
  );
  environment.on('heartbeat', heartbeat);
  try {
    const activity = functions[activityType ?? ''];
    if (typeof activity !== 'function') {
      const message = `Activity function ${activityType} is not registered on this Worker`;
      throw ApplicationFailure.create({ type: 'NotFoundError', message });
    }
    const args = (payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
    const value: unknown = await atSimulatedTime(now, () =>
      environment.run(async () => activity.apply(functions, args)),
    );
    return { result: defaultPayloadConverter.toPayload(value) };
  } catch (error) {
    return {
      failure: defaultFailureConverter.errorToFailure(ensureApplicationFailure(error), defaultPayloadConverter),
    };
  }
}

const WHAT_TIMED_OUT = new Map([
  [TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE, 'StartToClose'],
  [TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START, 'ScheduleToStart'],
  [TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, 'ScheduleToClose'],
]);

function timedOut(timeoutType: api.api.enums.v1.TimeoutType): Failure {
  return { message: `activity ${WHAT_TIMED_OUT.get(timeoutType)} timeout`, timeoutFailureInfo: { timeoutType } };
}

export function failedForGood(
  { activityType, activityId }: ScheduledActivity,
  cause: Failure,
  retryState = RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE,
): Resolution {
  const activityFailureInfo = {
    activityType: { name: activityType ?? '' },
    activityId: activityId ?? '',
    retryState,
  };
  return { failed: { failure: { message: 'Activity task failed', cause, activityFailureInfo } } };
}

export function cancelled({ activityType, activityId }: ScheduledActivity): Resolution {
  const activityFailureInfo = { activityType: { name: activityType ?? '' }, activityId: activityId ?? '' };
  const failure = {
    message: 'Activity cancelled',
    activityFailureInfo,
    cause: { message: 'Cancelled', canceledFailureInfo: {} },
  };
  return { cancelled: { failure } };
}
