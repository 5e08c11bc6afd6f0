import { isLosslessNumber, parse } from 'lossless-json';

/** A JSON object whose fields are not checked yet. */
export type LooseObject = { [field: string]: unknown };

/** Whether a value is a JSON object: not a list, not null, and not a number that is kept as its text. */
function isLooseObject(value: unknown): value is LooseObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Reads a body that must be one JSON object in UTF-8. Numbers keep every digit. `undefined` if the body is not one. */
export function parseLooseObject(bytes: Uint8Array): LooseObject | undefined {
  try {
    const value = parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isLooseObject(value) ? value : undefined;
  } catch {
    // Not UTF-8, not JSON, or nested too deeply: a gateway cannot read any of these.
    return undefined;
  }
}

/** The value at a dotted path, or `undefined`. */
export function valueAt(body: LooseObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return isLooseObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, body);
}

/** The text at a dotted path; a number as its literal. `undefined` for the empty text and for all other values. */
export function textAt(body: LooseObject, path: string): string | undefined {
  const value = valueAt(body, path);
  if (isLosslessNumber(value)) return value.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
