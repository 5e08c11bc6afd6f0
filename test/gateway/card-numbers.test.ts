/** A card's own number where none belongs: refused as a token, pointed at in a text, never looked for in an id. */
import * as fc from 'fast-check';
import { parseDirectPayment, warningsFor } from '../../src/gateway';
import { holdsCardNumber } from '../../src/gateway/card-numbers';
import { edited, faults, published } from './support';

const CARD = '4111 1111 1111 1111';
const card = published('credit-card');
const RULE = 'a card’s own number: send the token that it was exchanged for';

test.each([CARD, CARD.replaceAll(' ', ''), CARD.replaceAll(' ', '-'), '6011000990139424', '30569309025904'])(
  'the token %s is refused, by the field and without the number',
  (token) => {
    expect(faults(() => parseDirectPayment(edited(card, { token })))).toEqual({ token: RULE });
  },
);

test.each(['tok_4111111111111112', '411111111111', '41111111111111111111', 'tok_4111111111111111'])(
  '%s is none: wrong check, too short, too long, more than digits',
  (token) => {
    expect(faults(() => parseDirectPayment(edited(card, { token })))).toEqual({});
  },
);

test.each(['subject', 'content'])('in %s it is a warning that names the field alone', (field) => {
  const order = edited(card, { [field]: `Paid with ${CARD}, thanks` });
  expect(faults(() => parseDirectPayment(order))).toEqual({});
  expect(warningsFor(order)).toEqual([{ field, rule: 'looks as if it held a card number' }]);
});

test('in a refund’s reason as well', () => {
  expect(warningsFor({ refund_reason: CARD })).toEqual([
    { field: 'refund_reason', rule: 'looks as if it held a card number' },
  ]);
});

test('in ids it is not looked for: one in ten rows of digits passes', () => {
  const number = CARD.replaceAll(' ', '');
  const order = edited(card, { out_trade_no: number, buyer_id: number, account_number: undefined });
  expect(faults(() => parseDirectPayment(order))).toEqual({});
  expect(warningsFor(order)).toEqual([]);
});

test('exactly one last digit makes a card number of any 12 to 18 digits before it', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 18 });
  fc.assert(
    fc.property(digits, (before) => {
      expect([...'0123456789'].filter((last) => holdsCardNumber(before + last))).toHaveLength(1);
    }),
  );
});
