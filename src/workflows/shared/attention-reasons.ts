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

/** What the bank does. */
export const OF_THE_BANK: readonly Attention[] = ['dispute', 'chargeback', 'chargeback-reversed'];

/** The one that people find: what waits for a decision about money, or the first that only a person settles, or the first. */
export function shownAttention(reasons: readonly Attention[]): Attention | null {
  const ofMoney = (['amount-mismatch', 'late-payment'] as const).find((one) => reasons.includes(one));
  return ofMoney ?? reasons.find((one) => !MAY_PASS.includes(one)) ?? reasons[0] ?? null;
}

/** What has reasons to need a person. */
interface WithReasons {
  readonly reasons: readonly Attention[];
}

export const raised = <Known extends WithReasons>(known: Known, reason: Attention): Known => ({
  ...known,
  reasons: withReason(known.reasons, reason),
});

/** These hold no longer. */
export const withoutReasons = <Known extends WithReasons>(known: Known, settled: readonly Attention[]): Known => ({
  ...known,
  reasons: known.reasons.filter((one) => !settled.includes(one)),
});

/** What the gateway does not answer has one reason, the latest. That it denies the trade is an answer. */
export function withReason(reasons: readonly Attention[], reason: Attention): readonly Attention[] {
  if (reasons.includes(reason)) return reason === 'unknown-trade' ? withoutSilence(reasons) : reasons;
  const others = reason === 'unknown-trade' || isSilence(reason) ? withoutSilence(reasons) : reasons;
  return [...others, reason];
}

export const withoutSilence = (reasons: readonly Attention[]): Attention[] => reasons.filter((one) => !isSilence(one));
