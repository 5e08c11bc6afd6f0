/** What the client makes of a success, beyond the published answers (test/contract/interface/samples.test.ts). */
import { readBanks } from '../../src/gateway/banks';
import { readPlans } from '../../src/gateway/installments';
import { parseExact } from '../../src/gateway/json';
import { readTrade } from '../../src/gateway/query';
import { operation } from './operations';
import { failureOf, gateways, type Json } from './support';

const open = gateways();
const exact = (text: string) => parseExact(text) as Json;

/** Calls an operation whose answer is this text. */
async function answered(path: string, text: string | object, changes: Json = {}): Promise<unknown> {
  const gateway = await open.http((response) => response.end(typeof text === 'string' ? text : JSON.stringify(text)));
  const { call, request } = operation(path);
  return call(open.client(gateway), { ...request, ...changes });
}

const ACCOUNT = '/virtual-account/spei';
const bank = { bank_id: '001', bank_name: 'Banco', min_amount: '200' };
const account = { account_number: '646180157000000004', provider: 'STP', limits: { day: 3 } };
const asked = { account_id: 'a-1' };

test.each<[path: string, changes: Json, answer: Json, read: unknown]>([
  ['/trade/create', {}, { web_url: 'https://pay.example/c' }, { web_url: 'https://pay.example/c' }],
  [
    '/trade/refund',
    { trade_no: '17', refund_amount: '10.0' },
    { trade_no: 17, refund_amount: '10.00', refund_status: '' },
    { trade_no: '17', refund_amount: '10.00' },
  ],
  ['/trade/bank-list', {}, { data: [bank] }, [bank]],
  ['/trade/installments', {}, { fee: [{ stage: 1, amount: '5.00' }] }, [{ stage: 1, amount: '5.00' }]],
  [`${ACCOUNT}/create`, {}, { ...account, ...asked }, { ...account, ...asked }],
  [`${ACCOUNT}/query`, asked, { ...account, status: 'FROZEN' }, { ...account, ...asked, status: 'FROZEN' }],
  [`${ACCOUNT}/cancel`, asked, { ...asked, status: 'CANCELED' }, { ...asked, status: 'CANCELED' }],
  [`${ACCOUNT}/quantity`, {}, { available_quantity: '0' }, { available_quantity: 0 }],
  [`${ACCOUNT}/quantity`, {}, { used: 2000, unused: 1000 }, { used: 2000, available_quantity: 1000 }],
])('an answer to %s without code and msg is a success by its own fields', async (path, changes, answer, read) => {
  expect(await answered(path, answer, changes)).toEqual(read);
  expect(await answered(path, { code: 10000, msg: 'Success', ...answer }, changes)).toEqual(read);
});

test.each<[path: string, answer: Json]>([
  ['/trade/refund', { trade_no: 'marked' }],
  ['/trade/query', { code: '10000', trade_status: '', trade_no: 't-1' }],
  ['/trade/bank-list', { banks: [bank] }],
  ['/trade/installments', { code: '10000', msg: 'Success' }],
  ['/trade/get-wallet-client-token', { code: '10000', token: '' }],
  ['/trade/get-wallet-client-token', { code: '10000', client_token: 'marked' }],
  ['/trade/get-wallet-client-token', { client: 'marked' }],
  [`${ACCOUNT}/create`, { code: '10000', msg: 'Success' }],
  [`${ACCOUNT}/query`, { code: '10000', ...operation(`${ACCOUNT}/query`).request }],
  [`${ACCOUNT}/quantity`, { code: '10000' }],
  [`${ACCOUNT}/quantity`, { code: '10000', available_quantity: '' }],
  [`${ACCOUNT}/quantity`, { available_quantity: 'many' }],
])('an answer to %s that lacks what was asked for is unknown, and not quoted: %j', async (path, answer) => {
  const failure = await failureOf(answered(path, answer));
  expect(failure).toMatchObject({ outcome: 'unknown', retryable: true, operation: path });
  expect(failure.message).not.toContain('marked');
});

describe('a trade', () => {
  test.each([
    ['a string', '"150.00"', '150.00'],
    ['a number', '150.5', '150.5'],
    ['a number with trailing zeros', '150.00', '150.00'],
    ['the largest amount as a number', '99999999999999.99', '99999999999999.99'],
    ['a number with an exponent', '1.5E+2', '150'],
    ['a string with an exponent', '"1.5E+2"', '150'],
    ['what nobody can read', '"1.500,00"', '1.500,00'],
  ])('has an amount that may be %s', (_, literal, amount) => {
    expect(readTrade(exact(`{"trade_status":"SUCCESS","order_amount":${literal}}`))?.order_amount).toBe(amount);
  });

  test('has an id with all its digits, none where it is empty, and any state', () => {
    const said = exact('{"trade_status":"HELD_FOR_REVIEW_BY_BANK","trade_no":2025120320503108483,"out_trade_no":""}');
    const read = readTrade(said);
    expect(read).toMatchObject({ trade_status: 'HELD_FOR_REVIEW_BY_BANK', trade_no: '2025120320503108483' });
    expect(read?.out_trade_no).toBeUndefined();
  });
});

describe('installments', () => {
  test.each([
    '{"stage":3,"amount_each":33.34,"amount":99999999999999.90,"rate":0.0199,"label":"com juros"}',
    '{"stage":"3","amount_each":"33.34","amount":"99999999999999.90","rate":"0.0199","label":"com juros"}',
  ])('may be numbers or strings: %s', (plan) => {
    expect(readPlans(exact(`{"fee":[${plan}]}`))).toEqual([
      { stage: 3, amount_each: '33.34', amount: '99999999999999.90', rate: '0.0199', label: 'com juros' },
    ]);
  });

  test.each(['{}', '{"fee":"none"}', '{"fee":{}}', '{"fee":[{}]}', '{"fee":[{"stage":"all"}]}', '{"fee":[1]}'])(
    'are unreadable without a list of plans with their numbers of installments: %s',
    (text) => expect(readPlans(exact(text))).toBeUndefined(),
  );
});

describe('banks', () => {
  test.each<[string, Json, Json[]]>([
    ['a list', { data: [bank, { bank_id: '002' }] }, [bank, { bank_id: '002' }]],
    ['one object', { data: bank }, [bank]],
    ['numbers', { data: { bank_id: 1, min_amount: 200 } }, [{ bank_id: '1', min_amount: '200' }]],
    ['an amount beside data', { data: { bank_id: '001' }, min_amount: '200' }, [{ bank_id: '001', min_amount: '200' }]],
    [
      'an amount beside data, where banks have their own',
      { data: [bank, { bank_id: '002' }], min_amount: '5' },
      [bank, { bank_id: '002', min_amount: '5' }],
    ],
    [
      'fields beside data, as a published sample has them',
      { 'data.bank_id': '001', 'data.bank_name': 'Banco', min_amount: '200', 'data.detail': '' },
      [{ ...bank, detail: '' }],
    ],
    ['an empty list', { data: [] }, []],
    ['null', { data: null }, []],
    ['an empty string', { data: '' }, []],
    ['nothing', {}, []],
    ['something that is no bank among banks', { data: [null, 'x', bank] }, [bank]],
  ])('may come as %s', (_, answer, banks) => expect(readBanks(answer)).toEqual(banks));

  test.each(['a text', 7, true])('are unreadable where data is %j', (data) => {
    expect(readBanks({ data })).toBeUndefined();
  });
});

test('a refund’s answer is kept without what is large beside its own fields, and with a line of each of those: it stays in the ledger', async () => {
  const long = 'x'.repeat(300_000);
  const answer = { memo: long, toString: long, note: 'x'.repeat(600), more: 'x'.repeat(600), fee: { a: 1 } };
  const own = { trade_no: 't-1', refund_amount: '10.00' };
  expect(await answered('/trade/refund', { ...answer, ...own, refund_status: long }, own)).toEqual({
    ...own,
    note: answer.note,
    fee: { a: 1 },
    refund_status: 'x'.repeat(256),
  });
});

test('digits of numbers are kept, of an account and of a refund', async () => {
  const made = await answered(
    `${ACCOUNT}/create`,
    '{"code":"10000","account_id":17,"account_number":646180157000000004}',
  );
  expect(made).toEqual({ account_id: '17', account_number: '646180157000000004' });
  const refund_amount = '99999999999999.90';
  const refunded = await answered('/trade/refund', `{"code":"10000","refund_amount":${refund_amount}}`, {
    refund_amount,
  });
  expect(refunded).toEqual({ refund_amount });
});
