/** What the gateway answers: told apart into success, refusal and neither, and kept whole. */
import { z } from 'zod';
import { parseExactBytes } from './json';

/** An answer as it came: every field kept, numbers with all their digits. */
export type Answer = { readonly [field: string]: unknown };

export type AnswerReading =
  | { is: 'success'; answer: Answer }
  | { is: 'refusal'; code: string; sub_code: string | undefined; sub_msg: string | undefined }
  | { is: 'unreadable'; why: string };

export const SUCCESS_CODE = '10000';

/**
 * Reads an answer's bytes. The JSON decides, whatever the HTTP status: gateways refuse with status 400, and answer some
 * successes without `code` and `msg`. `ownFields`, and `ownParts` where they are lists or objects, are what only a success
 * of this operation carries; one of them without any `code` or `sub_code` is a success, too.
 */
export function readAnswer(
  bytes: Uint8Array,
  ownFields: readonly string[],
  ownParts: readonly string[] = [],
): AnswerReading {
  let value: unknown;
  try {
    value = parseExactBytes(bytes);
  } catch {
    return { is: 'unreadable', why: 'the answer is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { is: 'unreadable', why: 'the answer is not a JSON object' };
  }
  const answer: Answer = { ...value };
  const code = field(answer, 'code');
  const sub_code = field(answer, 'sub_code');
  if (code === SUCCESS_CODE || (code === undefined && sub_code === undefined && hasOne(answer, ownFields, ownParts))) {
    return { is: 'success', answer };
  }
  if (code === undefined && sub_code === undefined) {
    return { is: 'unreadable', why: `the answer has neither code nor ${[...ownFields, ...ownParts].join(' or ')}` };
  }
  return { is: 'refusal', code: code ?? '', sub_code, sub_msg: field(answer, 'sub_msg') };
}

/** A field as text: numbers and strings are the same to gateways, and an empty string stands for an absent field. */
export function field(answer: Answer, name: string): string | undefined {
  const value = answer[name];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The answer without the envelope (`code`, `msg`) and without images, which do not belong into a workflow's history. */
export function withoutEnvelope(answer: Answer): Answer {
  const { code: _code, msg: _msg, qr_code_img: _image, ...rest } = answer;
  return rest;
}

/** A known field of an answer, as {@link field} reads it, for schemas of what an answer holds; odd values are no news. */
export const said = z
  .union([z.string(), z.number()])
  .transform((value) => (value === '' ? undefined : String(value)))
  .optional()
  .catch(undefined);

/** A whole number of an answer, which may be written as text. */
export const counted = z.union([z.int(), z.string().regex(/^\d{1,15}$/)]).transform(Number);

function hasOne(answer: Answer, names: readonly string[], parts: readonly string[]): boolean {
  return (
    names.some((name) => field(answer, name) !== undefined) ||
    parts.some((name) => typeof answer[name] === 'object' && answer[name] !== null)
  );
}
