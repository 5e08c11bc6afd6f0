import { z } from 'zod';
import { schemaAt } from '../rules/conditions';
import { commonFields } from '../rules/fields';
import { type Field, type FieldRule, fieldTypes, type JsonSchema } from '../rules/rule';

/**
 * The schema of a request with these fields: all that the body alone can tell. Unknown fields are allowed, as the service
 * allows them. A field must be left out rather than empty or null.
 */
export function requestBodySchema(fields: readonly Field[]): JsonSchema {
  const all = [...commonFields, ...fields];
  const leaves = all.map((field) => ({
    path: field.name.split('.'),
    schema: fieldSchema(field),
    required: field.required === true,
  }));
  return { ...nested(leaves), allOf: all.flatMap(conditionals) };
}

interface Leaf {
  path: readonly string[];
  schema: JsonSchema;
  required: boolean;
}

/** Puts fields into the objects of their paths. An object is required if one of its fields is. */
function nested(leaves: readonly Leaf[]): JsonSchema {
  const keys = [...new Set(leaves.map(({ path: [key = ''] }) => key))];
  const groups = keys.map((key) => {
    const group = leaves.filter(({ path }) => path[0] === key);
    const inner = group.map((leaf) => ({ ...leaf, path: leaf.path.slice(1) }));
    const schema = inner.find(({ path }) => path.length === 0)?.schema ?? nested(inner);
    return { key, schema, required: group.some(({ required }) => required) };
  });
  return {
    type: 'object',
    required: groups.filter(({ required }) => required).map(({ key }) => key),
    properties: Object.fromEntries(groups.map(({ key, schema }) => [key, schema])),
  };
}

function fieldSchema({ means, type = 'string', max, rules = [], required }: Field): JsonSchema {
  const [first = {}, ...more] = rules.filter(({ when, value }) => value && !when).map(keywordsOf);
  const sentences = rules.map(({ says, when }) => sentenceOf(says, when?.says));
  const when = typeof required === 'object' ? [`Required ${required.says}.`] : [];
  return {
    description: [means, ...when, ...sentences].join(' '),
    ...fieldTypes[type].schema,
    ...(required === true && type === 'string' ? { minLength: 1 } : {}),
    ...(max === undefined ? {} : { maxLength: max }),
    ...first,
    ...(more.length > 0 ? { allOf: more } : {}),
  };
}

function sentenceOf(says: string, when = ''): string {
  // A rule that always fails says by itself where it does.
  const where = when === '' || says.startsWith('is for') ? '' : ` ${when}`;
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}${where}.`;
}

/** The rule's value as JSON Schema, without the type: the field's own type says whether numbers are allowed. */
function keywordsOf({ value }: FieldRule): JsonSchema {
  if (!value) return {};
  const { $schema: _draft, type: _type, ...keywords } = z.toJSONSchema(value);
  return keywords;
}

/** What is asked of some requests only. A condition that the body does not decide is in the description alone. */
function conditionals({ name, required, rules = [] }: Field): JsonSchema[] {
  const consequences = [
    { when: typeof required === 'object' ? required : undefined, follows: schemaAt(name, { minLength: 1 }, true) },
    ...rules.map((rule) => ({ when: rule.when, follows: schemaAt(name, keywordsOf(rule), false) })),
  ];
  return consequences.flatMap(({ when, follows }) =>
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    when?.schema ? [{ $comment: when.says, if: when.schema, then: follows }] : [],
  );
}
