/** Why an order needs a person, and which of the reasons is shown. Pure. */
import { type Attention, isSilence, SILENCES } from '../../contract';

/** Reasons that an answer of the gateway about the trade settles. */
export const ANSWERED: readonly Attention[] = [...SILENCES, 'unknown-outcome', 'unknown-trade'];

/** Reasons that may go without a person. They are shown where there is no other. */
export const MAY_PASS: readonly Attention[] = [...ANSWERED, 'unconfirmed-notification', 'never-ended'];

/** Reasons under which a person decides about what was notified, in the gateway's place. */
export const ABOUT_MONEY: readonly Attention[] = [
  'amount-mismatch',
  'unconfirmed-notification',
  'unknown-trade',
  ...SILENCES,
];

/** The one that people find: what a payment waits for, or the first that only a person settles, or the first. */
export function shownAttention(reasons: readonly Attention[]): Attention | null {
  if (reasons.includes('amount-mismatch')) return 'amount-mismatch';
  return reasons.find((one) => !MAY_PASS.includes(one)) ?? reasons[0] ?? null;
}

/** What the gateway does not answer has one reason, the latest. That it denies the trade is an answer. */
export function withReason(reasons: readonly Attention[], reason: Attention): readonly Attention[] {
  if (reasons.includes(reason)) return reason === 'unknown-trade' ? withoutSilence(reasons) : reasons;
  const others = reason === 'unknown-trade' || isSilence(reason) ? withoutSilence(reasons) : reasons;
  return [...others, reason];
}

export const withoutSilence = (reasons: readonly Attention[]): Attention[] => reasons.filter((one) => !isSilence(one));
