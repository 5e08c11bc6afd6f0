/** Requests to query the gateway now. A request is answered by a query that began after it. */
import { condition } from '@temporalio/workflow';
import { invalidRequest } from './resolution';

/** Temporal takes 2,000 updates in a run, and those of a person must find room. */
const MAX_RECHECKS = 1_500;

export class RecheckRequests {
  private rechecks = 0;
  private requested = 0;
  private answered = 0;

  /** Requests a query. The function that it returns says whether that query has been made. */
  request(): () => boolean {
    const mine = ++this.requested;
    return () => this.answered >= mine;
  }

  /** Requests a query. Resolves when it has been made, or when `isOver` says that none is needed any more. */
  async recheck(isOver: () => boolean): Promise<void> {
    this.rechecks += 1;
    const isAnswered = this.request();
    await condition(() => isAnswered() || isOver());
  }

  /** Throws `InvalidRequest` where the run was rechecked too often. */
  assertRoom(): void {
    if (this.rechecks < MAX_RECHECKS) return;
    const rule = `was asked for ${MAX_RECHECKS} times: read the state by its query`;
    throw invalidRequest([{ field: 'recheck', rule }]);
  }

  /** Whether a request waits for its query. */
  get isRequested(): boolean {
    return this.answered < this.requested;
  }

  /** Runs a query. It answers all requests made before it began. */
  async fulfil(query: () => Promise<void>): Promise<void> {
    const { requested } = this;
    await query();
    this.answered = requested;
  }
}
