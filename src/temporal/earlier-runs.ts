/** The runs of a workflow id before this one, and how they are asked. */
import {
  type Client,
  QueryNotRegisteredError,
  type WorkflowExecutionInfo,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isEndedBeforeItBegan, isWithoutWorker } from './grpc-status';
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
