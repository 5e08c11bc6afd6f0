/**
 * JSON whose numbers keep their digits. `JSON.parse` turns 99999999999999.99 into ….98 and 1.00 into 1; here such a number
 * becomes a string with its digits.
 */
import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Reads JSON text into plain values. A number becomes a JavaScript number if that keeps all its digits, else a string.
 * Throws a SyntaxError for text that is not JSON, and for an object with two different values under one key.
 */
export function parseExact(text: string): unknown {
  return parse(text, undefined, (digits) => (String(Number(digits)) === digits ? Number(digits) : digits));
}

/** Reads UTF-8 bytes as JSON. Throws a TypeError for bytes that are not UTF-8, a SyntaxError for text that is not JSON. */
export function parseExactBytes(bytes: Uint8Array): unknown {
  return parseExact(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}

/** Writes JSON text. Values from {@link decimalLiteral} become number literals with all their digits. */
export function stringifyExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** A decimal string that {@link stringifyExact} writes as a JSON number: "150.00" as 150.00. */
export function decimalLiteral(amount: string): LosslessNumber {
  return new LosslessNumber(amount);
}
