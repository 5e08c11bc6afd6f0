import type { Settings } from '../options';
import { commonFields } from '../rules/fields';
import type { Field, Rule } from '../rules/rule';
import { at, type JsonSchema, type JsonSchemaObject, merged } from '../rules/schema';
import { fieldMeanings } from './fields';

/** How each type of a field table is written in JSON. */
const types = {
  string: { type: 'string' },
  decimal: { type: ['string', 'number'] },
  'list of strings': { type: 'array', items: { type: 'string' } },
} as const satisfies Record<NonNullable<Field['type']>, JsonSchema>;

/**
 * The schema of a request whose body has these fields, by the settings in force: all that the body alone can tell. It
 * leaves unknown fields be, as the service does, and asks for a field to be left out rather than to be empty or null.
 */
export function requestSchema(fields: readonly Field[], settings: Settings): JsonSchema {
  const all = [...commonFields, ...fields];
  return merged([...all.map((field) => fieldSchema(field, settings)), ...conditionals(all, settings)]);
}

function fieldSchema(field: Field, settings: Settings): JsonSchema {
  const { name, type = 'string', max, rules = [], required } = field;
  const isRequired = required.schema(settings) === true;
  const ruled = merged(rules.filter(({ when }) => when === undefined).map(({ schema = true }) => schema));
  const saysHowShort = typeof ruled === 'object' && ('minLength' in ruled || 'enum' in ruled);
  const schema = merged([
    { description: description(field, settings) },
    types[type],
    isRequired && type === 'string' && !saysHowShort ? { minLength: 1 } : true,
    max === undefined ? true : { maxLength: max },
    ruled,
  ]);
  return at(name, schema, isRequired);
}

function description({ name, required, rules = [] }: Field, settings: Settings): string {
  const isRequired = required.schema(settings);
  return [
    fieldMeanings[name],
    typeof isRequired === 'boolean' ? undefined : `Required ${required.says}.`,
    ...rules.filter(({ when }) => when?.schema(settings) !== false).map(sentence),
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

function sentence({ says, when }: Rule): string {
  // A rule that always fails says by itself where it does.
  const where = when === undefined || says.startsWith('is for') ? '' : ` ${when.says}`;
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}${where}.`;
}

/** What is asked of some requests only: one `if` for each condition, with all that follows from it. */
function conditionals(fields: readonly Field[], settings: Settings): JsonSchemaObject[] {
  const consequences = fields.flatMap(({ name, required, rules = [] }) => [
    { when: required, follows: at(name, { minLength: 1 }, true) },
    ...rules.flatMap(({ when, schema = true }) => (when ? [{ when, follows: at(name, schema, false) }] : [])),
  ]);
  const cases = new Map<string, { says: string; condition: JsonSchema; follow: JsonSchema[] }>();
  for (const { when, follows } of consequences) {
    const condition = when.schema(settings);
    // Always and never are said where the field is; what the body does not tell is in its description.
    if (condition === undefined || typeof condition === 'boolean') continue;
    const key = JSON.stringify(condition);
    const same = cases.get(key) ?? { says: when.says, condition, follow: [] };
    same.follow.push(follows);
    cases.set(key, same);
  }
  if (cases.size === 0) return [];
  const allOf = [...cases.values()].map(({ says, condition, follow }) => ({
    $comment: says,
    if: condition,
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: merged(follow),
  }));
  return [{ allOf }];
}
