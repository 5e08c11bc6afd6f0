/** Requests to query the gateway now. A request is answered by a query that began after it. */
import { condition } from '@temporalio/workflow';

export class RecheckRequests {
  private requested = 0;
  private answered = 0;

  /** Requests a query. The function that it returns says whether that query has been made. */
  request(): () => boolean {
    const mine = ++this.requested;
    return () => this.answered >= mine;
  }

  /** Requests a query. Resolves when it has been made, or when `isOver` says that none is needed any more. */
  async recheck(isOver: () => boolean): Promise<void> {
    const isAnswered = this.request();
    await condition(() => isAnswered() || isOver());
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
