import { isLosslessNumber } from 'lossless-json';
import { type JsonObject, textAt, valueAt } from '../json';
import { businessFailure, invalid, missing, type Refusal } from '../operations/answers';
import type { GatewayApp, Settings } from '../options';
import type { Trade } from '../trades/trade';
import { type MethodName, methodNamed, wireNames } from './methods';
import type { JsonSchema } from './schema';
import { characters } from './text';

/** A request under check, with what its rules ask about. */
export interface Request {
  body: JsonObject;
  app: GatewayApp;
  settings: Settings;
  now: number;
  /** The trade that the request is about, where there is one. */
  trade?: Trade | undefined;
}

/** Something that is true of some requests. */
export interface Condition {
  holds: (request: Request) => boolean;
  /** Of which requests, in words that can follow "required": `for method CreditCard`. */
  says: string;
  /** The same as a schema of the body; `undefined` where the body alone does not tell. */
  schema: (settings: Settings) => JsonSchema | undefined;
}

/** What a field's value must fulfil besides its length. */
export interface Rule {
  holds: (value: string, request: Request) => boolean;
  /** The end of the sentence that begins with the field's name. */
  says: string;
  /** The same as a schema of the value, as far as one can say it; left out where it can say nothing. */
  schema?: JsonSchema;
  /** The `sub_code`, where it is not the field's name. */
  subCode?: string;
  /** Where the rule applies; everywhere if it is left out. */
  when?: Condition;
}

/** A line of a field table: name, whether required, type, longest length, further rules. */
export interface Field {
  name: string;
  required: Condition;
  type?: keyof typeof types;
  max?: number;
  rules?: readonly Rule[];
}

// Each type says how its value is read as text for the rules; `undefined` is a value of another type.
const types = {
  string: (value: unknown) => (typeof value === 'string' ? value : undefined),
  decimal: (value: unknown) => (isLosslessNumber(value) ? value.value : typeof value === 'string' ? value : undefined),
  'list of strings': (value: unknown) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? value.join(',') : undefined,
};

export const always: Condition = { holds: () => true, says: 'always', schema: () => true };
export const never: Condition = { holds: () => false, says: 'never', schema: () => false };

/** The request's method, where it names one that exists. */
export function methodOf(request: Request): MethodName | undefined {
  const name = textAt(request.body, 'method');
  return name === undefined ? undefined : methodNamed(name);
}

/** True for the methods named. */
export function only(...names: MethodName[]): Condition {
  return {
    holds: (request) => {
      const name = methodOf(request);
      return name !== undefined && names.includes(name);
    },
    says: `for ${names.join(', ')}`,
    schema: () => ({ required: ['method'], properties: { method: { enum: names.flatMap(wireNames) } } }),
  };
}

/** True for every method but the ones named. */
export function allBut(...names: MethodName[]): Condition {
  const exempted = only(...names);
  return {
    holds: (request) => !exempted.holds(request),
    says: `except ${exempted.says}`,
    schema: (settings) => ({ not: exempted.schema(settings) }),
  };
}

/** Checks a request against a field table, in the table's order; answers with the first refusal. */
export function check(table: readonly Field[], request: Request): Refusal | undefined {
  for (const field of table) {
    const refusal = checkField(field, request);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkField(field: Field, request: Request): Refusal | undefined {
  const { name, type = 'string', max, rules = [] } = field;
  const value = valueAt(request.body, name);
  if (value === undefined || value === null) return field.required.holds(request) ? missing(name) : undefined;
  // The service writes empty texts where it has nothing, and takes them so.
  if (value === '') return field.required.holds(request) ? invalid(name, 'can not be empty') : undefined;
  const text = types[type](value);
  if (text === undefined) return invalid(name, `must be a ${type}`);
  if (max !== undefined && characters(text) > max) return invalid(name, `must have at most ${max} characters`);
  const broken = rules.find((rule) => (rule.when ?? always).holds(request) && !rule.holds(text, request));
  if (!broken) return undefined;
  return broken.subCode ? businessFailure(broken.subCode, `${name} ${broken.says}.`) : invalid(name, broken.says);
}
