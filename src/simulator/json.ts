import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON object whose fields nobody has checked yet. */
export type JsonObject = { [field: string]: unknown };

/** Whether a value is a JSON object (and not a list, null, or a number kept as its text). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Reads a body that must be one JSON object in UTF-8; numbers keep every digit. `undefined` where it is none. */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value = parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Not UTF-8, not JSON, or nested deeper than the stack: to a gateway all of these are an unreadable body.
    return undefined;
  }
}

/** Writes JSON in which a {@link LosslessNumber} appears as its exact literal. */
export function writeJson(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** A decimal text as a JSON number literal that keeps all its digits. */
export function numberLiteral(text: string): LosslessNumber {
  return new LosslessNumber(text);
}

/** The value at a dotted path, own fields only; `undefined` where there is none. */
export function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body;
  for (const key of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The text at a dotted path; numbers as their literal, everything else (and the empty text) as `undefined`. */
export function textAt(body: JsonObject, path: string): string | undefined {
  const value = valueAt(body, path);
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
