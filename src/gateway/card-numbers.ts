/**
 * Card numbers where none belongs. A token stands for a card; the card's own number must never come near a history. In
 * free text it is only pointed at, and in ids it is not looked for: one in ten rows of digits passes the check.
 */
import { luhnChecksumValidate } from 'stdnum/lib/cjs/util/checksum';
import type { CrossRule } from './rules';

/** Rows of digits, with or without single spaces and hyphens between them. */
const ROWS = /\d(?:[ -]?\d)*/g;

/** Whether the text is 13 to 19 digits that pass Luhn's check; spaces and hyphens between them do not matter. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, '');
  return /^\d{13,19}$/.test(digits) && luhnChecksumValidate(digits);
}

/** Whether such a row of digits stands anywhere in the text. */
export const holdsCardNumber = (text: string): boolean => (text.match(ROWS) ?? []).some(isCardNumber);

export const CARD_AS_TOKEN = 'a card’s own number: send the token that it was exchanged for';

/** A raw card number in a token's place is refused. A token that merely has many digits is none. */
export const NO_CARD_AS_TOKEN: CrossRule = {
  field: 'token',
  broken: ({ text }) => isCardNumber(text('token') ?? ''),
  rule: CARD_AS_TOKEN,
};

/** What looks like a card number in a text that people read is worth a warning, which never names the number. */
export const CARD_NUMBERS: readonly CrossRule[] = ['subject', 'content', 'refund_reason'].map((field) => ({
  field,
  broken: ({ text }) => holdsCardNumber(text(field) ?? ''),
  rule: 'looks as if it held a card number',
}));
