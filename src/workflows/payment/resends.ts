/** When an order that may exist is sent again under its number: the first time at once, then ever later, under attention. */
import { condition } from '@temporalio/workflow';
import { FIRST_BACKOFF_MS, nextBackoff } from '../shared/backoff';
import type { PendingNotifications } from '../shared/pending-notifications';
import type { PaymentContext } from './context';

/** An order that may exist is sent again at most so long after the look that did not find it, in ms. */
export const FRESH_LOOK_MS = 5_000;

export class Resends {
  /** How many there were. */
  count = 0;
  private isRested = false;
  private backoff_ms = FIRST_BACKOFF_MS;

  constructor(
    private readonly context: PaymentContext,
    private readonly pending: PendingNotifications,
  ) {}

  /** Whether the next one has to wait. */
  get needsRest(): boolean {
    return this.count > 0 && !this.isRested;
  }

  /** Waits until the next one is due, or until there is news. */
  async rest(): Promise<void> {
    this.context.raise('unknown-outcome');
    this.context.waitFor('a while, before the order is sent again under the same number');
    const known = this.pending.all.length;
    await condition(() => this.pending.all.length > known || this.pending.isRequested, this.backoff_ms, {
      summary: 'before the order is sent again',
    });
    this.backoff_ms = nextBackoff(this.backoff_ms);
    this.isRested = true;
  }

  /** Call it when one is sent. */
  begin(): void {
    this.count += 1;
    this.isRested = false;
  }
}
