import type { Simulator } from '../../src/simulator';
import { boleto, dueFactor, mod10, mod11 } from '../../src/simulator/trades/boleto';
import { clabeCheckDigit, simulatedClabe } from '../../src/simulator/trades/clabe';
import { crc16 } from '../../src/simulator/trades/pix';
import { app, call, type Json, noon, order, otherApp, start } from './support';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await start();
});
afterEach(() => simulator.close());

const create = async (file: string, changes: Json = {}) =>
  (await call(simulator, file.startsWith('checkout') ? '/trade/create' : '/trade/pay', order(file, changes))).body;

describe('what a direct creation answers with (section 4.1)', () => {
  const trade = ['code', 'msg', 'out_trade_no', 'trade_no', 'trade_status'];
  test.each([
    ['pix', {}, ['pay_url', 'qr_code']],
    ['boleto', {}, ['pay_url', 'barcode', 'bank_code']],
    ['lottery', {}, ['pay_url']],
    [
      'deposit-express',
      {},
      ['pay_url', 'provider_owner', 'provider_owner_document', 'provider_agency', 'provider_number'],
    ],
    ['oxxo', {}, ['pay_url']],
    ['oxxopay', {}, []],
    ['spei', {}, ['pay_url', 'bank_name', 'reference', 'clabe', 'beneficiary_name']],
    ['pse', {}, ['pay_url']],
    ['efecty', {}, ['pay_url']],
    ['codi', {}, []],
    ['cash', {}, []],
    ['bncr', {}, []],
    ['bank-transfer-ecuador', {}, []],
    ['open-finance', {}, []],
    ['credit-card', {}, []],
    ['wallet-qr', {}, ['pay_url', 'wallet_url', 'app_link_url']],
    ['wallet-qr', { channel: 'URL' }, ['wallet_url']],
    ['wallet-qr', { channel: 'PicPay' }, ['wallet_url']],
    ['wallet-qr', { channel: 'Token', token: 'nonce' }, []],
    ['wallet-card-number', {}, []],
  ])('%s %j: %j and no more', async (file, changes, fields) => {
    const body = await create(file, changes);
    expect(Object.keys(body).sort()).toEqual([...trade, ...fields].sort());
    for (const field of fields) expect(body[field]).toEqual(expect.stringMatching(/./));
  });

  test('a checkout answers with the address of its page', async () => {
    const body = await create('checkout');
    expect(Object.keys(body).sort()).toEqual(['code', 'msg', 'out_trade_no', 'trade_no', 'web_url']);
    expect(new URL(String(body.web_url)).searchParams.get('trade_no')).toBe(body.trade_no);
  });

  test('addresses begin with publicUrl, where buyers reach another one', async () => {
    const behind = await start({ publicUrl: 'https://pay.example.com/sim/' });
    const { body } = await call(behind, '/trade/create', order('checkout'));
    await behind.close();
    expect(body.web_url).toBe(`https://pay.example.com/sim/checkout?trade_no=${body.trade_no}`);
  });
});

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

  test('the checksum is that of a published code', () => {
    const published =
      '00020126580014br.gov.bcb.pix013627a44d0a-0736-4bbf-a4a4-6e11063973315204000053039865406100.005802BR5908PAGSMILE6008So Paulo62230519mpqrinter123742074363049E0B';
    expect(crc16(published.slice(0, -4))).toBe('9E0B');
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

  test('the amount can be a text', async () => {
    await create('checkout-one-method', { out_trade_no: 'one' });
    simulator.configure({ queryAmount: 'string' });
    const { body } = await call(simulator, '/trade/query', { out_trade_no: 'one' });
    expect(body.order_amount).toBe('99999999999999.99');
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

  test('one of the two numbers must be there, of at most 64 characters', async () => {
    expect((await call(simulator, '/trade/query', {})).body.sub_code).toMatch(/trade_no$/);
    expect((await call(simulator, '/trade/query', { trade_no: '', out_trade_no: '' })).body.sub_code).toMatch(
      /trade_no$/,
    );
    expect((await call(simulator, '/trade/query', { out_trade_no: 'x'.repeat(65) })).body.sub_code).toBe(
      'out_trade_no',
    );
  });
});

test('the log of requests has what was asked, what was answered and what was created', async () => {
  await create('pix', { out_trade_no: 'one' });
  await create('pix', { out_trade_no: 'one' });
  await call(simulator, '/trade/query', { out_trade_no: 'one' });
  const [{ trade_no } = { trade_no: '' }] = simulator.trades();
  const common = {
    at: '2026-03-02T12:00:00.000Z',
    app_id: 'app-1',
    out_trade_no: 'one',
    out_request_no: null,
    account_id: null,
    fault: null,
    processed: true,
  };
  expect(simulator.requests()).toEqual([
    {
      ...common,
      path: '/trade/pay',
      trade_no,
      created: true,
      http_status: 200,
      code: '10000',
      sub_code: null,
      trade_status: 'PROCESSING',
    },
    {
      ...common,
      path: '/trade/pay',
      trade_no: null,
      created: false,
      http_status: 400,
      code: '40002',
      sub_code: 'duplicate-out_trade_no',
      trade_status: null,
    },
    {
      ...common,
      path: '/trade/query',
      trade_no,
      created: false,
      http_status: 200,
      code: '10000',
      sub_code: null,
      trade_status: 'PROCESSING',
    },
  ]);
  expect(JSON.stringify(simulator.requests())).not.toContain(app.secret_key);
});

test('the log names the order of a request whose credentials are wrong', async () => {
  await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }), { as: { ...app, secret_key: 'guess' } });
  expect(simulator.requests()).toMatchObject([
    { app_id: null, out_trade_no: 'one', created: false, sub_code: 'invalid-signature' },
  ]);
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
