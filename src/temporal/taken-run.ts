/**
 * A run that ended before any worker had it knows nothing: somebody started it by hand, or while no worker ran, and it was
 * terminated or timed out. Readers skip such runs and use the latest run that a worker had.
 */
import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  type Workflow,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  WorkflowFailedError,
  type WorkflowResultType,
} from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { QUERY } from '../contract';
import { earlierRuns, ifExists } from './earlier-runs';
import { GRPC_STATUS, grpcCodeOf, isEndedBeforeItBegan } from './grpc-status';

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
