/** Why an order needs a person, and which of the reasons is shown. Pure. */
import { type Attention, isSilence, SILENCES } from '../../contract';

/** Reasons that an answer of the gateway about the trade settles. */
export const ANSWERED: readonly Attention[] = [...SILENCES, 'unknown-outcome', 'unknown-trade'];

/** Reasons that may go away without a person. They are shown only if there is no other reason. */
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

/** The reason that people see: one that waits for a decision about money, else the first that only a person settles, else the first. */
export function shownAttention(reasons: readonly Attention[]): Attention | null {
  const ofMoney = (['amount-mismatch', 'late-payment'] as const).find((one) => reasons.includes(one));
  return ofMoney ?? reasons.find((one) => !MAY_PASS.includes(one)) ?? reasons[0] ?? null;
}

interface WithReasons {
  readonly reasons: readonly Attention[];
}

/** Adds the reason. Only the latest reason of a missing answer is kept. "No such order" is an answer. */
export function raised<Known extends WithReasons>(known: Known, reason: Attention): Known {
  const isKnown = known.reasons.includes(reason);
  const endsSilence = reason === 'unknown-trade' || (isSilence(reason) && !isKnown);
  const { reasons } = endsSilence ? withoutSilence(known) : known;
  return { ...known, reasons: isKnown ? reasons : [...reasons, reason] };
}

/** Removes these reasons. */
export const withoutReasons = <Known extends WithReasons>(known: Known, settled: readonly Attention[]): Known => ({
  ...known,
  reasons: known.reasons.filter((one) => !settled.includes(one)),
});

export const withoutSilence = <Known extends WithReasons>(known: Known): Known => withoutReasons(known, SILENCES);
