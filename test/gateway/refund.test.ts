/** Refunds (section 4.3): the user info of each method, when a number is required, and the response. */
import { parseRefund } from '../../src/gateway';
import { checkRequest } from '../../src/gateway/check';
import { REFUND } from '../../src/gateway/refund';
import type { RefundedTrade } from '../../src/gateway/rules';
import { operation } from './operations';
import { answerJson, edited, failureOf, faults, gateways, type Json } from './support';

const open = gateways();
const { request } = operation('/trade/refund');
const { trade_no: _trade, out_trade_no: _order, ...body } = request;

const number = 'user_info.identify.number';
const name = 'user_info.name';
const email = 'user_info.email';
const OF_EVERY_REFUND = ['refund_currency', 'refund_amount'];

/** The user info that a refund requires, by the method of its trade. */
const USER_INFO: [method: string | undefined, required: string[]][] = [
  ['PIX', [number, name, email]],
  ['Boleto', [number, name, email]],
  ['Lottery', [number, name, email]],
  ['DepositExpress', [number, name, email]],
  ['SPEI', [email]],
  ['Wallet', [email]],
  ['CreditCard', [email]],
  ['creditcard', [email]],
  ['a method that nobody told us of', [number, name, email]],
  [undefined, [number, name, email]],
];

const FIELDS = [
  'out_request_no',
  'refund_currency',
  'refund_amount',
  'refund_reason',
  number,
  'user_info.identify.type',
  name,
  email,
  'user_info.phone',
  'platform_type',
  ...['bank_id', 'bank_name', 'agency', 'type', 'number'].map((field) => `bank_info.${field}`),
];

describe.each(USER_INFO)('a refund of a trade by %s', (method, required) => {
  test(`requires ${required.join(', ')} and no other user or bank info`, () => {
    const missed = FIELDS.filter((field) => {
      const found = Object.keys(faults(() => parseRefund(edited(body, { [field]: undefined }), { trade: { method } })));
      if (found.length > 0) expect(found).toEqual([field]);
      return found.length > 0;
    });
    expect(missed.sort()).toEqual([...OF_EVERY_REFUND, ...required].sort());
  });
});

test('the rule tells where the money goes', () => {
  const missing = (method: string, field: string) =>
    faults(() => parseRefund(edited(body, { [field]: undefined }), { trade: { method } }))[field];
  expect(missing('Boleto', number)).toBe('required to refund to a bank account');
  expect(missing('SPEI', email)).toBe('required to refund to a bank account (CLABE)');
  expect(missing('CreditCard', email)).toBe('required to refund to the original source');
});

describe('out_request_no', () => {
  const reading = (refund_amount: string, trade: RefundedTrade) =>
    faults(() => parseRefund(edited(body, { out_request_no: undefined, refund_amount }), { trade }));
  const partial = { out_request_no: 'required for a partial refund' };

  test.each([
    ['12.10', '150.00', partial],
    ['149.99', '150.00', partial],
    ['150.00', '150.00', {}],
    ['150', '150.00', {}],
    ['99999999999999.98', '99999999999999.99', partial],
  ])('for %s of %s', (refund_amount, order_amount, expected) => {
    expect(reading(refund_amount, { order_amount })).toEqual(expected);
  });

  test('is not required if the amount of the trade is unknown', () => {
    expect(reading('12.10', {})).toEqual({});
  });
});

describe('the trade', () => {
  test('is not part of the merchant’s request', () => {
    expect(faults(() => parseRefund(request))).toEqual({ trade_no: 'unknown field', out_trade_no: 'unknown field' });
  });

  test.each<[Json, Json]>([
    [{ trade_no: undefined }, {}],
    [{ out_trade_no: undefined }, {}],
    [{ trade_no: undefined, out_trade_no: undefined }, { out_trade_no: 'required, unless trade_no is given' }],
  ])('is named by its ids: %j', (changes, expected) => {
    expect(faults(() => checkRequest(REFUND.rules, edited(request, changes)))).toEqual(expected);
  });
});

test('unknown fields are refused by their path', () => {
  const input = edited(body, {
    reason: 'x',
    'user_info.mail': 'x',
    'user_info.identify.kind': 'x',
    'bank_info.iban': 'x',
  });
  expect(faults(() => parseRefund(input))).toEqual({
    reason: 'unknown field',
    'user_info.mail': 'unknown field',
    'user_info.identify.kind': 'unknown field',
    'bank_info.iban': 'unknown field',
  });
});

test('an email with + is accepted; it is forbidden for customers only', () => {
  expect(faults(() => parseRefund(edited(body, { [email]: 'a+b@example.com' })))).toEqual({});
  expect(faults(() => parseRefund(edited(body, { [email]: 'example.com' })))).toEqual({
    [email]: 'must be an email address',
  });
});

describe('the response', () => {
  const answered = async (text: string, changes: Json = {}) => {
    const gateway = await open.http((response) => response.end(text));
    return open.client(gateway).refund({ ...request, ...changes });
  };

  test('keeps all small fields and every digit of the amount', async () => {
    await expect(
      answered(
        '{"code":"10000","trade_no":"t-1","refund_amount":99999999999999.90,"refund_status":"NEW","fee":{"a":1}}',
        { refund_amount: '99999999999999.90' },
      ),
    ).resolves.toEqual({
      trade_no: 't-1',
      refund_amount: '99999999999999.90',
      refund_status: 'NEW',
      fee: { a: 1 },
    });
  });

  test('may have numbers or strings, empty strings for absent fields, and no code and msg', async () => {
    const asked = { trade_no: '17', refund_amount: '10.0' };
    await expect(answered('{"trade_no":17,"refund_amount":"10.00","refund_status":""}', asked)).resolves.toEqual({
      trade_no: '17',
      refund_amount: '10.00',
    });
  });

  test('is kept without what is large beside its own fields, and with a line of each of those: it stays in the ledger', async () => {
    const long = 'x'.repeat(300_000);
    const answer = { memo: long, toString: long, note: 'x'.repeat(600), more: 'x'.repeat(600), fee: { a: 1 } };
    const text = JSON.stringify({ ...answer, trade_no: 't-1', refund_amount: '10.00', refund_status: long });
    await expect(answered(text, { trade_no: 't-1', refund_amount: '10.00' })).resolves.toEqual({
      note: answer.note,
      fee: { a: 1 },
      trade_no: 't-1',
      refund_amount: '10.00',
      refund_status: 'x'.repeat(256),
    });
  });

  test('without a code and without a field of a refund is unknown', async () => {
    expect(await failureOf(answered('{"trade_no":"t-1"}'))).toMatchObject({ outcome: 'unknown', retryable: true });
  });
});

test('facts about the trade are used for the check and not sent', async () => {
  const gateway = await open.http(answerJson({ code: '10000' }));
  const refund = edited(request, { out_request_no: undefined, refund_amount: '1.00' });
  const failure = await failureOf(open.client(gateway).refund(refund, { method: 'PIX', order_amount: '2.00' }));
  expect(failure.message).toContain('out_request_no: required for a partial refund');
  expect(gateway.received).toEqual([]);
});
