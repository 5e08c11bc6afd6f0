import Big from 'big.js';
import { numberLiteral } from '../json';
import type { JsonSchema } from './schema';

/** The smallest and largest amount of an order. */
export const SMALLEST_AMOUNT = '0.01';
export const LARGEST_AMOUNT = '99999999999999.99';

/** Reads a decimal; `undefined` where a text is none. */
export function decimal(text: string): Big | undefined {
  return /^-?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/.test(text) ? new Big(text) : undefined;
}

/** Whether an amount lies between two bounds, both included. */
export function isBetween(text: string, smallest: string, largest: string): boolean {
  const amount = decimal(text);
  if (amount === undefined) return false;
  return amount.gte(smallest) && amount.lte(largest);
}

/** A schema of decimals from the smallest amount to a largest one of nines only: as a number, or as a text. */
export function amountSchema(largest: string): JsonSchema {
  const digits = largest.indexOf('.');
  return {
    // Exact literals: a double would round the largest.
    minimum: numberLiteral(SMALLEST_AMOUNT),
    maximum: numberLiteral(largest),
    pattern: `^(0\\.0[1-9]|0\\.[1-9]|[1-9][0-9]{0,${digits - 1}}(\\.|$))`,
  };
}

/** Whether a decimal is written with at most two digits after its point. */
export function hasCentsAtMost(text: string): boolean {
  return decimal(text) !== undefined && !/\.\d{3,}/.test(text) && !/[eE]-/.test(text);
}

/** An amount as the service writes it: always two decimals. */
export function twoDecimals(text: string): string {
  return new Big(text).toFixed(2);
}
