/** Lives after a sale on a worker that keeps nothing in memory: each workflow task replays the whole history. */
import { type Stack, startStack } from '../harness/stack';
import { AFTER_SALES, LONG_SOON, SETTINGS } from '../histories/lives';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    worker: { maxCachedWorkflows: 0 },
    temporal: LONG_SOON,
    env: { ...SETTINGS, PAYMENTS_POLL_SCHEDULE: '500ms', PAYMENTS_POLL_EVERY: '500ms', PAYMENTS_SETTLING: '1s' },
  });
});
afterAll(() => stack?.close());

test.each(Object.entries(AFTER_SALES))('%s', async (_name, live) => {
  for (const one of [await live(stack)].flat()) {
    const { workflowId, runId } = typeof one === 'string' ? { workflowId: one, runId: undefined } : one;
    const handle = stack.client.workflow.getHandle(workflowId, runId);
    const failed = ((await handle.fetchHistory()).events ?? [])
      .flatMap(({ workflowTaskFailedEventAttributes: task }) => task?.failure ?? [])
      // The server's own: a signal came while the workflow was ending.
      .filter(({ message }) => message !== 'UnhandledCommand');
    // What replays otherwise than it ran fails its task, and is tried again for ever.
    expect(failed).toEqual([]);
    expect((await handle.describe()).status.name).toBe('COMPLETED');
  }
});
