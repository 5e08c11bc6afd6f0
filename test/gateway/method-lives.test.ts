/** How long orders live and settle, by the table of gateway-in-the-field.md. */
import { lifeOf } from '../../src/gateway/method-lives';

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
])('%s lives %i ms and settles in %i ms', (method, usual_expiry_ms, settles_ms) => {
  expect(lifeOf(method)).toEqual({ usual_expiry_ms, settles_ms });
});

test('a method that nobody knows is waited for patiently', () => {
  for (const method of ['WebPay', null, 'constructor', '__proto__', 'toString']) {
    expect(lifeOf(method)).toEqual({ usual_expiry_ms: 3 * D, settles_ms: 4 * D });
  }
});

test('a method is known in any case, as it is to the rules of an order', () => {
  expect(lifeOf('CASH')).toEqual(lifeOf('Cash'));
});
