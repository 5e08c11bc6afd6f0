/** What is known of a virtual account, and which deposits raise its attention (sections 2.3, 6.5). */
import { HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { AccountRecord, accountData, parseDeposit } from '../../../src/workflows/account/record';

const CLABE = '646180157000000004';
const OTHER_CLABE = '032180000118359719';
const ACCOUNT = { account_id: 'A1', account_number: CLABE, provider: 'STP', status: 'ACTIVE', buyer_id: 'buyer-1' };
/** Queries may be behind by five minutes. */
const LAG = { lag_ms: 5 * MINUTE };
const NOW = { asked_at: 0, told_at: 0, ...LAG };
const LATER = { asked_at: HOUR, told_at: HOUR, ...LAG };

describe('an account', () => {
  test('keeps the fields of the interface and nothing else', () => {
    expect(accountData(Object.assign({ account_id: 'A1', status: 'ACTIVE', provider: '' }, { else: 1 }))).toEqual({
      account_id: 'A1',
      status: 'ACTIVE',
    });
  });

  test('takes the gateway’s fields, and keeps those that it leaves out', () => {
    const record = new AccountRecord(ACCOUNT, 0);
    record.applyQuery({ status: 'CANCELED' }, NOW);
    expect(record.account).toEqual({ ...ACCOUNT, status: 'CANCELED' });
    expect(record.isCanceled).toBe(true);
  });

  test('promise 6: that is canceled is another again only by an answer that cannot be behind, whenever it comes', () => {
    const record = new AccountRecord(ACCOUNT, 0);
    record.applyQuery({ status: 'CANCELED' }, { asked_at: 0, told_at: HOUR, ...LAG });
    const active = { status: 'ACTIVE', beneficiary_name: 'Sofia' };
    record.applyQuery(active, { asked_at: HOUR + 4 * MINUTE, told_at: 2 * HOUR, ...LAG });
    expect(record.account).toEqual({ ...ACCOUNT, status: 'CANCELED', beneficiary_name: 'Sofia' });
    record.applyQuery({ status: 'CANCELED' }, { asked_at: 2 * HOUR, told_at: 2 * HOUR, ...LAG });
    record.applyQuery(active, { asked_at: HOUR + 5 * MINUTE, told_at: 3 * HOUR, ...LAG });
    expect(record.status).toBe('ACTIVE');
  });

  test.each([
    ['a right one', CLABE, null],
    ['one with a wrong check digit', '646180157000000005', 'clabe-check-digit'],
    ['the interface’s own sample', '000000000000000001', 'clabe-check-digit'],
    ['none', undefined, null],
  ])('number: %s', (_, account_number, attention) => {
    expect(new AccountRecord({ account_id: 'A1', account_number }, 0).attention).toBe(attention);
  });

  test.each([
    ['ACTIVE', null],
    ['CANCELED', null],
    ['FROZEN', 'unknown-status'],
  ])('status %s', (status, attention) => {
    const record = new AccountRecord({ ...ACCOUNT, status }, 0);
    expect(record.attention).toBe(attention);
    record.applyQuery({ status: 'ACTIVE' }, LATER);
    expect(record.attention).toBeNull();
  });
});

describe('a deposit with', () => {
  test.each([
    ['the account as it is', ACCOUNT, null],
    ['nothing but the account', { account_id: 'A1' }, null],
    ['empty texts', { account_number: '', buyer_id: '', provider: '' }, null],
    ['another number', { ...ACCOUNT, account_number: OTHER_CLABE }, 'account-mismatch'],
    ['another buyer', { ...ACCOUNT, buyer_id: 'buyer-2' }, 'account-mismatch'],
    ['another provider', { ...ACCOUNT, provider: 'BBVA' }, 'account-mismatch'],
  ])('%s', (_, transfer_account, attention) => {
    const record = new AccountRecord(ACCOUNT, 0);
    record.compare({ transfer_account }, { out_trade_no: 'VA1' });
    expect(record.attention).toBe(attention);
  });

  test('a wrong check digit raises attention where the account’s number is not known', () => {
    const record = new AccountRecord({ account_id: 'A1' }, 0);
    record.compare({ transfer_account: { account_number: '112233445566778899' } }, { out_trade_no: 'VA1' });
    expect(record.attention).toBe('clabe-check-digit');
  });
});

test('of more entries than are kept, the older ones stay as one that names no deposit', () => {
  const record = new AccountRecord(ACCOUNT, 0);
  for (let no = 1; no <= 600; no += 1) record.raise('old-deposit', { out_trade_no: `VA${no}` });
  record.raise('old-deposit', { out_trade_no: 'VA600' });
  expect(record.unseen).toHaveLength(501);
  expect(record.unseen[0]).toEqual({ no: 100, because: 'old-deposit', deposit: null });
  record.resolve('ana', 'old-deposit:100', 0);
  expect(record.unseen).toHaveLength(500);
  expect(record.issuesWith('old-deposit:600')).toEqual([]);
  expect(record.issuesWith('old-deposit:601')).toMatchObject([{ field: 'seen' }]);
});

describe('transfer_timestamp', () => {
  const at = (transfer_timestamp: unknown) =>
    parseDeposit({ out_trade_no: 'VA1', transfer_account: { transfer_timestamp } })?.transferred_s;

  test.each([
    ['seconds as a number', 1_645_516_741],
    ['seconds as text', '1645516741'],
    ['milliseconds', '1645516741000'],
    ['a date in UTC', '2022-02-22 07:59:01'],
    ['ISO 8601', '2022-02-22T01:59:01-06:00'],
  ])('%s', (_, told) => expect(at(told)).toBe(1_645_516_741));

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['words', 'yesterday'],
  ])('%s: not told', (_, told) => expect(at(told)).toBeUndefined());
});

test.each([
  ['without an order number', { amount: '1.00' }],
  ['with a number that no workflow can be named by', { out_trade_no: 'x'.repeat(1_200), amount: '1.00' }],
  ['with such a trade number', { out_trade_no: 'VA1', trade_no: 'x'.repeat(1_200) }],
])('a signal %s is no deposit', (_, signal) => {
  expect(parseDeposit(signal)).toBeUndefined();
});
