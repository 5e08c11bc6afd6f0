/** Why a payment needs a person, and which of the reasons is shown. Pure. */
import { type Attention, SILENCES } from '../../contract';
import { TradeReasons } from './reasons';

/** Reasons that an answer of the gateway about the trade settles. */
const ANSWERED: readonly Attention[] = [...SILENCES, 'unknown-outcome', 'unknown-trade'];

/** Reasons that may go without a person. They are shown where there is no other. */
export const MAY_PASS: readonly Attention[] = [...ANSWERED, 'unconfirmed-notification', 'never-ended'];

/** Reasons under which a person decides about what was notified. */
const ABOUT_MONEY: readonly Attention[] = ['amount-mismatch', 'unconfirmed-notification', 'unknown-trade', ...SILENCES];

export class AttentionReasons extends TradeReasons {
  /** The one that people find: what the payment waits for, or the first that only a person settles, or the first. */
  get shown(): Attention | null {
    return this.has('amount-mismatch') ? 'amount-mismatch' : (this.lasting[0] ?? this.reasons[0] ?? null);
  }

  /** Those that only a person settles. */
  get lasting(): readonly Attention[] {
    return this.reasons.filter((one) => !MAY_PASS.includes(one));
  }

  /** Those that are not shown. */
  get others(): readonly Attention[] {
    return this.reasons.filter((one) => one !== this.shown);
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
