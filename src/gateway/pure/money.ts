/**
 * Amounts are decimal strings in currency units ("150.00"), never floats: a double cannot hold 99999999999999.99, the
 * interface's maximum.
 */
import Big from 'big.js';

const MIN_AMOUNT = '0.01';
const MAX_AMOUNT = '99999999999999.99';

/** The largest amount of an installment query (sections 4.6 and 8). */
export const MAX_INSTALLMENT_AMOUNT = '99999999.99';

/** Why `text` is not a valid amount (sections 4.1, 4.3, 4.6 and 8); undefined if it is valid. */
export function amountProblem(text: string, max = MAX_AMOUNT): string | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return 'must be a decimal such as "150.00"';
  const amount = new Big(text);
  if (amount.lte(0)) return `at least ${MIN_AMOUNT}`;
  if (amount.gt(max)) return `at most ${max}`;
  return /\.\d{3}/.test(text) ? 'two decimals at most' : undefined;
}

const AMOUNT = /^(?=.*[1-9])\d{1,14}(\.\d{1,16})?$/;
const WITH_EXPONENT = /^\d{1,20}(\.\d{1,20})?e[+-]?\d{1,2}$/i;
/** Longer than any amount: a text that is cut here is not an amount. */
const SHOWN_CHARACTERS = 64;

/** Whether `text` is money that can be counted: a decimal above zero, such as "150.00", but not "1.500,00" or an impossibly large one. */
export const isMoney = (text: unknown): text is string => typeof text === 'string' && AMOUNT.test(text);

/**
 * The gateway's text for an amount, with an exponent written out (Java writes 150 as `1.5E+2`). Text that is no {@link isMoney amount} stays
 * as it is, for a person to see.
 */
export const amountText = (written: string): string =>
  WITH_EXPONENT.test(written) ? new Big(written).toFixed() : written.slice(0, SHOWN_CHARACTERS);

/** Whether two decimal strings are the same amount: "12.1" equals "12.10". False if either is not a decimal. */
export function sameAmount(a: string, b: string): boolean {
  try {
    return new Big(a).eq(b);
  } catch {
    return false;
  }
}

/** The exact sum of decimal strings, written with at least two decimals. Throws if one is not a decimal. */
export function sumOf(amounts: readonly string[]): string {
  const sum = amounts.reduce((total: Big, amount) => total.plus(amount), new Big(0));
  return /\.\d{3}/.test(sum.toFixed()) ? sum.toFixed() : sum.toFixed(2);
}

/** Whether amount `a` is larger than amount `b`. Throws if either is not a decimal. */
export function isMore(a: string, b: string): boolean {
  return new Big(a).gt(b);
}

/** `amount` minus `taken`, exact, written with at least two decimals. Throws if either is not a decimal. */
export function less(amount: string, taken: string): string {
  return sumOf([amount, new Big(taken).neg().toFixed()]);
}
