import Big from 'big.js';
import { z } from 'zod';
import { isTimestamp } from '../time';
import type { FieldRule, RequestCondition } from './rule';
import { characters } from './text';

/** The smallest and the largest amount of an order, as decimal texts. */
const SMALLEST_AMOUNT = '0.01';
const LARGEST_AMOUNT = '99999999999999.99';
const DECIMAL = /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/;

/** Whether a text is a decimal from the smallest amount to `largest`. */
export function isAmount(text: string, largest = LARGEST_AMOUNT): boolean {
  return DECIMAL.test(text) && new Big(text).gte(SMALLEST_AMOUNT) && new Big(text).lte(largest);
}

/** A decimal text with exactly two decimals, as the service writes amounts. */
export function twoDecimals(text: string): string {
  return new Big(text).toFixed(2);
}

/** A rule for texts that match a schema, where the condition holds. */
export const rule = (says: string, value: z.ZodType, when?: RequestCondition): FieldRule => ({
  says,
  value,
  ...(when ? { when } : {}),
});

/** Texts that fulfil a predicate. `keywords` are the same as JSON Schema, as far as that can express it. */
export const textThat = (fulfils: (text: string) => boolean, keywords: { [keyword: string]: unknown }) =>
  z.string().refine(fulfils).meta(keywords);

/** Texts that match a pattern. */
export const textLike = (pattern: string) => z.string().regex(new RegExp(pattern));

/** Texts with at least, and perhaps at most, this many characters. */
export const textOfLength = (least: number, most: { maxLength?: number } = {}) =>
  textThat((text) => characters(text) >= least && characters(text) <= (most.maxLength ?? Number.POSITIVE_INFINITY), {
    minLength: least,
    ...most,
  });

/** Texts without certain signs. `pattern` makes the same for JSON Schema when the document needs it. */
export const textWithout = (sign: RegExp, pattern: () => string) =>
  textThat((text) => !sign.test(text), {
    get not() {
      return { pattern: pattern() };
    },
  });

export const timestamp = rule(
  'must be a real date as yyyy-MM-dd HH:mm:ss',
  textThat(isTimestamp, {
    pattern: '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]) ([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$',
  }),
);
/** Absolute http and https addresses. */
export const webUrl = z.url({ protocol: /^https?$/ }).meta({ pattern: '^https?://' });
export const webAddress = rule('must be an http or https address', webUrl);
export const threeCharacters = rule('must have 3 characters', textOfLength(3, { maxLength: 3 }));
export const noPlus = rule('can not contain +', textLike('^[^+]*$'));

const isCents = (text: string) => DECIMAL.test(text) && !/\.\d{3,}/.test(text) && !/[eE]-/.test(text);
export const cents = rule('must have at most two decimals', textThat(isCents, { pattern: '^[0-9]+(\\.[0-9]{1,2})?$' }));

/** A decimal from the smallest amount to `largest`, which is a decimal text of nines only. */
export function amountRange(largest = LARGEST_AMOUNT): FieldRule {
  const digits = largest.indexOf('.');
  // A double cannot hold the largest amount. The next cent is a round number, which it can.
  const bounds = { minimum: Number(SMALLEST_AMOUNT), exclusiveMaximum: 10 ** digits };
  const pattern = `^(0\\.0[1-9]|0\\.[1-9]|[1-9][0-9]{0,${digits - 1}}(\\.|$))`;
  const value = textThat((text) => isAmount(text, largest), { ...bounds, pattern });
  return rule(`must be a decimal from ${SMALLEST_AMOUNT} to ${largest}`, value);
}

/** A field that has one of these values. */
export const oneOf = (...values: string[]): FieldRule =>
  rule(`must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`, z.enum(values));
