import Big from 'big.js';
import * as fc from 'fast-check';
import type { Simulator } from '../../src/simulator';
import { app, call, type Json, start } from './support';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await start();
});
afterEach(() => simulator.close());

describe('the bank list (section 4.5)', () => {
  const banks = (request: Json, as: typeof app = app) => call(simulator, '/trade/bank-list', request, { as });
  const fields = ['bank_id', 'bank_name', 'language_code', 'channel', 'logo', 'currency', 'min_amount'];

  test.each(['BankTransfer', 'Cash', 'Khipu', 'OpenFinance'])('%s has several banks', async (method) => {
    const { body } = await banks({ method });
    expect(body).toMatchObject({ code: '10000', msg: 'Success' });
    const data = Array.isArray(body.data) ? body.data : [];
    expect(data.length).toBeGreaterThan(1);
    for (const bank of data) {
      expect(Object.keys(bank).sort()).toEqual([...fields].sort());
      for (const field of fields) expect(bank[field]).toEqual(expect.stringMatching(/./));
    }
  });

  test('one region’s banks, where a region is named', async () => {
    const { body } = await banks({ method: 'BankTransfer', region: 'ECU' });
    expect(body.data).toMatchObject([
      { bank_id: 'bpacifico', currency: 'USD' },
      { bank_id: 'internacional', currency: 'USD' },
      { bank_id: 'pichincha', currency: 'USD' },
    ]);
    expect((await banks({ method: 'BankTransfer', region: 'CHL' })).body).toMatchObject({ code: '10000', data: [] });
  });

  test('data is a list, or by setting one bank', async () => {
    simulator.configure({ bankListData: 'object' });
    expect((await banks({ method: 'Cash', region: 'MEX' })).body.data).toMatchObject({ bank_id: 'esquina' });
    expect((await banks({ method: 'Cash', region: 'CHL' })).body.data).toEqual({});
  });

  test('a logo is a picture', async () => {
    const { body } = await banks({ method: 'Khipu' });
    const [{ logo }] = Array.isArray(body.data) ? body.data : [];
    const response = await fetch(logo);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(await response.text()).toMatch(/^<svg /);
    expect((await fetch(`${simulator.url}/banks/none.svg`)).status).toBe(404);
  });
});

describe('installments (section 4.6)', () => {
  const ask = (request: Json) => call(simulator, '/trade/installments', request);

  test('each line has its stage, each installment, the total and the rate', async () => {
    const { body } = await ask({ currency: 'BRL', amount: '100.00' });
    expect(body).toMatchObject({ code: '10000', msg: 'Success' });
    expect(body.fee).toMatchObject([
      { stage: 1, amount_each: 100, amount: 100, rate: 0 },
      { stage: 2, amount_each: 51, amount: 102, rate: 0.0199 },
      ...Array.from({ length: 10 }, (_, index) => ({ stage: index + 3 })),
    ]);
  });

  test('the installments of a line add up to its total exactly, and no line loses a cent', async () => {
    simulator.configure({ queryAmount: 'string' });
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: 9_999_999_999n }), async (cents) => {
        const amount = new Big(cents.toString()).div(100).toFixed(2);
        const { body } = await ask({ currency: 'BRL', amount });
        const lines = Array.isArray(body.fee) ? body.fee : [];
        expect(lines).toHaveLength(12);
        for (const line of lines) {
          const total = new Big(line.amount);
          expect(total.eq(new Big(line.amount_each).times(line.stage))).toBe(true);
          expect(total.gte(amount)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('decimals are exact literals, or by setting texts', async () => {
    expect((await ask({ currency: 'BRL', amount: '99999999.99' })).text).toContain('"amount_each":99999999.99,');
    simulator.configure({ queryAmount: 'string' });
    expect((await ask({ currency: 'BRL', amount: '1' })).text).toContain('"amount_each":"1.00"');
  });
});

describe('the wallet’s client token (section 4.7)', () => {
  const path = '/trade/get-wallet-client-token';

  test('is new each time', async () => {
    const [one, two] = [await call(simulator, path, {}), await call(simulator, path, {})];
    expect(one.body).toEqual({ code: '10000', msg: 'Success', token: expect.stringMatching(/./) });
    expect(two.body.token).not.toBe(one.body.token);
  });

  test('is served at the path of the setting, and only there', async () => {
    simulator.configure({ walletTokenPath: '/trade/get-acme-client-token' });
    expect((await call(simulator, '/trade/get-acme-client-token', {})).body.token).toBeDefined();
    expect((await call(simulator, path, {})).status).toBe(404);
  });

  test('needs credentials like any other operation', async () => {
    const as = { ...app, secret_key: 'guess' };
    expect((await call(simulator, path, {}, { as })).body.sub_code).toBe('invalid-signature');
  });
});

test('a path that is no operation is not found', async () => {
  expect((await call(simulator, '/trade/steal', {})).status).toBe(404);
  expect((await call(simulator, '/', {})).status).toBe(404);
});
