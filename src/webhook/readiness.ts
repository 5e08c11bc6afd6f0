import type { Client } from '@temporalio/client';

/** What Temporal may take to say that it is there, and how long its word holds, in ms. */
const PATIENCE_MS = 3_000;
const HOLDS_MS = 1_000;

/** Whether Temporal can be reached. It is asked once a second at most, so that asking us is no way to flood it. */
export class Readiness {
  private known: { at: number; ready: Promise<boolean> } | undefined;

  constructor(private readonly client: Client) {}

  isReady(): Promise<boolean> {
    if (this.known === undefined || Date.now() - this.known.at >= HOLDS_MS) {
      this.known = { at: Date.now(), ready: ask(this.client) };
    }
    return this.known.ready;
  }

  /** Resolves once it is not being asked, whoever has waited for the answer. */
  async settled(): Promise<void> {
    await this.known?.ready;
  }
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
