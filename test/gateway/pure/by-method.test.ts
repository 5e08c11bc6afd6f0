/** Expiry and settling time of each method, as in the table of gateway-in-the-field.md. */
import { timingOf } from '../../../src/gateway/pure/by-method';

const M = 60_000;
const H = 60 * M;
const D = 24 * H;

test.each([
  ['PIX', 2 * H, 0],
  ['Boleto', 30 * D, 3 * D],
  ['Lottery', 10 * D, D],
  ['DepositExpress', 7 * D, D],
  ['OpenFinance', H, 0],
  ['CreditCard', H, 4 * D],
  ['SPEI', 3 * D, 0],
  ['CoDi', 2 * H, 0],
  ['OXXO', 5 * D, 2 * D],
  ['OXXOPay', 5 * D, 0],
  ['Cash', D, 0],
  ['PSE', D, 0],
  ['Efecty', D, 0],
  ['Khipu', D, 0],
  ['BNCR', 7 * D, 0],
  ['PicPay', 3 * M, 0],
])('%s stays open for %i ms and settles in %i ms', (method, usual_expiry_ms, settles_ms) => {
  expect(timingOf(method)).toEqual({ usual_expiry_ms, settles_ms });
});

test('an unknown method gets a long expiry and a long settling time', () => {
  for (const method of ['WebPay', null, 'constructor', '__proto__', 'toString']) {
    expect(timingOf(method)).toEqual({ usual_expiry_ms: 3 * D, settles_ms: 4 * D });
  }
});

test('the case of a method name does not count', () => {
  expect(timingOf('CASH')).toEqual(timingOf('Cash'));
});
