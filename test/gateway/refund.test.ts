/** What a refund requires beyond the interface's table (test/contract/interface/rows/refunds.ts). */
import { parseRefund } from '../../src/gateway';
import type { RefundedTrade } from '../../src/gateway/rules';
import { operation } from './operations';
import { edited, faults } from './support';

const { trade_no: _trade, out_trade_no: _order, ...body } = operation('/trade/refund').request;
const email = 'user_info.email';
const of = (trade: RefundedTrade, changes: object) =>
  faults(() => parseRefund(edited(body, { ...changes }), { trade }));

test.each<[method: string | undefined, required: string[]]>([
  ['creditcard', [email]],
  // The interface names no refund of these: whether there is one, the gateway says, and not after a buyer was asked for data.
  ...['OXXO', 'CASH', 'PSE', 'Khipu', 'Pago46'].map((method): [string, string[]] => [method, []]),
  ['a method that nobody told us of', ['user_info.identify.number', 'user_info.name', email]],
  [undefined, ['user_info.identify.number', 'user_info.name', email]],
])('a refund of a trade by %s requires %j of the buyer', (method, required) => {
  const user_info = ['user_info.identify.number', 'user_info.name', email, 'user_info.phone'];
  const missed = user_info.filter((field) => Object.keys(of({ method }, { [field]: undefined })).includes(field));
  expect(missed).toEqual(required);
});

test.each([
  ['149.99', '150.00', true],
  ['150', '150.00', false],
  ['99999999999999.98', '99999999999999.99', true],
  // The amount of the trade may be unknown.
  ['12.10', undefined, false],
])('a refund of %s of %s requires an out_request_no: %s', (refund_amount, order_amount, isRequired) => {
  const found = of(order_amount ? { order_amount } : {}, { out_request_no: undefined, refund_amount });
  expect(found).toEqual(isRequired ? { out_request_no: 'required for a partial refund' } : {});
});

test('the trade is not part of the merchant’s request', () => {
  expect(of({}, { trade_no: 't-1', out_trade_no: 'o-1' })).toEqual({
    trade_no: 'unknown field',
    out_trade_no: 'unknown field',
  });
});

test('an email with + is accepted; it is forbidden for customers only', () => {
  expect(of({}, { [email]: 'a+b@example.com' })).toEqual({});
  expect(of({}, { [email]: 'example.com' })).toEqual({ [email]: 'must be an email address' });
});
