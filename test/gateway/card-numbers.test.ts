/** Card numbers where they do not belong: refused as a token, a warning in text, not looked for in ids. */
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
  '%s is not a card number: wrong check digit, too short, too long, or more than digits',
  (token) => {
    expect(faults(() => parseDirectPayment(edited(card, { token })))).toEqual({});
  },
);

test.each(['subject', 'content'])('a card number in %s causes a warning that names only the field', (field) => {
  const order = edited(card, { [field]: `Paid with ${CARD}, thanks` });
  expect(faults(() => parseDirectPayment(order))).toEqual({});
  expect(warningsFor(order)).toEqual([{ field, rule: 'looks as if it held a card number' }]);
});

test('a card number in the reason of a refund causes a warning', () => {
  expect(warningsFor({ refund_reason: CARD })).toEqual([
    { field: 'refund_reason', rule: 'looks as if it held a card number' },
  ]);
});

test('ids are not searched, because one in ten rows of digits passes the check', () => {
  const number = CARD.replaceAll(' ', '');
  const order = edited(card, { out_trade_no: number, buyer_id: number, account_number: undefined });
  expect(faults(() => parseDirectPayment(order))).toEqual({});
  expect(warningsFor(order)).toEqual([]);
});

test('any 12 to 18 digits have exactly one check digit', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 18 });
  fc.assert(
    fc.property(digits, (before) => {
      expect([...'0123456789'].filter((last) => holdsCardNumber(before + last))).toHaveLength(1);
    }),
  );
});
