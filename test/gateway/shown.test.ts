/** What an error shows of the gateway's words: codes, and nothing of the request. */
import * as fc from 'fast-check';
import { shownCode } from '../../src/gateway/shown';
import { anyCharacter } from '../harness/characters';

const order = {
  out_trade_no: 'order-status-1',
  method: 'PIX',
  subject: 'Order',
  buyer_id: 'b-1',
  customer: { name: 'Ana María Souza', email: 'mariana@example.com', identify: { number: '11144477735', type: 'CPF' } },
  address: { state: 'SP', street_number: '15' },
  installments: 3,
};
const shown = (word: string, request: object = order) =>
  shownCode(word, { known: ['customer.name', 'no such order'], hidden: [request, { secrets: ['sk-1234-abcd'] }] });

describe('a word is shown', () => {
  test.each([
    ['that the table of refusals lists', 'duplicate-out_trade_no'],
    ['that the table lists, with other letters', 'SYS-0001'],
    ['for an order that does not exist', 'trade-not-exist'],
    ['that names a field of the request', 'customer.name'],
    ['that a setting names', 'no such order'],
    ['of the form of a code', 'order-status-error'],
    ['of the form of a code, in capitals', 'ACQ.TRADE_LIMIT_2'],
    ['of a few digits', '59999'],
    ['with nothing in it', ''],
  ])('%s: %s', (_, word) => expect(shown(word)).toBe(word));

  test('that is listed, even where a value of the request equals it', () => {
    expect(shown('trade-not-exist', { buyer_id: 'trade-not-exist' })).toBe('trade-not-exist');
  });
});

describe('a word is hidden', () => {
  test.each([
    ['of more than 40 characters', 'a'.repeat(41)],
    ['with a space', 'name Ana'],
    ['with a letter that no code has', 'josé'],
    ['of an address', 'mariana@example.com'],
    ['of a number with six digits in a row', 'card-123456'],
    ['of a number with separators', '11-9999-0000'],
    ['of more than one line', 'a\nb'],
    ['that equals a value', 'b-1'],
    ['that equals a value without its separators', 'B1'],
    ['that equals a short value in another case', 'sp'],
    ['that equals a word of the subject', 'order'],
    ['that holds a word of a name', 'unknown-souza'],
    ['that holds a word of a name without its accent', 'maria-is-blocked'],
    ['that holds a secret', 'bad-sk-1234-abcd'],
    ['that equals a number’s text', '15'],
  ])('%s: %j', (_, word) => expect(shown(word)).toBe('***'));
});

test('no value of a request is shown, and every request is looked through, whatever it holds', () => {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 4, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(...'abcXYZ0123-_.'), minLength: 4, maxLength: 20 }),
  );
  fc.assert(
    fc.property(value, fc.string({ maxLength: 10 }), fc.string({ maxLength: 10 }), (secret, before, after) => {
      const told = shown(`${before}${secret}${after}`, { customer: { city: [secret] } });
      const letters = secret.replace(/[^A-Za-z0-9]/g, '');
      if (letters.length >= 4) expect(told).not.toContain(secret);
    }),
  );
});

test.each([
  ['4,000 letters with accents', 'ñ'.repeat(4_000)],
  ['20,000 letters', 'x'.repeat(20_000)],
  ['characters with a meaning in regular expressions', '(((((((((((((((((((((((((((((a+)+)+)+$'],
  ['half a character', '\ud83d'],
])('a request with %s is looked through', (_, name) => {
  expect(shown('new-code', { customer: { name } })).toBe('new-code');
});
