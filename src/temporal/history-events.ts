/** The events of a run's history. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { GRPC_STATUS, grpcCodeOf } from './grpc-status';

/** Throws WorkflowNotFoundError where Temporal does not have the run (any more). */
export async function historyEvents(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<readonly temporal.api.history.v1.IHistoryEvent[]> {
  const handle = client.workflow.getHandle(workflowId, runId);
  const { events } = await handle.fetchHistory().catch(orForgotten(workflowId, runId));
  return events ?? [];
}

/** The SDK's client tells a history that is gone as it tells an outage: this tells the one as a WorkflowNotFoundError. */
export const orForgotten = (workflowId: string, runId: string | undefined) => (error: unknown) => {
  if (grpcCodeOf(error) !== GRPC_STATUS.NOT_FOUND) throw error;
  throw new WorkflowNotFoundError('Temporal does not have this workflow (any more)', workflowId, runId);
};
