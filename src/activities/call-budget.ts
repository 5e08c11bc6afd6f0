/**
 * The calls that an app may make: a token bucket, which holds one second's calls. The less urgent a call is, the more of
 * the bucket it leaves to others: so urgent calls never wait behind a backlog, however long it is, and the backlog has all
 * that they leave.
 */
import type { Urgency } from './urgency';

/** The part of the bucket that calls of each urgency may use. */
const SHARE: Readonly<Record<Urgency, number>> = {
  awaited: 1,
  late: 0.8,
  overdue: 0.7,
  background: 0.6,
};

export class CallBudget {
  private tokens: number;
  private filledAt = Date.now();

  constructor(private readonly calls_per_second: number) {
    this.tokens = calls_per_second;
  }

  /** Takes one call and returns 0; or takes none, and returns after how many ms there may be one. */
  take(urgency: Urgency): number {
    const now = Date.now();
    const perMs = this.calls_per_second / 1_000;
    // A clock that is set back fills nothing.
    this.tokens = Math.min(this.calls_per_second, this.tokens + Math.max(0, now - this.filledAt) * perMs);
    this.filledAt = now;
    // A bucket of one call is for everybody.
    const needed = 1 + (1 - SHARE[urgency]) * (this.calls_per_second - 1);
    if (this.tokens < needed) return Math.ceil((needed - this.tokens) / perMs);
    this.tokens -= 1;
    return 0;
  }
}
