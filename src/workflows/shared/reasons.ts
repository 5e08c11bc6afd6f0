/** Why a workflow needs a person. Reasons may come together: each stays until something settles it. Pure. */
import { type Attention, isSilence, SILENCES } from '../../contract';

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

/** The reasons of what asks the gateway for a trade. */
export class TradeReasons extends Reasons<Attention> {
  /** What the gateway does not answer has one reason, the latest. That it denies the trade is an answer. */
  override raise(reason: Attention): void {
    if (reason === 'unknown-trade' || (isSilence(reason) && !this.has(reason))) this.settleSilence();
    super.raise(reason);
  }

  /** Whether an answer of the gateway is missing. */
  get isUnanswered(): boolean {
    return SILENCES.some((reason) => this.has(reason));
  }

  /** The gateway has answered. */
  settleSilence(): void {
    for (const reason of SILENCES) this.settle(reason);
  }
}
