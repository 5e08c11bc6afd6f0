/**
 * The trade's statuses that our ledger explains: where it shows another refund status, a refund is not ours, or came back.
 * Pure.
 */
import type { RefundOutcome } from '../../contract';
import { hasGivenBack, mayComeFrom } from './refund/interpret';

export class ExplainedStatuses {
  /** The latest first. After a refund that paid nothing, also the one from before it: the trade returns there. */
  constructor(private statuses: readonly string[] = []) {}

  get all(): readonly string[] {
    return this.statuses;
  }

  has(status: string): boolean {
    return this.statuses.includes(status);
  }

  /** Whether the latest says that money went back. */
  get isOfMoney(): boolean {
    return hasGivenBack(this.statuses[0] ?? null);
  }

  /** The trade has it, and nothing is unexplained. */
  arriveAt(status: string | null): void {
    if (status !== null && status !== this.statuses[0]) this.statuses = [status];
  }

  /** A refund of ours has ended so, and may have brought the trade there. */
  addEnd(status: string, outcome: RefundOutcome | null): void {
    if (!mayComeFrom(status, outcome)) return;
    const before = outcome === 'REFUNDED' ? [] : this.statuses.filter((one) => one !== status).slice(0, 1);
    this.statuses = [status, ...before];
  }
}
