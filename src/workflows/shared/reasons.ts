/** Why a workflow needs a person. Reasons may come together: each stays until something settles it. Pure. */
export class Reasons<Reason extends string> {
  /** In the order in which they came. */
  protected reasons: readonly Reason[];

  constructor(reasons: readonly Reason[] = []) {
    this.reasons = [...reasons];
  }

  get all(): readonly Reason[] {
    return this.reasons;
  }

  has(reason: Reason): boolean {
    return this.reasons.includes(reason);
  }

  raise(reason: Reason): void {
    if (!this.has(reason)) this.reasons = [...this.reasons, reason];
  }

  /** It holds no longer. */
  settle(reason: Reason | null): void {
    this.reasons = this.reasons.filter((one) => one !== reason);
  }
}
