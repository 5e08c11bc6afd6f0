/** An activity as Temporal runs it: attempt after attempt by its retry policy, any of which a worker's death may swallow. */
import type { Client } from '@temporalio/client';
import { defaultFailureConverter, defaultPayloadConverter, ensureApplicationFailure } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import type { coresdk } from '@temporalio/proto';
import { temporal } from '@temporalio/proto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { Agenda } from './agenda';

/** A worker's activities, and the client that they have. */
export interface Activities {
  readonly client: Client;
  readonly functions: Readonly<Record<string, unknown>>;
}
type Failure = temporal.api.failure.v1.IFailure;
export type Resolution = coresdk.activity_result.IActivityResolution;
const { RetryState, TimeoutType } = temporal.api.enums.v1;

/** What a workflow asked for: both kinds of activities have these. */
export type Order = Pick<
  coresdk.workflow_commands.IScheduleActivity,
  'activityId' | 'activityType' | 'arguments' | 'startToCloseTimeout' | 'scheduleToCloseTimeout' | 'retryPolicy'
> & { workflowId: string; runId: string; workflowType: string };

export class Attempts {
  private attempt = 0;
  private heartbeatDetails: unknown;
  private over = false;
  /** When it must have ended with all its attempts. */
  private latest = Number.POSITIVE_INFINITY;
  /** What the attempt that runs now would bring, unless its worker dies before. */
  private running: { forget: () => void; began: number } | undefined;

  constructor(
    private readonly order: Order,
    private readonly activities: Activities,
    private readonly agenda: Agenda,
    private readonly resolved: (resolution: Resolution) => void,
  ) {
    const limit = optionalTsToMs(order.scheduleToCloseTimeout) ?? 0;
    if (limit > 0) {
      this.latest = agenda.now + limit;
      agenda.in(limit, () =>
        this.giveUp(timedOut(TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE), RetryState.RETRY_STATE_TIMEOUT),
      );
    }
    this.begin(0);
  }

  /** Whoever asked no longer wants it. What an attempt under way does at the gateway, it does all the same. */
  cancel(): boolean {
    if (this.over) return false;
    this.over = true;
    return true;
  }

  /** The worker dies. What it has sent is sent; what comes back, nobody hears. */
  lose(): void {
    if (this.over || !this.running) return;
    const { forget, began } = this.running;
    forget();
    this.running = undefined;
    const timeout = optionalTsToMs(this.order.startToCloseTimeout) ?? 0;
    this.agenda.in(began + timeout - this.agenda.now, () =>
      this.failed(timedOut(TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE)),
    );
  }

  private begin(after_ms: number): void {
    this.agenda.in(after_ms + this.agenda.delay(), () => {
      if (this.over) return;
      this.attempt += 1;
      const scheduled = this.agenda.now;
      const forget = this.agenda.in(this.agenda.delay(), () => this.run(scheduled));
      this.running = { forget, began: scheduled };
    });
  }

  private async run(scheduled: number): Promise<void> {
    const ended = await execute(this.order, this.activities, {
      attempt: this.attempt,
      scheduled,
      heartbeatDetails: this.heartbeatDetails,
      heartbeat: (details) => {
        this.heartbeatDetails = details;
      },
    });
    const forget = this.agenda.in(this.agenda.delay(), () => {
      this.running = undefined;
      if (this.over) return;
      if ('result' in ended) this.end({ completed: { result: ended.result } });
      else this.failed(ended.failure);
    });
    this.running = { forget, began: scheduled };
  }

  private failed(cause: Failure): void {
    if (this.over) return;
    const again = this.nextIn(cause);
    if (again === undefined) this.giveUp(cause);
    else if (this.agenda.now + again > this.latest) this.giveUp(cause, RetryState.RETRY_STATE_TIMEOUT);
    else this.begin(again);
  }

  private giveUp(cause: Failure, retryState = RetryState.RETRY_STATE_NON_RETRYABLE_FAILURE): void {
    if (this.over) return;
    const { activityType, activityId } = this.order;
    const failure = {
      message: 'Activity task failed',
      cause,
      activityFailureInfo: {
        activityType: { name: activityType ?? '' },
        activityId: activityId ?? '',
        retryState,
      },
    };
    this.end({ failed: { failure } });
  }

  /** Milliseconds to the next attempt; none where there is none. */
  private nextIn({ applicationFailureInfo, timeoutFailureInfo }: Failure): number | undefined {
    const policy = this.order.retryPolicy ?? {};
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
  /** Ms since the epoch. */
  scheduled: number;
  heartbeatDetails?: unknown;
  heartbeat?: (details: unknown) => void;
}

/** Runs an activity's code once. */
export async function execute(
  { activityType, activityId, workflowId, runId, workflowType, arguments: payloads }: Order,
  { client, functions }: Activities,
  { attempt, scheduled, heartbeatDetails, heartbeat = () => undefined }: Attempt,
): Promise<{ result: temporal.api.common.v1.IPayload } | { failure: Failure }> {
  const environment = new MockActivityEnvironment(
    {
      attempt,
      heartbeatDetails,
      activityType: activityType ?? '',
      activityId: activityId ?? '',
      workflowType,
      workflowExecution: { workflowId, runId },
      scheduledTimestampMs: scheduled,
      currentAttemptScheduledTimestampMs: scheduled,
    },
    { logger: new DefaultLogger('ERROR', () => undefined), client },
  );
  environment.on('heartbeat', heartbeat);
  try {
    const activity = functions[activityType ?? ''];
    if (typeof activity !== 'function') throw new Error(`No activity ${activityType}`);
    const args = (payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
    const value: unknown = await environment.run(async () => activity.apply(functions, args));
    return { result: defaultPayloadConverter.toPayload(value) };
  } catch (error) {
    return {
      failure: defaultFailureConverter.errorToFailure(ensureApplicationFailure(error), defaultPayloadConverter),
    };
  }
}

function timedOut(timeoutType: temporal.api.enums.v1.TimeoutType): Failure {
  const what = timeoutType === TimeoutType.TIMEOUT_TYPE_START_TO_CLOSE ? 'StartToClose' : 'ScheduleToClose';
  return { message: `activity ${what} timeout`, timeoutFailureInfo: { timeoutType } };
}

/** What a workflow hears of an activity that it has cancelled. */
export function cancelled({ activityType, activityId }: Order): Resolution {
  const activityFailureInfo = { activityType: { name: activityType ?? '' }, activityId: activityId ?? '' };
  const failure = {
    message: 'Activity cancelled',
    activityFailureInfo,
    cause: { message: 'Cancelled', canceledFailureInfo: {} },
  };
  return { cancelled: { failure } };
}
