import { textAt } from '../json';
import type { Settings } from '../options';
import { isTimestamp } from '../time';
import { amountSchema, hasCentsAtMost, isBetween, LARGEST_AMOUNT, SMALLEST_AMOUNT } from './amount';
import type { Condition, Request, Rule } from './rule';
import { at } from './schema';
import { characters, hasEmoji, isWebAddress, patternOfEmoji } from './text';

/** True where all of the conditions are. */
export const both = (...conditions: Condition[]): Condition => ({
  holds: (request) => conditions.every(({ holds }) => holds(request)),
  says: conditions.map(({ says }) => says).join(', '),
  schema: (settings) => {
    const schemas = conditions.map(({ schema }) => schema(settings));
    if (schemas.includes(false)) return false;
    const asked = schemas.filter((schema) => schema !== true);
    if (asked.includes(undefined)) return undefined;
    return asked.length > 1 ? { allOf: asked } : (asked[0] ?? true);
  },
});

/** True where one of the conditions is. */
export const either = (...conditions: Condition[]): Condition => ({
  holds: (request) => conditions.some(({ holds }) => holds(request)),
  says: conditions.map(({ says }) => says).join(', or '),
  schema: (settings) => {
    const schemas = conditions.map(({ schema }) => schema(settings));
    if (schemas.includes(true)) return true;
    const asked = schemas.filter((schema) => schema !== false);
    if (asked.includes(undefined)) return undefined;
    return asked.length > 1 ? { anyOf: asked } : (asked[0] ?? false);
  },
});

/** True where another field is given. */
export const given = (other: string): Condition => ({
  holds: ({ body }) => textAt(body, other) !== undefined,
  says: `with ${other}`,
  schema: () => at(other, { minLength: 1 }, true),
});

/** True where another field is not given: one of the two suffices. */
export const without = (other: string): Condition => ({
  holds: (request) => !given(other).holds(request),
  says: `without ${other}`,
  schema: (settings) => ({ not: given(other).schema(settings) }),
});

/** True where the field at a path has one of these values, or (`undefined`) is not given. */
export const fieldIs = (path: string, ...values: (string | undefined)[]): Condition => ({
  holds: ({ body }) => values.includes(textAt(body, path)),
  says: `with ${path} ${values.map((value) => value ?? 'left out').join(' or ')}`,
  // None of no values; a list of none is no schema.
  schema: () =>
    values.length > 0 && at(path, { enum: values.map((value) => value ?? '') }, !values.includes(undefined)),
});

/** True where the simulator is told so by one of its settings. */
export const settingIs = <Name extends keyof Settings>(name: Name, value: Settings[Name]): Condition => ({
  holds: ({ settings }) => settings[name] === value,
  says: `by the simulator’s setting ${name}`,
  schema: (settings) => settings[name] === value,
});

/** True by what is not in the body, and so beyond a schema of it. */
export const beyondBody = (says: string, holds: (request: Request) => boolean): Condition => ({
  holds,
  says,
  schema: () => undefined,
});

export const globalApp: Condition = beyondBody('where the app is Global', ({ app }) => app.global === true);

export const timestamp: Rule = {
  holds: isTimestamp,
  says: 'must be a real date as yyyy-MM-dd HH:mm:ss',
  schema: {
    pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$',
  },
};
export const webAddress: Rule = {
  holds: isWebAddress,
  says: 'must be an http or https address',
  schema: { format: 'uri', pattern: '^https?://' },
};
export const threeCharacters: Rule = {
  holds: (code) => characters(code) === 3,
  says: 'must have 3 characters',
  schema: { minLength: 3, maxLength: 3 },
};
export const amountRange = (largest = LARGEST_AMOUNT): Rule => ({
  holds: (amount) => isBetween(amount, SMALLEST_AMOUNT, largest),
  says: `must be a decimal from ${SMALLEST_AMOUNT} to ${largest}`,
  schema: amountSchema(largest),
});
export const cents: Rule = {
  holds: hasCentsAtMost,
  says: 'must have at most two decimals',
  schema: { pattern: '^[0-9]+(\\.[0-9]{1,2})?$' },
};
export const noEmoji: Rule = {
  holds: (name) => !hasEmoji(name),
  says: 'can not contain emoji',
  // A getter, since making the pattern takes a moment.
  get schema() {
    return { not: { pattern: patternOfEmoji() } };
  },
};
export const noPlus: Rule = {
  holds: (email) => !email.includes('+'),
  says: 'can not contain +',
  schema: { pattern: '^[^+]*$' },
};
/** A field that has only these values. */
export const oneOf = (...values: string[]): Rule => ({
  holds: (value) => values.includes(value),
  says: `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`,
  schema: { enum: values },
});
