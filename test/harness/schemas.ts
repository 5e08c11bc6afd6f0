/** The published JSON Schemas, as a program in another language uses them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import { z } from 'zod';
import { ROOT } from './terminal';

const ajv = new Ajv({ allErrors: true, strict: false });
const compiled = new Map<string, ValidateFunction>();

/** What of `value` does not fit the schema `type`; null where all does. */
export function problemsWith(type: string, value: unknown): string | null {
  const check = compiled.get(type) ?? ajv.compile(JSON.parse(readFileSync(join(ROOT, `schemas/${type}.json`), 'utf8')));
  compiled.set(type, check);
  return check(value) ? null : ajv.errorsText(check.errors);
}

/** The fields that a schema has, in order; of a part of it, at `path`, where `[]` is an item of a list. */
export function propertiesOf(type: string, ...path: string[]): string[] {
  let at: unknown = JSON.parse(readFileSync(join(ROOT, `schemas/${type}.json`), 'utf8'));
  for (const name of path) at = name === '[]' ? Reflect.get(Object(at), 'items') : objectIn(at)[name];
  return Object.keys(objectIn(at)).sort();
}

/** The fields of a schema; of one that may be null, those of its other form. */
function objectIn(schema: unknown): Record<string, unknown> {
  const { properties, anyOf = [] } = z
    .looseObject({ properties: z.record(z.string(), z.unknown()).optional(), anyOf: z.array(z.unknown()).optional() })
    .parse(schema);
  return properties ?? objectIn(anyOf.find((one) => Reflect.has(Object(one), 'properties')));
}
