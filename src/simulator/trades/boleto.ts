import { DAY_MS } from '../time';

interface BoletoTerms {
  /** The bank's three digits. */
  bank: string;
  /** A decimal text with two decimals. */
  amount: string;
  /** In ms since 1970. */
  due: number;
  /** 25 digits that the bank is free to choose. */
  free: string;
}

// Due dates count days from here. After 9999 (2025-02-21) the count began again at 1000.
const FIRST_DAY = Date.UTC(1997, 9, 7);

/** A boleto with right check digits: the 44 digits of its bars, and the 47 digits that a person can type. */
export function boleto({ bank, amount, due, free }: BoletoTerms): { barcode: string; digitableLine: string } {
  const cents = amount.replace('.', '');
  // The field has ten digits. Zeros mean that the value is not in the code; banks do so for larger ones.
  const value = cents.length > 10 ? '0'.repeat(10) : cents.padStart(10, '0');
  const factorAndValue = dueFactor(due) + value;
  const front = `${bank}9`;
  const check = mod11(front + factorAndValue + free);
  const parts = [front + free.slice(0, 5), free.slice(5, 15), free.slice(15, 25)];
  return {
    barcode: front + check + factorAndValue + free,
    digitableLine: parts.map((part) => part + mod10(part)).join('') + check + factorAndValue,
  };
}

/** The four digits that say when a boleto is due (a time in ms since 1970). */
export function dueFactor(due: number): string {
  const days = Math.floor((due - FIRST_DAY) / DAY_MS);
  const factor = days > 9999 ? ((days - 1000) % 9000) + 1000 : days;
  return String(factor).padStart(4, '0');
}

/** The check digit of a barcode: weights 2 to 9 from the right, 11 less the remainder, 1 instead of 0, 10 and 11. */
export function mod11(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, place) => total + Number(digit) * ((place % 8) + 2), 0);
  const check = 11 - (sum % 11);
  return check >= 10 ? '1' : String(check);
}

/** The check digit of a part of the typed line: weights 2 and 1 from the right; the digits of each product are added. */
export function mod10(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const product = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}
