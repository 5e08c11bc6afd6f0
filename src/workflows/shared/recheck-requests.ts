/**
 * Requests to query the gateway now, and the limit on updates that anybody may repeat. A request is answered by a query that
 * began after the request.
 */
import { condition } from '@temporalio/workflow';
import { FAILURE, typedFailure } from '../../contract';

/**
 * Temporal takes 2,000 updates in a run. This many may be updates that anybody may repeat, so that a person's updates find room. An
 * update that its validator refuses does not count.
 */
const MAX_UPDATES = 1_500;

/**
 * Temporal takes ten updates at once. A gateway that is down may leave rechecks open, and a person's `resolve` must find
 * room.
 */
const MAX_OPEN = 5;

export class RecheckRequests {
  private updates = 0;
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
    const isAnswered = this.request();
    await this.whileOpen(() => condition(() => isAnswered() || isOver()));
  }

  /** Counts a caller who waits for the gateway, as long as that takes. */
  async whileOpen<T>(wait: () => Promise<T>): Promise<T> {
    this.noteUpdate();
    this.open += 1;
    try {
      return await wait();
    } finally {
      this.open -= 1;
    }
  }

  /** An update that anybody may repeat has come, such as a recheck. */
  noteUpdate(): void {
    this.updates += 1;
  }

  /** Whether only a person's updates find room. */
  get isFull(): boolean {
    return this.updates >= MAX_UPDATES;
  }

  /** For a recheck. Throws `PaymentPending` if {@link MAX_OPEN} others wait for the same look, and as {@link assertRoom} does. */
  assertRoomToWait(): void {
    if (this.open >= MAX_OPEN) {
      const message = `${MAX_OPEN} callers wait for the gateway’s next answer already: ask again.`;
      throw typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
    }
    this.assertRoom();
  }

  /** Throws `PaymentPending` if the room that is left has to stay for a person's updates. */
  assertRoom(): void {
    if (!this.isFull) return;
    const message = `This workflow has taken ${MAX_UPDATES} calls and takes no more, so that a person’s decision finds room. This call has changed nothing, and everything goes on: read the query “state”.`;
    throw typedFailure(FAILURE.pending, message, { outcome: 'unknown' });
  }

  /** Whether a request waits for its query. */
  get isRequested(): boolean {
    return this.answered < this.requested;
  }

  /** Call it when a query begins. The function that it returns answers all requests made before. */
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
