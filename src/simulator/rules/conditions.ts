import { textAt } from '../json';
import { type MethodName, methodNamed, wireNames } from './methods';
import type { CheckedRequest, JsonSchema, RequestCondition } from './rule';

/** A condition that the body alone decides. */
type BodyCondition = RequestCondition & { schema: JsonSchema };

/** True if all of the conditions are. */
export const both = (...conditions: BodyCondition[]): BodyCondition => ({
  holds: (request) => conditions.every(({ holds }) => holds(request)),
  says: conditions.map(({ says }) => says).join(', '),
  schema: { allOf: conditions.map(({ schema }) => schema) },
});

/** True if one of the conditions is. */
export const either = (...conditions: BodyCondition[]): BodyCondition => ({
  holds: (request) => conditions.some(({ holds }) => holds(request)),
  says: conditions.map(({ says }) => says).join(', or '),
  schema: { anyOf: conditions.map(({ schema }) => schema) },
});

const not = ({ holds, schema }: BodyCondition, says: string): BodyCondition => ({
  holds: (request) => !holds(request),
  says,
  schema: { not: schema },
});

/** True for the methods named. */
export const only = (...names: MethodName[]): BodyCondition => ({
  holds: ({ body }) => {
    const method = methodNamed(textAt(body, 'method') ?? '');
    return method !== undefined && names.includes(method);
  },
  says: `for ${names.join(', ')}`,
  schema: { required: ['method'], properties: { method: { enum: names.flatMap(wireNames) } } },
});

/** True for every method except the ones named. */
export const allBut = (...names: MethodName[]): BodyCondition => not(only(...names), `except for ${names.join(', ')}`);

/** True if another field is given. */
export const given = (other: string): BodyCondition => ({
  holds: ({ body }) => textAt(body, other) !== undefined,
  says: `with ${other}`,
  schema: schemaAt(other, { minLength: 1 }, true),
});

/** True if another field is not given: one of the two is enough. */
export const without = (other: string): BodyCondition => not(given(other), `without ${other}`);

/** True if a field has one of these values. The value `undefined` means that the field is not given. */
export const fieldIs = (path: string, ...values: (string | undefined)[]): BodyCondition => ({
  holds: ({ body }) => values.includes(textAt(body, path)),
  says: `with ${path} ${values.map((value) => value ?? 'left out').join(' or ')}`,
  schema: schemaAt(path, { enum: values.map((value) => value ?? '') }, !values.includes(undefined)),
});

/** A condition that the body alone does not decide. */
export const beyondBody = (says: string, holds: (request: CheckedRequest) => boolean): RequestCondition => ({
  holds,
  says,
});

export const globalApp = beyondBody('if the app is Global', ({ app }) => app.global === true);

/** A schema of the value at a dotted path: an object within an object, each of them required if the value is. */
export function schemaAt(path: string, schema: JsonSchema, required: boolean): JsonSchema {
  const [key = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? schema : schemaAt(rest.join('.'), schema, required);
  return { type: 'object', ...(required ? { required: [key] } : {}), properties: { [key]: inner } };
}
