/** What a run of a payment was started with, and what became of it: read from its history, so that no worker is needed. */
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { PaymentInput, PaymentState, PaymentWorkflow, PreviousRun } from './workflows/contract';
import { orderOf } from './workflows/requests';

/** Throws WorkflowNotFoundError where the run, or its history, is gone. Without `runId`: the latest run. */
export async function startOf(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<{ runId: string; input: PaymentInput }> {
  const { namespace, loadedDataConverter } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace,
    execution: { workflowId, runId: runId ?? '' },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) throw new WorkflowNotFoundError('the workflow has no history', workflowId, runId);
  const context = { type: 'workflow', namespace, workflowId } as const;
  const [input] = await decodeArrayFromPayloads(loadedDataConverter, started.input?.payloads, context);
  return { runId: started.originalExecutionRunId ?? runId ?? '', input: asInput(input) };
}

/** The run that created the order: later runs only took on news of it, and each names the run before it. */
export async function originalRun(client: Client, workflowId: string): Promise<{ runId: string; input: PaymentInput }> {
  let runId: string | undefined;
  for (;;) {
    const started = await startOf(client, workflowId, runId);
    const previous = started.input.kind === 'adopt' ? started.input.previous?.run_id : undefined;
    if (previous === undefined) return started;
    runId = previous;
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
