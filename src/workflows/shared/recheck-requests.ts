/** Requests to query the gateway now. A request is answered by a query that began after it. */
import { condition } from '@temporalio/workflow';
import { FAILURE, typedFailure } from '../../contract';
import { invalidRequest } from './resolution';

/** Temporal takes 2,000 updates in a run, and those of a person must find room. */
const MAX_RECHECKS = 1_500;

/** Temporal takes ten updates at once. A gateway that is down may leave rechecks open, and a person's `resolve` must find room. */
const MAX_OPEN = 5;

export class RecheckRequests {
  private rechecks = 0;
  /** How many wait for their answer. */
  private open = 0;
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
    this.open += 1;
    const isAnswered = this.request();
    await condition(() => isAnswered() || isOver()).finally(() => {
      this.open -= 1;
    });
  }

  /** Throws `InvalidRequest` where the run was rechecked too often, and `PaymentPending` where others wait for the same look. */
  assertRoom(): void {
    if (this.open >= MAX_OPEN) {
      const message = `${MAX_OPEN} callers wait for the gateway’s next answer already: ask again.`;
      throw typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
    }
    if (this.rechecks < MAX_RECHECKS) return;
    const rule = `was asked for ${MAX_RECHECKS} times: read the state by its query`;
    throw invalidRequest([{ field: 'recheck', rule }]);
  }

  /** Whether a request waits for its query. */
  get isRequested(): boolean {
    return this.answered < this.requested;
  }

  /** Call it when a query begins. What it returns answers all requests made before. */
  begin(): () => void {
    const { requested } = this;
    return () => {
      this.answered = requested;
    };
  }

  /** Runs a query. It answers all requests made before it began. */
  async fulfil(query: () => Promise<void>): Promise<void> {
    const answer = this.begin();
    await query();
    answer();
  }
}
