/** The published JSON Schemas, as a program in another language uses them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import { ROOT } from './terminal';

const ajv = new Ajv({ allErrors: true, strict: false });
const compiled = new Map<string, ValidateFunction>();

/** What of `value` does not fit the schema `type`; null where all does. */
export function problemsWith(type: string, value: unknown): string | null {
  const check = compiled.get(type) ?? ajv.compile(JSON.parse(readFileSync(join(ROOT, `schemas/${type}.json`), 'utf8')));
  compiled.set(type, check);
  return check(value) ? null : ajv.errorsText(check.errors);
}
