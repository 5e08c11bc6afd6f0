/** Why a workflow needs a person. Reasons may come together: each stays until something settles it, and one is shown. Pure. */
import type { Attention } from '../../contract';

/** Reasons that an answer of the gateway about the trade settles. */
const ANSWERED: readonly Attention[] = ['no-answer', 'credentials', 'unknown-outcome', 'unknown-trade'];

/** Reasons that may go without a person. They are shown where there is no other. */
const MAY_PASS: readonly Attention[] = [...ANSWERED, 'unconfirmed-notification', 'never-ended'];

/** Reasons under which a person decides about what was notified. */
const ABOUT_MONEY: readonly Attention[] = [
  'amount-mismatch',
  'unconfirmed-notification',
  'unknown-trade',
  'no-answer',
  'credentials',
];

export class AttentionReasons {
  /** In the order in which they came. */
  private reasons: Attention[];

  constructor(reasons: readonly Attention[] = []) {
    this.reasons = [...reasons];
  }

  /** The one that people find: what the payment waits for, or the first that only a person settles, or the first. */
  get shown(): Attention | null {
    return this.has('amount-mismatch') ? 'amount-mismatch' : (this.lasting[0] ?? this.reasons[0] ?? null);
  }

  /** Those that only a person settles. */
  get lasting(): readonly Attention[] {
    return this.reasons.filter((one) => !MAY_PASS.includes(one));
  }

  get all(): readonly Attention[] {
    return this.reasons;
  }

  /** Those that are not shown. */
  get others(): readonly Attention[] {
    return this.reasons.filter((one) => one !== this.shown);
  }

  has(reason: Attention): boolean {
    return this.reasons.includes(reason);
  }

  raise(reason: Attention): void {
    if (!this.has(reason)) this.reasons.push(reason);
  }

  /** It holds no longer. */
  settle(reason: Attention): void {
    this.reasons = this.reasons.filter((one) => one !== reason);
  }

  /** The gateway has answered for the trade. */
  onAnswer(): void {
    for (const reason of ANSWERED) this.settle(reason);
  }

  /** Whether a person is asked about what was notified, in the gateway's place. */
  get areAboutMoney(): boolean {
    return ABOUT_MONEY.some((reason) => this.has(reason));
  }

  /** A person has decided, and has read of all. */
  clear(): void {
    this.reasons = [];
  }
}
