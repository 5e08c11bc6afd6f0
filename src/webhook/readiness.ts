import type { Client } from '@temporalio/client';

/** How long Temporal may take to answer, in ms. */
const TIMEOUT_MS = 3_000;
/** How long one answer counts, in ms. */
const CACHE_MS = 1_000;

/** Whether Temporal can be reached. It is asked at most once a second, so that nobody can flood it through `/readyz`. */
export class TemporalReadiness {
  private last: { at: number; ready: Promise<boolean> } | undefined;

  constructor(private readonly client: Client) {}

  isReady(): Promise<boolean> {
    if (this.last === undefined || Date.now() - this.last.at >= CACHE_MS) {
      this.last = { at: Date.now(), ready: ask(this.client) };
    }
    return this.last.ready;
  }

  /** Resolves once no question is in progress. */
  async settled(): Promise<void> {
    await this.last?.ready;
  }
}

async function ask(client: Client): Promise<boolean> {
  try {
    const { namespace } = client.options;
    await client.withDeadline(Date.now() + TIMEOUT_MS, () => client.workflowService.describeNamespace({ namespace }));
    return true;
  } catch {
    return false;
  }
}
