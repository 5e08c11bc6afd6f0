import { textAt } from '../json';
import { isTimestamp } from '../time';
import { hasCentsAtMost, isBetween, LARGEST_AMOUNT, SMALLEST_AMOUNT } from './amount';
import type { Condition, Rule } from './rule';
import { characters, hasEmoji, isWebAddress } from './text';

/** True where all of the conditions are. */
export const both =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.every((condition) => condition(request));

/** True where one of the conditions is. */
export const either =
  (...conditions: Condition[]): Condition =>
  (request) =>
    conditions.some((condition) => condition(request));

/** True where another field is not given: one of the two suffices. */
export const without =
  (other: string): Condition =>
  ({ body }) =>
    textAt(body, other) === undefined;

export const globalApp: Condition = ({ app }) => app.global === true;

export const timestamp: Rule = { holds: isTimestamp, says: 'must be a real date as yyyy-MM-dd HH:mm:ss' };
export const webAddress: Rule = { holds: isWebAddress, says: 'must be an http or https address' };
export const threeCharacters: Rule = { holds: (code) => characters(code) === 3, says: 'must have 3 characters' };
export const amountRange = (largest = LARGEST_AMOUNT): Rule => ({
  holds: (amount) => isBetween(amount, SMALLEST_AMOUNT, largest),
  says: `must be a decimal from ${SMALLEST_AMOUNT} to ${largest}`,
});
export const cents: Rule = { holds: hasCentsAtMost, says: 'must have at most two decimals' };
export const noEmoji: Rule = { holds: (name) => !hasEmoji(name), says: 'can not contain emoji' };
export const noPlus: Rule = { holds: (email) => !email.includes('+'), says: 'can not contain +' };
/** A field that has only these values. */
export const oneOf = (...values: string[]): Rule => ({
  holds: (value) => values.includes(value),
  says: `must be ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`,
});
