/** CLABE, the account number of Mexican banks: bank (3 digits), town (3), account (11) and a check digit. */

const CLABE_WEIGHTS = [3, 7, 1];

/**
 * Whether `number` is 18 digits and the last one is the right check digit. Libraries are not used here: they also check the
 * bank code, against lists that are years old.
 */
export function isClabe(number: string): boolean {
  if (!/^\d{18}$/.test(number)) return false;
  const sum = [...number.slice(0, 17)].reduce(
    (total, digit, i) => total + Number(digit) * (CLABE_WEIGHTS[i % 3] ?? 0),
    0,
  );
  return (10 - (sum % 10)) % 10 === Number(number.slice(-1));
}
