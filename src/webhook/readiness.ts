import type { Client } from '@temporalio/client';

/** What Temporal may take to say that it is there, and how long its word holds, in ms. */
const PATIENCE_MS = 3_000;
const HOLDS_MS = 1_000;

/** Whether Temporal can be reached. It is asked once a second at most, so that asking us is no way to flood it. */
export function readiness(client: Client): () => Promise<boolean> {
  let known: { at: number; ready: Promise<boolean> } | undefined;
  return () => {
    if (known === undefined || Date.now() - known.at >= HOLDS_MS) known = { at: Date.now(), ready: ask(client) };
    return known.ready;
  };
}

async function ask(client: Client): Promise<boolean> {
  try {
    const { namespace } = client.options;
    await client.withDeadline(Date.now() + PATIENCE_MS, () => client.workflowService.describeNamespace({ namespace }));
    return true;
  } catch {
    return false;
  }
}
