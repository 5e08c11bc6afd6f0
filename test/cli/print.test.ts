/** What the commands print comes from outside, and must not drive the terminal. */
import { asTypedHere, ending, printable } from '../../src/cli/print';

test.each([
  ['an escape sequence', 'a\u001b[2J'],
  ['a control character of the second set', 'a\u009b31m'],
  ['a sign that turns the line around', 'abc\u202e00.01'],
  ['an isolate', 'a\u2066b\u2069'],
  ['a line separator', 'a\u2028b'],
])('%s is replaced', (_, text) => expect(printable(text)).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u));

describe('a command that we print', () => {
  const byNpx = { npm_command: 'exec' };
  test.each([
    ['Next: payment-gateway show order-1 --app shop', 'Next: npx payment-gateway show order-1 --app shop'],
    ['(payment-gateway --help lists everything)', '(npx payment-gateway --help lists everything)'],
    ['Do: send `payment-gateway recheck o`.', 'Do: send `npx payment-gateway recheck o`.'],
    ['Run npx payment-gateway dev here.', 'Run npx payment-gateway dev here.'],
    ['/var/lib/payment-gateway data, temporal-payment-gateway too', undefined],
    ['{"error":{"message":"payment-gateway show o"}}', undefined],
  ])('is typed with npx where npx or npm runs us: %s', (text, typed = text) =>
    expect(asTypedHere(text, byNpx)).toBe(typed),
  );
  test('is typed as it is where our own name runs us', () =>
    expect(asTypedHere('payment-gateway show o', {})).toBe('payment-gateway show o'));
});

test('a payment’s end is printed without what its number and its currency would do to the terminal', () => {
  const said = ending({
    out_trade_no: 'a\u001b]0;owned\u0007',
    outcome: 'SUCCESS',
    order_amount: '1',
    order_currency: 'B\u001b[2J',
    confirmed_by: 'query',
    attention: null,
  });
  expect(said).not.toMatch(/\p{Cc}/u);
  expect(said).toContain('is paid');
});
