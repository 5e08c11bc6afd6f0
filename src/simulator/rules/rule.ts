import { isLosslessNumber } from 'lossless-json';
import type { z } from 'zod';
import { type LooseObject, valueAt } from '../json';
import type { SimulatorApp } from '../options';
import type { TradeRecord } from '../records';
import type { Settings } from '../settings';
import { businessRefusal, invalidField, missingField, type RequestRefusal } from './refusal';
import { characters } from './text';

/** A JSON Schema (draft 2020-12) as OpenAPI 3.1 uses them. Its patterns suit the engine of every language. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface CheckedRequest {
  body: LooseObject;
  app: SimulatorApp;
  /** The simulator's time, in ms since 1970. */
  now: number;
  /** The trade that the request is about, if there is one. */
  trade?: Pick<TradeRecord, 'method' | 'channel' | 'order_amount' | 'order_currency'> | undefined;
}

/** Something that is true of some requests. */
export interface RequestCondition {
  holds: (request: CheckedRequest) => boolean;
  /** When it holds, in words that can follow "required": `for CreditCard`. */
  says: string;
  /** The same as a schema of the body. Left out if the body alone does not tell. */
  schema?: JsonSchema;
}

/** What a field's value must fulfil besides its type and length. */
export interface FieldRule {
  /** The texts that fulfil the rule. The OpenAPI document describes them with `z.toJSONSchema`. */
  value?: z.ZodType;
  /** What the rule asks of the rest of the request; no schema can express that. */
  agrees?: (value: string, request: CheckedRequest) => boolean;
  /** The end of a sentence that begins with the field's name. */
  says: string;
  /** The `sub_code`, if it is not the field's name. */
  subCode?: string;
  /** Where the rule applies; everywhere if it is left out. */
  when?: RequestCondition;
}

/** A line of a field table: name, whether it is required, type, greatest length, further rules, what it means. */
export interface Field {
  name: string;
  required: boolean | RequestCondition;
  type?: keyof typeof fieldTypes;
  max?: number;
  rules?: readonly FieldRule[];
  means: string;
}

/** The fields of a request. They can depend on the settings. */
export type FieldTable = (settings: Settings) => readonly Field[];

/** The types of fields: how JSON writes a value, and how the rules read it as a text, or `undefined` if it has another type. */
export const fieldTypes = {
  string: { schema: { type: 'string' }, read: (value: unknown) => (typeof value === 'string' ? value : undefined) },
  decimal: {
    schema: { type: ['string', 'number'] },
    read: (value: unknown) => (isLosslessNumber(value) ? value.value : fieldTypes.string.read(value)),
  },
  'list of strings': {
    schema: { type: 'array', items: { type: 'string' } },
    read: (value: unknown) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : undefined,
  },
};

/** Checks a request against a field table, in the order of the table. Returns the first refusal, or `undefined`. */
export function checkFields(fields: readonly Field[], request: CheckedRequest): RequestRefusal | undefined {
  for (const field of fields) {
    const refusal = checkField(field, request);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkField(field: Field, request: CheckedRequest): RequestRefusal | undefined {
  const { name, type = 'string', max, rules = [], required } = field;
  const isRequired = () => (typeof required === 'boolean' ? required : required.holds(request));
  const value = valueAt(request.body, name);
  if (value === undefined || value === null) return isRequired() ? missingField(name) : undefined;
  // The service itself writes an empty text for a value that it does not have, so it takes them too.
  if (value === '') return isRequired() ? invalidField(name, 'can not be empty') : undefined;
  const text = fieldTypes[type].read(value);
  if (text === undefined) return invalidField(name, `must be a ${type}`);
  if (max !== undefined && characters(text) > max) return invalidField(name, `must have at most ${max} characters`);
  const broken = rules.find((rule) => !isKept(rule, text, request));
  if (!broken) return undefined;
  return broken.subCode ? businessRefusal(broken.subCode, `${name} ${broken.says}.`) : invalidField(name, broken.says);
}

function isKept({ when, value, agrees }: FieldRule, text: string, request: CheckedRequest): boolean {
  if (when && !when.holds(request)) return true;
  return (value?.safeParse(text).success ?? true) && (agrees?.(text, request) ?? true);
}
