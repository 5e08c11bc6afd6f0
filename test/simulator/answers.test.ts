/** Orders and what is looked up. The table of test/contract/interface drives the rules of sections 4 and 8 and the fields of answers. */
import Big from 'big.js';
import * as fc from 'fast-check';
import { boleto, dueFactor, mod10, mod11 } from '../../src/simulator/trades/boleto';
import { clabeCheckDigit, simulatedClabe } from '../../src/simulator/trades/clabe';
import { crc16 } from '../../src/simulator/trades/pix';
import { create, simulator } from './running';
import { app, authorization, call, type Json, noon, order, otherApp, send } from './support';

describe('how a direct creation starts (section 3.1)', () => {
  test.each([
    ['pse', 'PROCESSING', 'PROCESSING'],
    ['efecty', 'PROCESSING', 'PROCESSING'],
    ['pix', 'PROCESSING', 'INITIAL'],
    ['spei', 'PROCESSING', 'INITIAL'],
    ['boleto', 'PROCESSING', 'INITIAL'],
    ['lottery', 'PROCESSING', 'INITIAL'],
    ['deposit-express', 'PROCESSING', 'INITIAL'],
    ['oxxo', 'PROCESSING', 'INITIAL'],
    ['oxxopay', 'PROCESSING', 'INITIAL'],
    ['cash', 'PROCESSING', 'INITIAL'],
    ['codi', 'PROCESSING', 'INITIAL'],
    ['credit-card', 'INITIAL', 'INITIAL'],
    ['wallet-qr', 'INITIAL', 'INITIAL'],
    ['open-finance', 'INITIAL', 'INITIAL'],
  ])('%s: %s in the field, %s by the interface', async (file, field, byInterface) => {
    expect((await create(file)).trade_status).toBe(field);
    simulator.configure({ directStatus: 'interface' });
    expect((await create(file, { out_trade_no: 'again' })).trade_status).toBe(byInterface);
  });

  test('a checkout is INITIAL', async () => {
    await create('checkout');
    expect(simulator.trades()).toMatchObject([{ kind: 'checkout', trade_status: 'INITIAL' }]);
  });
});

describe('codes that a buyer’s bank can read', () => {
  test('a PIX code carries amount, currency, country and key, and its checksum holds', async () => {
    expect(crc16('123456789')).toBe('29B1');
    const code = String((await create('pix', { order_amount: '150.5' })).qr_code);
    expect(code.slice(-4)).toBe(crc16(code.slice(0, -4)));
    const fields = tags(code);
    expect(fields).toMatchObject({ '00': '01', '53': '986', '54': '150.50', '58': 'BR' });
    expect(tags(fields['26'] ?? '')).toEqual({
      '00': 'br.gov.bcb.pix',
      '01': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    expect(code.slice(-8, -4)).toBe('6304');
  });

  test('a boleto’s bars and its typed line say the same, and its check digits hold', async () => {
    const { barcode, bank_code } = await create('boleto');
    const [bars, line] = [String(barcode), String(bank_code)];
    expect(bars).toMatch(/^\d{44}$/);
    expect(bars[4]).toBe(mod11(bars.slice(0, 4) + bars.slice(5)));
    // Three days from noon: 2026-03-05, 1376 days... counted from 1000 on 2025-02-22.
    expect(bars.slice(5, 9)).toBe('1376');
    expect(bars.slice(9, 19)).toBe('0000128990');
    expect(line).toMatch(/^\d{47}$/);
    const parts = [line.slice(0, 9), line.slice(10, 20), line.slice(21, 31)];
    expect(parts.map(mod10)).toEqual([line[9], line[20], line[31]]);
    expect(parts[0]?.slice(0, 4) + line.slice(32) + parts.join('').slice(4)).toBe(bars);
  });

  test('boleto arithmetic is that of published boletos', () => {
    const published = '23793864800029999003380260980157275200633330';
    const terms = { bank: '237', amount: '29999.00', due: Date.UTC(2021, 5, 11), free: published.slice(19) };
    expect(boleto(terms).barcode).toBe(published);
    // Where the remainder leaves no digit from 1 to 9, the check digit is 1.
    for (let number = 0; number < 100; number += 1) expect(mod11(`237${number}`)).toMatch(/^[1-9]$/);
    expect(['218900100', '0215182080', '7930937738'].map(mod10)).toEqual(['7', '6', '4']);
    expect(dueFactor(Date.UTC(2021, 7, 7))).toBe('8705');
    expect(dueFactor(Date.UTC(2025, 1, 21))).toBe('9999');
    expect(dueFactor(Date.UTC(2025, 1, 22))).toBe('1000');
  });

  test('an amount that is too large for a barcode leaves its value open', () => {
    const { barcode } = boleto({ bank: '237', amount: '100000000.00', due: noon, free: '0'.repeat(25) });
    expect(barcode.slice(9, 19)).toBe('0000000000');
  });

  test('a CLABE’s check digit holds, and it is the order’s own', async () => {
    for (const published of ['002010077777777771', '014027000005555558', '032180000118359719', '646180157000000004']) {
      expect(clabeCheckDigit(published.slice(0, 17))).toBe(published[17]);
    }
    expect(simulatedClabe('180', 157_000_00000)).toHaveLength(18);
    const [one, two] = [await create('spei'), await create('spei', { out_trade_no: 'another' })];
    expect(one.clabe).toMatch(/^646180\d{12}$/);
    expect(String(one.clabe).at(-1)).toBe(clabeCheckDigit(String(one.clabe).slice(0, 17)));
    expect(two.clabe).not.toBe(one.clabe);
    expect(one.reference).toMatch(/^\d{7}$/);
  });
});

describe('out_trade_no is unique to an app', () => {
  test('a second order of the same number is refused, whatever its kind, and changes nothing', async () => {
    const first = await create('pix', { out_trade_no: 'one' });
    for (const file of ['pix', 'checkout']) {
      expect(await create(file, { out_trade_no: 'one' })).toEqual({
        code: '40002',
        msg: 'Business Failed',
        sub_code: 'duplicate-out_trade_no',
        sub_msg: 'out_trade_no is duplicate',
      });
    }
    expect(simulator.trades().map(({ trade_no }) => trade_no)).toEqual([first.trade_no]);
  });

  test('50 equal creations at once make one trade', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('pix')));
    expect(answers.filter(({ code }) => code === '10000')).toHaveLength(1);
    expect(simulator.trades()).toHaveLength(1);
    expect(simulator.requests({ path: '/trade/pay' }).filter(({ created }) => created)).toHaveLength(1);
  });

  test('another app may have the same number', async () => {
    await create('pix', { out_trade_no: 'one' });
    const { body } = await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: otherApp });
    expect(body.code).toBe('10000');
  });
});

describe('query (section 4.4)', () => {
  test('a trade is found by either number, or by both if they agree', async () => {
    const { trade_no } = await create('spei', { out_trade_no: 'one', order_amount: '10.5' });
    for (const asked of [
      { trade_no },
      { out_trade_no: 'one' },
      { trade_no, out_trade_no: 'one' },
      { trade_no, out_trade_no: '' },
    ]) {
      const { status, text } = await call(simulator, '/trade/query', asked);
      expect(status).toBe(200);
      expect(text).toBe(
        `{"code":"10000","msg":"Success","out_trade_no":"one","trade_no":"${trade_no}","trade_status":"PROCESSING",` +
          '"order_amount":10.50,"order_currency":"MXN","method":"SPEI","create_time":"2026-03-02 12:00:00","update_time":""}',
      );
    }
    const { body } = await call(simulator, '/trade/query', { trade_no, out_trade_no: 'two' });
    expect(body.sub_code).toBe('trade-not-exist');
  });

  test('times are UTC', async () => {
    await create('spei', { out_trade_no: 'one' });
    await simulator.advance('90m');
    await simulator.pay('one');
    const { body } = await call(simulator, '/trade/query', { out_trade_no: 'one' });
    expect(body).toMatchObject({
      create_time: '2026-03-02 12:00:00',
      update_time: '2026-03-02 13:30:00',
      trade_status: 'SUCCESS',
    });
  });

  test('an order that does not exist, or is another app’s', async () => {
    const { trade_no } = await create('pix', { out_trade_no: 'one' });
    const asked = [
      { as: app, body: { out_trade_no: 'two' } },
      { as: app, body: { trade_no: 'two' } },
      { as: otherApp, body: { out_trade_no: 'one' } },
      { as: otherApp, body: { trade_no } },
    ];
    for (const { as, body } of asked) {
      const reply = await call(simulator, '/trade/query', body, { as });
      expect([reply.status, reply.body.code, reply.body.sub_code]).toEqual([400, '40002', 'trade-not-exist']);
    }
    simulator.configure({ unknownOrderSubCode: 'order-unknown' });
    expect((await call(simulator, '/trade/query', { out_trade_no: 'two' })).body.sub_code).toBe('order-unknown');
  });
});

test('the log of requests has what was asked, what was answered and what was created', async () => {
  await create('pix', { out_trade_no: 'one' });
  await create('pix', { out_trade_no: 'one' });
  await call(simulator, '/trade/query', { out_trade_no: 'one' });
  const [{ trade_no } = { trade_no: '' }] = simulator.trades();
  expect(simulator.requests()).toMatchObject([
    { path: '/trade/pay', trade_no, created: true, http_status: 200, sub_code: null, trade_status: 'PROCESSING' },
    { path: '/trade/pay', trade_no: null, created: false, http_status: 400, sub_code: 'duplicate-out_trade_no' },
    { path: '/trade/query', trade_no, created: false, http_status: 200, sub_code: null, trade_status: 'PROCESSING' },
  ]);
  expect(JSON.stringify(simulator.requests())).not.toContain(app.secret_key);
});

test('the log names the order of a request whose credentials are wrong', async () => {
  await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: { ...app, secret_key: 'guess' } });
  expect(simulator.requests()).toMatchObject([
    { app_id: null, out_trade_no: 'one', created: false, sub_code: 'invalid-signature' },
  ]);
});

const query = { app_id: app.app_id, timestamp: '2026-03-02 12:00:00', out_trade_no: 'none' };
const asked = JSON.stringify(query);

describe('who may call (section 5)', () => {
  const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

  test.each([
    ['no header', {}],
    ['another scheme', { authorization: `Bearer ${app.secret_key}` }],
    ['no base64', { authorization: 'Basic %%%' }],
    ['an unknown app', { authorization: basic(`app-9:${app.secret_key}`) }],
    ['a wrong secret', { authorization: basic(`${app.app_id}:wrong`) }],
    ['a part of the secret', { authorization: basic(`${app.app_id}:secret`) }],
    ['another app’s secret', { authorization: basic(`${app.app_id}:${otherApp.secret_key}`) }],
  ])('%s is answered invalid-signature', async (_, headers) => {
    const { status, body } = await send(simulator, '/trade/query', asked, headers);
    expect(status).toBe(400);
    expect(body).toEqual({
      code: '40002',
      msg: 'Business Failed',
      sub_code: 'invalid-signature',
      sub_msg: 'invalid signature',
    });
  });

  test('a body of another app does not match', async () => {
    const { status, body } = await call(simulator, '/trade/query', { ...query, app_id: otherApp.app_id });
    expect([status, body.code, body.sub_code]).toEqual([400, '40002', 'app-not-match']);
  });

  test('the HTTP status of refusals is a setting', async () => {
    simulator.configure({ refusalStatus: 200, credentialsStatus: 401 });
    expect((await send(simulator, '/trade/query', asked, {})).status).toBe(401);
    expect((await call(simulator, '/trade/query', query)).status).toBe(200);
  });
});

describe('what a body is', () => {
  test.each([
    ['nothing', ''],
    ['half of an object', '{"app_id":'],
    ['a list', '[]'],
    ['a text', '"success"'],
    ['bytes that are not UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a nest deeper than any stack', '['.repeat(100_000)],
  ])('%s is unreadable', async (_, sent) => {
    const { status, body } = await send(simulator, '/trade/query', sent, {
      authorization: authorization(),
      'content-type': 'application/json',
    });
    expect([status, body.code, body.sub_code]).toEqual([400, '40001', 'body']);
  });

  test('the content type is only recommended, as long as the body is JSON', async () => {
    const headers = { authorization: authorization(), 'content-type': 'text/plain' };
    expect((await send(simulator, '/trade/query', asked, headers)).body.sub_code).toBe('trade-not-exist');
    expect((await send(simulator, '/trade/query', 'out_trade_no=none', headers)).body.code).toBe('40005');
  });

  test('names of prototypes are unknown fields like any other', async () => {
    const inherited = '{"__proto__":{"out_trade_no":"none"},"constructor":{"prototype":{"y":1}},';
    const sent = JSON.stringify({ ...query, out_trade_no: undefined }).replace('{', inherited);
    const { body } = await send(simulator, '/trade/query', sent, { authorization: authorization() });
    expect([body.code, body.sub_code]).toEqual(['40001', 'trade_no']);
    expect(Object.prototype).not.toHaveProperty('y');
  });
});

describe('rules that the table of the interface does not drive', () => {
  test.each<[string, string, Json, string | null]>([
    ['an unknown field is ignored', 'spei', { cancelation_express: '3d', version: '2.0' }, null],
    ['an optional field may be empty', 'pix', { content: '', timeout_express: '', channel: '' }, null],
    ['a notify_url is a web address', 'pix', { notify_url: 'shop.example.com/ipn' }, 'notify_url'],
    ['so is a checkout’s', 'checkout', { notify_url: 'ftp://shop.example.com' }, 'notify_url'],
    ['a method is written as it is', 'pix', { method: 'pix' }, 'no-method-supported'],
    ['so is a checkout’s method', 'checkout', { method: 'Bitcoin' }, 'no-method-supported'],
    ['CASH, as the interface writes it once, is Cash', 'cash', { method: 'CASH' }, null],
    ['a name has no keycap', 'spei', { 'customer.name': 'José Hernández 1⃣' }, 'customer.name'],
    ['it may have its signs', 'spei', { 'customer.name': 'José Hernández 3rd #1 *' }, null],
    ['an email has no + where none is needed', 'pix', { 'customer.email': 'a+b@example.com' }, 'customer.email'],
    ['an account number is any text', 'bank-transfer-ecuador', { account_number: '12-4324' }, null],
  ])('%s: %s with %j', async (_, file, changes, refused) => {
    expect((await create(file, changes)).sub_code ?? null).toBe(refused);
  });

  test('a PIX order needs an identity if the setting pixIdentify says so', async () => {
    simulator.configure({ pixIdentify: 'required' });
    expect((await create('pix')).sub_code).toBe('customer.identify.number');
  });

  test.each([
    ['missing', undefined, '40001', 'Missing Required Arguments'],
    ['empty', '', '40002', 'Business Failed'],
  ])('a required field that is %s is refused by its name', async (_, buyer_id, code, msg) => {
    expect(await create('pix', { buyer_id })).toMatchObject({ code, msg, sub_code: 'buyer_id' });
  });
});

describe('the bank list (section 4.5)', () => {
  const banks = (request: Json, as: typeof app = app) => call(simulator, '/trade/bank-list', request, { as });

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
});

test('a path that is no operation is not found', async () => {
  expect((await call(simulator, '/trade/steal', {})).status).toBe(404);
  expect((await call(simulator, '/', {})).status).toBe(404);
});

/** Reads EMV fields: tag, length, value. */
function tags(code: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let at = 0; at < code.length; ) {
    const length = Number(code.slice(at + 2, at + 4));
    fields[code.slice(at, at + 2)] = code.slice(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return fields;
}
