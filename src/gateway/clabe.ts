/** A CLABE: bank (3), town (3), account (11) and a check digit. Pure, so workflows may import it. */

const CLABE_WEIGHTS = [3, 7, 1];

/** Whether `number` is 18 digits with the right last one. Not by a library: their lists of banks are years behind. */
export function isClabe(number: string): boolean {
  if (!/^\d{18}$/.test(number)) return false;
  const sum = [...number.slice(0, 17)].reduce(
    (total, digit, i) => total + Number(digit) * (CLABE_WEIGHTS[i % 3] ?? 0),
    0,
  );
  return (10 - (sum % 10)) % 10 === Number(number.slice(-1));
}
