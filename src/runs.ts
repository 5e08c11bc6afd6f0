/** What a run of a payment was started with, and what became of it: read from its history, so that no worker is needed. */
import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { PaymentInput, PaymentState, PaymentWorkflow, PreviousRun } from './workflows/contract';
import { orderOf } from './workflows/requests';

/** gRPC's status code. */
const NOT_FOUND = 5;

/** Throws WorkflowNotFoundError where the run, or its history, is gone. Without `runId`: the latest run. */
export async function startOf(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: PaymentInput }> {
  const { namespace, loadedDataConverter } = client.options;
  const request = { namespace, execution: { workflowId, runId: runId ?? '' }, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request).catch((error: unknown) => {
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
    throw new WorkflowNotFoundError('Temporal does not have this workflow (any more)', workflowId, runId);
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new WorkflowNotFoundError('the workflow has no history', workflowId, runId);
  const context = { type: 'workflow', namespace, workflowId } as const;
  const [input] = await decodeArrayFromPayloads(loadedDataConverter, started.input?.payloads, context);
  return { runId: started.originalExecutionRunId ?? runId ?? '', input: asInput(input) };
}

/**
 * The run that created the order: later runs only took on news of it, and each names the run before it. Where Temporal
 * has forgotten that one, the earliest that it has: it was told the order.
 */
export async function originalRun(client: Client, workflowId: string): Promise<{ runId: string; input: PaymentInput }> {
  let earliest = await startOf(client, workflowId);
  for (;;) {
    const previous = earliest.input.kind === 'adopt' ? earliest.input.previous?.run_id : undefined;
    if (previous === undefined) return earliest;
    try {
      earliest = await startOf(client, workflowId, previous);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return earliest;
      throw error;
    }
  }
}

/** What the next run of a payment has to know of one that has ended. */
export async function endedRun(client: Client, workflowId: string, runId: string): Promise<PreviousRun> {
  const [{ input }, state] = await Promise.all([
    startOf(client, workflowId, runId),
    // A run that failed or was terminated has no state to go by: there may be no order of ours at all.
    client.workflow.result<PaymentWorkflow>(workflowId, runId).catch((): PaymentState | undefined => undefined),
  ]);
  const before = input.kind === 'adopt' ? input.previous : undefined;
  return {
    run_id: runId,
    outcome: state?.outcome ?? null,
    order: orderOf(input),
    payment_data: before?.payment_data ?? state?.payment_data ?? null,
  };
}

/** A history that is ours holds our own input; a stranger's under our id is told apart by its kind. */
function asInput(value: unknown): PaymentInput {
  if (isInput(value)) return value;
  throw new TypeError('A workflow that is no payment runs under a payment’s id.');
}

function isInput(value: unknown): value is PaymentInput {
  return typeof value === 'object' && value !== null && 'kind' in value && 'app_id' in value;
}
