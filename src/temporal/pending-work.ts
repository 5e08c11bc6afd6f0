/** What an open workflow waits for: its pending activities, with the last answer and the time of the next attempt. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { optionalTsToMs, type Timestamp } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { activityWords } from '../contract';
import { innermost } from './timeline';

export interface PendingWork {
  /** What the activity is for, or its name. */
  what: string;
  activity: string;
  activity_id: string;
  attempt: number;
  /** The failure of the latest attempt; null before any attempt has failed. */
  last_answer: string | null;
  /** ISO 8601, UTC. */
  last_at: string | null;
  next_at: string | null;
  /** Whether an attempt waits for a worker, or runs, or for its time; or whether somebody has paused it, or it fails each time. */
  state: 'waits for a worker' | 'runs' | 'waits for its time' | 'is paused' | 'fails each time';
}

const { PendingActivityState } = temporal.api.enums.v1;

/** The pending activities of an open workflow. A first task that no worker has taken counts as one, and so does a task that fails repeatedly. */
export async function pendingWork(client: Client, described: WorkflowExecutionDescription): Promise<PendingWork[]> {
  const { pendingActivities, pendingWorkflowTask, workflowExecutionInfo } = described.raw;
  const isFailing = (pendingWorkflowTask?.attempt ?? 1) > 1;
  const isUntouched = !isFailing && pendingWorkflowTask && Number(workflowExecutionInfo?.historyLength ?? 0) <= 3;
  const work = await Promise.all((pendingActivities ?? []).map((one) => workOf(client, described.workflowId, one)));
  if (isFailing) return [await failingTask(client, described), ...work];
  return isUntouched ? [...work, UNTOUCHED] : work;
}

const UNTOUCHED: PendingWork = {
  what: 'a worker to take it',
  activity: '',
  activity_id: '',
  attempt: 1,
  last_answer: null,
  last_at: null,
  next_at: null,
  state: 'waits for a worker',
};

/** The history has the first failure of a task that fails repeatedly. */
async function failingTask(client: Client, described: WorkflowExecutionDescription): Promise<PendingWork> {
  const { loadedDataConverter: converter, namespace } = client.options;
  const { workflowId, runId, raw } = described;
  const execution = { workflowId, runId };
  const request = { namespace, execution, maximumPageSize: 10 };
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse(request);
  const failed = history?.events?.find((event) => event.workflowTaskFailedEventAttributes);
  const { failure } = failed?.workflowTaskFailedEventAttributes ?? {};
  const context = { type: 'workflow', namespace, workflowId } as const;
  const error = await decodeOptionalFailureToOptionalError(converter, failure, context).catch(() => undefined);
  return {
    ...UNTOUCHED,
    what: 'its own task, which its worker cannot do',
    attempt: raw.pendingWorkflowTask?.attempt ?? 1,
    last_answer: error === undefined ? null : innermost(error),
    last_at: isoOf(failed?.eventTime),
    state: 'fails each time',
  };
}

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

async function workOf(client: Client, workflowId: string, pending: Pending): Promise<PendingWork> {
  const { loadedDataConverter: converter, namespace } = client.options;
  const activityId = pending.activityId ?? '';
  const context = { type: 'activity', namespace, workflowId, activityId, isLocal: false } as const;
  const failure = await decodeOptionalFailureToOptionalError(converter, pending.lastFailure, context);
  const activity = pending.activityType?.name ?? '';
  return {
    what: activityWords(activity),
    activity,
    activity_id: activityId,
    attempt: pending.attempt ?? 1,
    last_answer: failure === undefined ? null : innermost(failure),
    last_at: isoOf(pending.lastAttemptCompleteTime),
    next_at: isoOf(pending.nextAttemptScheduleTime),
    state: pendingState(pending, Date.now()),
  };
}

/** A worker that runs takes an attempt within this time, in ms. */
const TAKEN_WITHIN_MS = 5_000;

/** Only the time of the next attempt shows whether it waits for that time or for a worker. */
export function pendingState({ state, paused, nextAttemptScheduleTime }: Pending, now: number): PendingWork['state'] {
  if (paused) return 'is paused';
  if (state === PendingActivityState.PENDING_ACTIVITY_STATE_STARTED) return 'runs';
  const next = isoOf(nextAttemptScheduleTime);
  return next !== null && now < Date.parse(next) + TAKEN_WITHIN_MS ? 'waits for its time' : 'waits for a worker';
}

function isoOf(time: Timestamp | null | undefined): string | null {
  const ms = optionalTsToMs(time);
  return ms ? new Date(ms).toISOString() : null;
}
