import Big from 'big.js';
import * as fc from 'fast-check';
import { clabeCheckDigit } from '../../src/simulator/trades/clabe';
import { merchant, simulator } from './running';
import { accountOf, app, call, control, type Json, noon, otherApp } from './support';

const spei = (operation: string, body: Json = {}, as: typeof app = app) =>
  call(simulator, `/virtual-account/spei/${operation}`, body, { as });
const request = (changes: Json = {}) => accountOf(merchant.url, changes);
const open = async (changes: Json = {}, as: typeof app = app) =>
  String((await spei('create', request(changes), as)).body.account_id);
const quantity = async (as: typeof app = app) => (await spei('quantity', {}, as)).body.available_quantity;

describe('create (section 4.8)', () => {
  test('answers with the account: a CLABE whose check digit is right', async () => {
    const { status, body } = await spei('create', request());
    expect(status).toBe(200);
    expect(body).toEqual({
      code: '10000',
      msg: 'Success',
      account_id: expect.stringMatching(/^[0-9A-F]{16}$/),
      account_number: expect.stringMatching(/^646181\d{12}$/),
      provider: 'STP',
      status: 'ACTIVE',
      beneficiary_name: expect.stringMatching(/./),
      notify_url: merchant.url,
    });
    const number = String(body.account_number);
    expect(clabeCheckDigit(number.slice(0, 17))).toBe(number.slice(17));
  });

  test('the same request again opens another account', async () => {
    expect(await open()).not.toBe(await open());
    expect(new Set(simulator.accounts().map(({ account_number }) => account_number)).size).toBe(2);
  });

  test('the identity is not either, by setting', async () => {
    simulator.configure({ accountIdentify: 'optional' });
    expect((await spei('create', request({ 'customer.identify': undefined }))).body.code).toBe('10000');
  });
});

describe('cancel and query (section 4.8)', () => {
  test('a canceled account stays canceled, however often it is canceled', async () => {
    const account_id = await open();
    expect((await spei('query', { account_id })).body).toMatchObject({ account_id, status: 'ACTIVE' });
    for (let times = 0; times < 2; times += 1) {
      expect((await spei('cancel', { account_id })).body).toMatchObject({ code: '10000', status: 'CANCELED' });
    }
    expect((await spei('query', { account_id })).body).toMatchObject({ account_id, status: 'CANCELED' });
  });

  test.each(['cancel', 'query'])('%s: an account that is unknown, or another app’s', async (operation) => {
    const account_id = await open({}, otherApp);
    expect((await spei(operation, { account_id })).body.sub_code).toBe('account-not-exist');
    expect((await spei(operation, { account_id: '__proto__' })).body.sub_code).toBe('account-not-exist');
    expect((await spei(operation)).body).toMatchObject({ code: '40001', sub_code: 'account_id' });
    simulator.configure({ unknownAccountSubCode: 'no-account' });
    expect((await spei(operation, { account_id })).body.sub_code).toBe('no-account');
    expect(simulator.account(account_id).status).toBe('ACTIVE');
  });

  test('by setting answers come bare, without code and msg', async () => {
    simulator.configure({ accountAnswers: 'bare' });
    const { body } = await spei('create', request());
    expect(Object.keys(body)).not.toContain('code');
    const { account_id } = body;
    expect((await spei('query', { account_id })).body).toEqual(body);
    expect((await spei('quantity')).body).toEqual({ available_quantity: 999 });
  });
});

describe('quantity: accounts are few (section 4.8)', () => {
  test('each account takes one of the app’s, until none is left', async () => {
    simulator.configure({ accountPool: 2 });
    expect(await quantity()).toBe(2);
    await open();
    expect(await quantity()).toBe(1);
    await open();
    expect(await quantity()).toBe(0);
    const { status, body } = await spei('create', request());
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: '40002', msg: 'Business Failed', sub_code: 'account-pool-run-out' });
    expect(simulator.accounts()).toHaveLength(2);
    expect(await quantity(otherApp)).toBe(2);
  });

  test('a canceled account is gone, or by setting makes room', async () => {
    simulator.configure({ accountPool: 2 });
    await spei('cancel', { account_id: await open() });
    expect(await quantity()).toBe(1);
    simulator.configure({ canceledAccounts: 'freed' });
    expect(await quantity()).toBe(2);
  });

  test('a pool that is made smaller than its accounts has 0 left', async () => {
    await open();
    simulator.configure({ accountPool: 0 });
    expect(await quantity()).toBe(0);
  });
});

describe('deposits (sections 1 and 6.5)', () => {
  test('become a paid order that a query finds, and a signed notification that names the account', async () => {
    const account_id = await open();
    const { account_number } = simulator.account(account_id);
    const { trade_no, out_trade_no } = await simulator.deposit(account_id, '1234.5');
    expect((await call(simulator, '/trade/query', { trade_no })).body).toMatchObject({
      code: '10000',
      out_trade_no,
      trade_status: 'SUCCESS',
      order_amount: 1234.5,
      order_currency: 'MXN',
      method: 'SPEI',
    });
    await simulator.settled();
    const [{ headers, body } = fail()] = merchant.received;
    expect(headers['service-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(body).toEqual({
      app_id: 'app-1',
      trade_no,
      out_trade_no,
      out_request_no: '',
      method: 'SPEI',
      channel: '',
      trade_status: 'SUCCESS',
      currency: 'MXN',
      amount: '1234.50',
      timestamp: String(noon / 1000),
      user: {
        buyer_id: 'buyer-mx-1',
        name: 'Sofía Hernández',
        email: 'sofia@example.com',
        phone: '5215512345678',
        ip: '',
        identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
      },
      transfer_account: {
        account_id,
        account_number,
        provider: 'STP',
        buyer_id: 'buyer-mx-1',
        beneficiary_name: simulator.account(account_id).beneficiary_name,
        transfer_timestamp: noon / 1000,
      },
    });
  });

  test('settings make transfer_timestamp a text and leave the buyer_id out', async () => {
    simulator.configure({ transferTimestamp: 'string', transferBuyerId: 'absent' });
    await simulator.deposit(await open(), '1.00');
    await simulator.settled();
    const [{ body } = fail()] = merchant.received;
    expect(body.transfer_account).toMatchObject({ transfer_timestamp: String(noon / 1000) });
    expect(body.transfer_account).not.toHaveProperty('buyer_id');
  });

  test('retries and the callback button say the same', async () => {
    merchant.answer = { status: 500, body: '' };
    const { trade_no } = await simulator.deposit(await open(), '1.00');
    await simulator.advance('10m');
    await simulator.notify(trade_no);
    const accounts = merchant.received.map(({ body }) => body.transfer_account);
    expect(accounts).toHaveLength(3);
    expect(accounts[1]).toEqual(accounts[0]);
    expect(accounts[2]).toEqual(accounts[0]);
  });

  test('any number of any amounts: each its own order, the total exact', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.bigInt({ min: 1n, max: 9_999_999_999_999_999n }), { maxLength: 12 }),
        async (all) => {
          const account_id = await open();
          const amounts = all.map((cents) => new Big(cents.toString()).div(100).toFixed(2));
          for (const amount of amounts) await simulator.deposit(account_id, amount);
          const total = amounts.reduce((sum, amount) => sum.plus(amount), new Big(0)).toFixed(2);
          expect(simulator.deposits(account_id)).toMatchObject({ count: amounts.length, total });
          expect(simulator.account(account_id).deposits).toEqual({ count: amounts.length, total });
          const numbers = simulator.deposits(account_id).deposits.map(({ out_trade_no }) => out_trade_no);
          expect(new Set(numbers).size).toBe(amounts.length);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('a canceled account takes no deposit, or takes it by the setting', async () => {
    const account_id = await open();
    await spei('cancel', { account_id });
    await expect(simulator.deposit(account_id, '1.00')).rejects.toThrow('is canceled and takes no deposits');
    simulator.configure({ depositsAfterCancel: 'accepted' });
    await simulator.deposit(account_id, '1.00');
    await simulator.settled();
    expect(merchant.received).toHaveLength(1);
  });

  test('a deposit without a notification exists all the same', async () => {
    const { out_trade_no } = await simulator.deposit(await open(), { amount: '1.00', notify: false });
    await simulator.advance('30d');
    expect(merchant.received).toEqual([]);
    expect((await call(simulator, '/trade/query', { out_trade_no })).body.trade_status).toBe('SUCCESS');
    await simulator.notify(out_trade_no);
    expect(merchant.received).toHaveLength(1);
  });

  test('a notification can name another account than the true one', async () => {
    const account_id = await open();
    const says = { account_number: '646180000000000000', buyer_id: 'somebody else' };
    await simulator.deposit(account_id, { amount: '1.00', says });
    await simulator.settled();
    expect(merchant.received[0]?.body.transfer_account).toMatchObject({ account_id, ...says });
    expect(simulator.deposits(account_id).count).toBe(1);
  });
});

describe('by the control API', () => {
  test('accounts are listed and shown, and paid into by either number', async () => {
    const account_id = await open();
    await open({ 'customer.buyer_id': 'buyer-mx-2' });
    const { account_number } = simulator.account(account_id);
    expect(await control(simulator, 'POST', `accounts/${account_id}/deposits`, { amount: '10.00' })).toMatchObject({
      status: 200,
      value: { trade_status: 'SUCCESS', kind: 'deposit', account_id, order_amount: '10.00' },
    });
    await control(simulator, 'POST', `accounts/${account_number}/deposits`, { amount: '0.01' });
    expect((await control(simulator, 'GET', `accounts/${account_id}/deposits`)).value).toMatchObject({
      account_id,
      count: 2,
      total: '10.01',
      deposits: [{ amount: '10.00' }, { amount: '0.01' }],
    });
    expect((await control(simulator, 'GET', 'accounts')).value).toEqual(simulator.accounts());
    expect((await control(simulator, 'GET', 'accounts?buyer_id=buyer-mx-1')).value).toMatchObject([
      { account_id, deposits: { count: 2, total: '10.01' } },
    ]);
    expect((await control(simulator, 'GET', `accounts/${account_id}`)).value).toEqual(simulator.account(account_id));
  });

  test('nothing of the buyer is shown', async () => {
    await open();
    const shown = JSON.stringify((await control(simulator, 'GET', 'accounts')).value);
    for (const secret of ['Sofía', 'sofia@', 'HESO900101']) expect(shown).not.toContain(secret);
  });
});

function fail(): never {
  throw new Error('Nothing was notified');
}
