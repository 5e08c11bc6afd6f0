/**
 * JSON whose numbers keep their digits. `JSON.parse` turns 99999999999999.99 into ….98 and 1.00 into 1; here a number that
 * a double would change stays the text that was sent.
 */
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Reads JSON text into plain values. A number becomes a JavaScript number where that keeps every digit, else a string
 * with the digits as sent. Throws a SyntaxError for what is not JSON, and for an object that names a key twice with
 * different values.
 */
export function parseExact(text: string): unknown {
  return parse(text, undefined, (digits) => (String(Number(digits)) === digits ? Number(digits) : digits));
}

/** Reads UTF-8 bytes as JSON. Throws a TypeError for bytes that are not UTF-8, a SyntaxError for text that is not JSON. */
export function parseExactBytes(bytes: Uint8Array): unknown {
  return parseExact(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Writes JSON text in which the values made by {@link decimalLiteral} are number literals with all their digits. */
export function stringifyExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** A decimal string to be written as a JSON number: "150.00" goes out as 150.00. */
export function decimalLiteral(amount: string): LosslessNumber {
  return new LosslessNumber(amount);
}

export function isDecimalLiteral(value: unknown): value is LosslessNumber {
  return isLosslessNumber(value);
}
