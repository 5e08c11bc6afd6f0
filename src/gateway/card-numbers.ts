/**
 * Card numbers in fields where they do not belong. A card number in place of a token is refused, because it must never be
 * in a history. In free text it causes a warning. Ids are not checked: one in ten rows of digits passes Luhn's check.
 */
import { luhnChecksumValidate } from 'stdnum/lib/cjs/util/checksum';
import type { CrossRule } from './rules';

/** Rows of digits, possibly with single spaces or hyphens between them. */
const ROWS = /\d(?:[ -]?\d)*/g;

/** Whether the text is 13 to 19 digits that pass Luhn's check. Spaces and hyphens are ignored. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, '');
  return /^\d{13,19}$/.test(digits) && luhnChecksumValidate(digits);
}

export const holdsCardNumber = (text: string): boolean => (text.match(ROWS) ?? []).some(isCardNumber);

export const CARD_AS_TOKEN = 'a card’s own number: send the token that it was exchanged for';

/** Refuses a card number as a token. A token of many digits that fails Luhn's check is accepted. */
export const NO_CARD_AS_TOKEN: CrossRule = {
  field: 'token',
  broken: ({ text }) => isCardNumber(text('token') ?? ''),
  rule: CARD_AS_TOKEN,
};

/** Warns about text that looks like a card number. The warning never holds the number. */
export const CARD_NUMBERS: readonly CrossRule[] = ['subject', 'content', 'refund_reason'].map((field) => ({
  field,
  broken: ({ text }) => holdsCardNumber(text(field) ?? ''),
  rule: 'looks as if it held a card number',
}));
