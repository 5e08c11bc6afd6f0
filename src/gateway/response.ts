/** What the gateway answers: told apart into success, refusal and unreadable. A success keeps all its fields. */
import { z } from 'zod';
import { parseExactBytes } from './json';
import { amountText } from './pure/money';

/** A response as it came: every field kept, numbers with all their digits. */
export type GatewayResponse = { readonly [field: string]: unknown };

export type ResponseReading =
  | { is: 'success'; answer: GatewayResponse }
  | { is: 'refusal'; code: string; sub_code: string | undefined }
  | { is: 'unreadable'; why: string };

const SUCCESS_CODE = '10000';

/**
 * Reads the bytes of a response. The JSON decides and not the HTTP status: gateways refuse with status 400, and send some
 * successes without `code` and `msg`. Such a response is a success if it has one of the fields that only a success of this
 * operation has: `ownFields` hold text or numbers, `ownParts` lists or objects.
 */
export function readResponse(
  bytes: Uint8Array,
  ownFields: readonly string[],
  ownParts: readonly string[] = [],
): ResponseReading {
  let value: unknown;
  try {
    value = parseExactBytes(bytes);
  } catch {
    return { is: 'unreadable', why: 'the response is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { is: 'unreadable', why: 'the response is not a JSON object' };
  }
  if (isDeeperThan(MAX_DEPTH, value)) return { is: 'unreadable', why: 'the response is nested too deep' };
  const answer: GatewayResponse = { ...value };
  const code = textField(answer, 'code');
  const sub_code = textField(answer, 'sub_code');
  if (code === SUCCESS_CODE || (code === undefined && sub_code === undefined && hasOne(answer, ownFields, ownParts))) {
    return { is: 'success', answer };
  }
  if (code === undefined && sub_code === undefined) {
    return { is: 'unreadable', why: `the response has neither code nor ${[...ownFields, ...ownParts].join(' or ')}` };
  }
  return { is: 'refusal', code: code ?? '', sub_code };
}

/** No answer of the interface has more than three levels. An answer nested thousands deep can be read, but not written again. */
const MAX_DEPTH = 32;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** A field as text. Gateways mix numbers and strings, and send an empty string for an absent field. */
export function textField(fields: object, name: string): string | undefined {
  const value: unknown = Reflect.get(fields, name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A field as an amount: see {@link amountText}. */
export function amountField(response: GatewayResponse, name: string): string | undefined {
  const text = textField(response, name);
  return text === undefined ? undefined : amountText(text);
}

/** The response without `code` and `msg`, and without images: they do not belong in a workflow's history. */
export function withoutEnvelope(response: GatewayResponse): GatewayResponse {
  const { code: _code, msg: _msg, qr_code_img: _image, ...rest } = response;
  return rest;
}

const loose = (read: (text: string) => string) =>
  z
    .union([z.string(), z.number()])
    .transform((value) => (value === '' ? undefined : read(String(value))))
    .optional()
    .catch(undefined);

/** The schema of a field that {@link textField} reads. A value of another type counts as absent. */
export const looseText = loose(String);

/** The same for a field that stays in a ledger: cut to 256 characters. */
export const looseLine = loose((text) => text.slice(0, 256));

/** The schema of a field that {@link amountField} reads. */
export const looseAmount = loose(amountText);

/** The schema of a whole number, which gateways may send as text. */
export const looseInt = z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(Number);

function hasOne(response: GatewayResponse, fields: readonly string[], parts: readonly string[]): boolean {
  return (
    fields.some((name) => textField(response, name) !== undefined) ||
    parts.some((name) => typeof response[name] === 'object' && response[name] !== null)
  );
}
