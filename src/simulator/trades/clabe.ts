const WEIGHTS = [3, 7, 1] as const;

/** A CLABE: bank (3), town (3), account (11) and a check digit. */
export function clabe(bank: string, town: string, account: number): string {
  const digits = bank + town + String(account).padStart(11, '0');
  return digits + clabeCheckDigit(digits);
}

/** Check digit over the first 17 digits: weights 3, 7, 1, each product modulo 10. */
export function clabeCheckDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, place) => total + ((Number(digit) * (WEIGHTS[place % 3] ?? 0)) % 10),
    0,
  );
  return String((10 - (sum % 10)) % 10);
}
