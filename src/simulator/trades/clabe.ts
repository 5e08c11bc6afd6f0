const WEIGHTS = [3, 7, 1] as const;

/** A CLABE of the simulated bank: bank (3 digits), town (3), account (11) and a check digit. */
export function simulatedClabe(town: string, account: number): string {
  const digits = `646${town}${String(account).padStart(11, '0')}`;
  return digits + clabeCheckDigit(digits);
}

/** The check digit of the first 17 digits: weights 3, 7, 1, each product modulo 10. */
export function clabeCheckDigit(digits: string): string {
  const products = [...digits].map((digit, place) => (Number(digit) * (WEIGHTS[place % 3] ?? 0)) % 10);
  return String((10 - (products.reduce((sum, product) => sum + product, 0) % 10)) % 10);
}
