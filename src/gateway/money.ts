/**
 * Amounts are decimal strings in currency units ("150.00"), never floats: 99999999999999.99, the interface's own
 * maximum, does not fit a double. Pure, so workflows may import it.
 */
import Big from 'big.js';

export const MIN_AMOUNT = '0.01';
export const MAX_AMOUNT = '99999999999999.99';

/** What an installment query can ask about at most (sections 4.6 and 8). */
export const MAX_INSTALLMENT_AMOUNT = '99999999.99';

/** Why `text` cannot be an amount of the interface (sections 4.1, 4.3, 4.6 and 8), or undefined where it can. */
export function amountProblem(text: string, max = MAX_AMOUNT): string | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return 'must be a decimal such as "150.00"';
  const amount = new Big(text);
  if (amount.lte(0)) return `at least ${MIN_AMOUNT}`;
  if (amount.gt(max)) return `at most ${max}`;
  return /\.\d{3}/.test(text) ? 'two decimals at most' : undefined;
}

/** Whether two decimal strings are the same amount: "12.1" is "12.10". False where either is not a decimal. */
export function sameAmount(a: string, b: string): boolean {
  try {
    return new Big(a).eq(b);
  } catch {
    return false;
  }
}
