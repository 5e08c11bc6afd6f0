/** Waiting for what a real server shows a moment later. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { LOOK_AGAIN_MS } from './eventually';

/** Looks until what is seen is as wanted, and returns it. The limit of the test ends it if that never comes. */
export async function until<T>(
  look: () => Promise<T>,
  isSo: (seen: T) => boolean,
  again_ms = LOOK_AGAIN_MS,
): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await delay(again_ms);
  }
}

/** Every run of a workflow with its length, the latest first. Waits until the list, which is late, has `atLeast` of them. */
export async function runsOf(client: Client, workflowId: string, atLeast = 1) {
  const runs: { runId: string; status: string; events: number; bytes: number }[] = [];
  while ((await client.workflow.count(`WorkflowId = '${workflowId}'`)).count < atLeast) await delay(LOOK_AGAIN_MS);
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const { status, historyLength, historySize } = await client.workflow.getHandle(workflowId, runId).describe();
    runs.push({ runId, status: status.name, events: historyLength, bytes: historySize ?? 0 });
  }
  return runs;
}

/** A server that is started with this forgets at once what it is told to, without half a minute of making sure that its end is in the lists. */
export const FORGETS_AT_ONCE = ['transfer', 'visibility'].flatMap((queue) => [
  '--dynamic-config-value',
  `history.${queue}ProcessorEnsureCloseBeforeDelete=false`,
]);

/** Makes Temporal forget a run of a closed workflow, by default the last one, as it does at the end of its retention. It may take half a minute. */
export async function forget(client: Client, workflowId: string, runId?: string): Promise<void> {
  const { workflow, workflowService, options } = client;
  const workflowExecution = { workflowId, runId: runId ?? null };
  await workflowService.deleteWorkflowExecution({ namespace: options.namespace, workflowExecution });
  const isKnown = () =>
    workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        },
      );
  await until(isKnown, (known) => !known);
}
