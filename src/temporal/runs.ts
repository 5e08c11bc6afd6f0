/** The runs of a workflow id: those before a run, the latest one that a worker had, and how they are asked. */

import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  QueryNotRegisteredError,
  type Workflow,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowResultType,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { QUERY } from '../contract';
import { GRPC_STATUS, grpcCodeOf, isEndedBeforeItBegan, isWithoutWorker } from './call-errors';
import { runsOf } from './list-query';

/** The runs before this one, the latest first. Throws a retryable failure while the list of workflows is behind. */
export async function earlierRuns(client: Client, workflowId: string, runId: string): Promise<WorkflowExecutionInfo[]> {
  const runs = await allRuns(client, workflowId, runId);
  const own = runs.find((run) => run.runId === runId);
  return own ? runs.filter((run) => isBefore(run, own)) : [];
}

/** All runs, the latest first. Throws a retryable failure while the list of workflows does not have the run that is named. */
export async function allRuns(client: Client, workflowId: string, runId: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = [];
  for await (const run of client.workflow.list({ query: runsOf(workflowId) }))
    if (run.workflowId === workflowId) runs.push(run);
  // The list lags behind. Once it holds this run, it holds the earlier ones too.
  if (!runs.some((run) => run.runId === runId)) {
    throw ApplicationFailure.retryable('This run is not in the list of workflows yet; runs before it may be missing.');
  }
  return runs.sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
}

/**
 * The list has later runs, too, if the activity that asks outlives its run. Of two runs of the same millisecond, the one that still runs is
 * the later.
 */
function isBefore(run: WorkflowExecutionInfo, own: WorkflowExecutionInfo): boolean {
  const later_ms = run.startTime.getTime() - own.startTime.getTime();
  return run.runId !== own.runId && (later_ms < 0 || (later_ms === 0 && run.status.name !== 'RUNNING'));
}

/** What `read` returns, or `otherwise` if Temporal does not have the workflow (any more). Throws every other error. */
export async function ifExists<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise;
    // The run is not of a workflow of ours.
    if (error instanceof QueryNotRegisteredError) return otherwise;
    if (isEndedBeforeItBegan(error)) return otherwise;
    throw error;
  }
}

/** Like {@link ifExists}, and `otherwise` for a run that no worker can answer for: for callers that are as safe without its answer. */
export async function ifAnswered<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ifExists(read, otherwise);
  } catch (error) {
    if (isWithoutWorker(error)) return otherwise;
    throw error;
  }
}

// — Runs that ended before any worker had them know nothing: readers skip them —

/** Statuses of runs that their workflow code has perhaps not ended, nor even begun. */
const CUT_OFF: readonly string[] = ['TERMINATED', 'TIMED_OUT', 'CANCELED'];

/** The list of workflows is a moment behind. The gap between two looks, in ms, and how many there are. */
const LISTED_AFTER_MS = 200;
const LISTED_WITHIN_TRIES = 10;

/** Events of a page. The first task of a run is among its first events, unless it has many signals before it. */
const PAGE_SIZE = 100;

/** One run, as a list or its description shows it. */
export type ShownRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>;

/**
 * The latest run under the id that a worker has had, or the latest of all if there is none. Throws WorkflowNotFoundError, and a
 * retryable failure while the list of workflows is behind.
 */
export async function latestTakenRun(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  return takenRunUpTo(client, await client.workflow.getHandle(workflowId).describe());
}

/** The same for callers that have described the latest run already. */
export async function takenRunUpTo(
  client: Client,
  latest: WorkflowExecutionDescription,
): Promise<WorkflowExecutionDescription> {
  if (await wasTaken(client, latest)) return latest;
  for (const { runId } of await runsBefore(client, latest)) {
    // The list shows an end later than a start, so the run is read again.
    const run = await ifExists(() => client.workflow.getHandle(latest.workflowId, runId).describe(), null);
    if (run && (await wasTaken(client, run))) return run;
  }
  return latest;
}

/** The runs before this one, the latest first. Waits until the list has this run, which may just have been started. */
export async function runsBefore(client: Client, { workflowId, runId }: ShownRun): Promise<WorkflowExecutionInfo[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await earlierRuns(client, workflowId, runId);
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || tries === LISTED_WITHIN_TRIES) throw error;
      await setTimeout(LISTED_AFTER_MS);
    }
  }
}

/**
 * The state of a run. A completed run has returned its state, so no worker is needed: the version that it was pinned to may have been
 * stopped long ago. Any other run is queried. Throws as a query does.
 */
export function stateOfRun<State>(
  client: Client,
  { workflowId, runId, status }: { workflowId: string; runId: string; status: { name: string } },
): Promise<State> {
  const run = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  return status.name === 'COMPLETED' ? run.result() : run.query<State>(QUERY.state);
}

/** In ms: an activity that asks has 30 seconds or more for all that it reads. */
const CARRIED_WITHIN_MS = 10_000;

/** What a run would hand on to the next. Throws as a query does. */
export function carriedIn<Carried>(
  client: Client,
  { workflowId, runId }: Pick<ShownRun, 'workflowId' | 'runId'>,
): Promise<Carried> {
  const handle = client.workflow.getHandle(workflowId, runId);
  return client.withDeadline(Date.now() + CARRIED_WITHIN_MS, () => handle.query<Carried>(QUERY.carried));
}

/** The state of the latest run that a worker has had. Throws as a query does. */
export async function latestState<State>(client: Client, workflowId: string): Promise<State> {
  const latest = await client.workflow.getHandle(workflowId).describe();
  try {
    return await stateOfRun<State>(client, latest);
  } catch (error) {
    if (!isEndedBeforeItBegan(error)) throw error;
    return stateOfRun<State>(client, await takenRunUpTo(client, latest));
  }
}

/** Waits for the end of the latest run. Returns its result, or that of the run before if no worker ever had it. Throws WorkflowFailedError. */
export async function resultOf<W extends Workflow>(client: Client, workflowId: string): Promise<WorkflowResultType<W>> {
  try {
    return await client.workflow.result<W>(workflowId);
  } catch (error) {
    if (!isEndedFromOutside(error)) throw error;
    const { runId } = await latestTakenRun(client, workflowId);
    return client.workflow.result<W>(workflowId, runId);
  }
}

/** Whether a run has no result because somebody, or the server, has ended it. */
export function isEndedFromOutside(error: unknown): boolean {
  const { cause } = error instanceof WorkflowFailedError ? error : {};
  return cause instanceof TerminatedFailure || cause instanceof CancelledFailure || cause instanceof TimeoutFailure;
}

/** Whether a worker has had the run, may still get it, or may have had it if its history is gone. */
async function wasTaken(client: Client, { workflowId, runId, status }: ShownRun): Promise<boolean> {
  if (!CUT_OFF.includes(status.name)) return true;
  const execution = { workflowId, runId };
  const request = { namespace: client.options.namespace, execution, maximumPageSize: PAGE_SIZE };
  for (let nextPageToken: Uint8Array | undefined; ; ) {
    const paged = nextPageToken ? { ...request, nextPageToken } : request;
    const read = await client.workflowService.getWorkflowExecutionHistory(paged).catch((error: unknown) => {
      if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
    });
    if (!read) return true;
    const { history, nextPageToken: next } = read;
    if (history?.events?.some((event) => event.workflowTaskCompletedEventAttributes)) return true;
    if (!next?.length) return false;
    nextPageToken = next;
  }
}
