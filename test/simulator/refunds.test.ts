import * as fc from 'fast-check';
import type { Simulator } from '../../src/simulator';
import { call, control, edited, type Json, Merchant, order, start } from './support';

let simulator: Simulator;
let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

/** A paid order of a published file; answers with its out_trade_no. */
async function paid(file = 'pix', changes: Json = {}): Promise<string> {
  const path = file.startsWith('checkout') ? '/trade/create' : '/trade/pay';
  const { body } = await call(simulator, path, order(file, { notify_url: merchant.url, ...changes }));
  expect(body.code).toBe('10000');
  await simulator.pay(String(body.trade_no));
  await simulator.settled();
  merchant.received.length = 0;
  return String(body.out_trade_no);
}

const buyer = { identify: { number: '11144477735', type: 'CPF' }, name: 'Mariana Lima', email: 'mariana@example.com' };
const toAccount = { user_info: buyer, bank_info: { number: '0012345-6' } };

/** A full refund of a PIX order of 150.00, with an account to go to, unless changed. */
const refund = (out_trade_no: string, changes: Json = {}) =>
  call(
    simulator,
    '/trade/refund',
    edited({ out_trade_no, refund_currency: 'BRL', refund_amount: '150.00', ...toAccount }, changes),
  );
const state = async (out_trade_no: string) =>
  (await call(simulator, '/trade/query', { out_trade_no })).body.trade_status;
const told = () => merchant.received.map(({ body }) => [body.trade_status, body.out_request_no]);

describe('what a refund answers with (section 4.3)', () => {
  test('the trade, the amount exact, and the refund’s state', async () => {
    const no = await paid('checkout-one-method');
    const { status, text, body } = await refund(no, {
      refund_amount: '99999999999999.99',
      refund_currency: simulator.trade(no).order_currency,
    });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      ['code', 'msg', 'out_trade_no', 'trade_no', 'refund_currency', 'refund_amount', 'refund_status'].sort(),
    );
    expect(text).toContain('"refund_amount":99999999999999.99,');
    expect(body).toMatchObject({ code: '10000', out_trade_no: no, refund_status: 'REFUND_PROCESSING' });
    simulator.configure({ queryAmount: 'string' });
    expect((await refund(await paid('pix', { out_trade_no: 'two' }))).text).toContain('"refund_amount":"150.00"');
  });

  test('either number names the order; both must be of one order; none is refused', async () => {
    const one = await paid('pix', { out_trade_no: 'one' });
    const two = await paid('pix', { out_trade_no: 'two' });
    const { trade_no } = simulator.trade(one);
    expect((await refund(two, { trade_no })).body.sub_code).toBe('trade-not-exist');
    expect((await refund(one, { out_trade_no: undefined, trade_no })).body.code).toBe('10000');
    expect((await refund(two, { out_trade_no: undefined })).body).toMatchObject({
      code: '40001',
      sub_code: 'trade_no',
    });
    expect((await refund('none')).body.sub_code).toBe('trade-not-exist');
  });

  test('another app’s order does not exist', async () => {
    const no = await paid();
    const as = { app_id: 'app-2', secret_key: 'secret of app 2' };
    const request = { out_trade_no: no, refund_currency: 'BRL', refund_amount: '150.00', ...toAccount };
    expect((await call(simulator, '/trade/refund', request, { as })).body.sub_code).toBe('trade-not-exist');
    expect(simulator.refunds()).toEqual([]);
  });
});

describe('the table of methods (section 4.3)', () => {
  const all = ['user_info.identify.number', 'user_info.name', 'user_info.email'];
  const email = ['user_info.email'];
  // What a refund must say of the buyer, and where it waits if no account is given.
  test.each([
    ['pix', all, 'REFUND_VERIFYING'],
    ['boleto', all, 'REFUND_VERIFYING'],
    ['lottery', all, 'REFUND_VERIFYING'],
    ['deposit-express', all, 'REFUND_VERIFYING'],
    ['spei', email, 'REFUND_VERIFYING'],
    ['wallet-qr', email, 'REFUND_PROCESSING'],
    ['credit-card', email, 'REFUND_PROCESSING'],
  ])('%s needs %j and is then %s', async (file, fields, expected) => {
    const no = await paid(file);
    const { order_amount, order_currency } = simulator.trade(no);
    const full = { refund_amount: order_amount, refund_currency: order_currency, bank_info: undefined };
    for (const field of fields) {
      expect((await refund(no, { ...full, [field]: undefined })).body).toMatchObject({
        code: '40001',
        sub_code: field,
      });
      expect((await refund(no, { ...full, [field]: '' })).body).toMatchObject({ code: '40002', sub_code: field });
    }
    const others = Object.fromEntries(
      all.filter((field) => !fields.includes(field)).map((field) => [field, undefined]),
    );
    expect((await refund(no, { ...full, ...others })).body).toMatchObject({ code: '10000', refund_status: expected });
  });

  test('by setting all that the table of fields requires is required of every method', async () => {
    simulator.configure({ refundUserInfo: 'all' });
    const no = await paid('credit-card');
    const { order_amount } = simulator.trade(no);
    const { body } = await refund(no, { refund_amount: order_amount, 'user_info.name': undefined });
    expect(body).toMatchObject({ code: '40001', sub_code: 'user_info.name' });
  });

  test.each(['pse', 'efecty', 'oxxo', 'codi', 'cash', 'open-finance', 'bncr', 'bank-transfer-ecuador'])(
    '%s is not in it and can not be refunded',
    async (file) => {
      const no = await paid(file);
      const { order_amount: refund_amount, order_currency: refund_currency } = simulator.trade(no);
      expect((await refund(no, { refund_amount, refund_currency })).body.sub_code).toBe('refund-not-supported');
      expect(await state(no)).toBe('SUCCESS');
    },
  );

  test('PicPay gives back the whole amount only', async () => {
    const no = await paid('wallet-qr', { channel: 'PicPay' });
    const { order_amount: refund_amount } = simulator.trade(no);
    const part = await refund(no, { refund_amount: '0.01', out_request_no: 'part' });
    expect(part.body.sub_code).toBe('partial-refund-not-supported');
    expect((await refund(no, { refund_amount })).body.code).toBe('10000');
  });
});

describe('the life of a refund', () => {
  test('to an account that is known: processed, then done', async () => {
    const no = await paid();
    expect((await refund(no, { out_request_no: 'r1' })).body.refund_status).toBe('REFUND_PROCESSING');
    expect(await state(no)).toBe('REFUND_PROCESSING');
    await simulator.advance('4s');
    expect(await state(no)).toBe('REFUND_PROCESSING');
    await simulator.advance('1s');
    expect(await state(no)).toBe('REFUNDED');
    expect(told()).toEqual([['REFUNDED', 'r1']]);
    expect(simulator.refund('r1')).toMatchObject({
      refund_status: 'REFUNDED',
      refund_amount: '150.00',
      due_at: null,
      history: [
        { status: 'REFUND_VERIFYING' },
        { status: 'REFUND_PROCESSING' },
        { status: 'REFUNDED', at: '2026-03-02T12:00:05.000Z' },
      ],
    });
  });

  test('a refund is done at once, later, or by hand, as the setting says', async () => {
    simulator.configure({ refundTakes: '0s' });
    expect((await refund(await paid('pix', { out_trade_no: 'one' }))).body.refund_status).toBe('REFUNDED');
    simulator.configure({ refundTakes: '3d' });
    await refund(await paid('pix', { out_trade_no: 'two' }));
    await simulator.advance('71h');
    expect(await state('two')).toBe('REFUND_PROCESSING');
    await simulator.advance('1h');
    expect(await state('two')).toBe('REFUNDED');
    simulator.configure({ refundTakes: 'manual' });
    await refund(await paid('pix', { out_trade_no: 'three' }));
    await simulator.advance('90d');
    expect(await state('three')).toBe('REFUND_PROCESSING');
    await simulator.actOnRefund('three', 'approve');
    expect(await state('three')).toBe('REFUNDED');
  });

  test('without an account: the buyer confirms', async () => {
    const no = await paid();
    expect((await refund(no, { bank_info: undefined })).body.refund_status).toBe('REFUND_VERIFYING');
    await simulator.advance('6d');
    expect(await state(no)).toBe('REFUND_VERIFYING');
    await simulator.actOnRefund(no, 'confirm');
    expect(await state(no)).toBe('REFUND_PROCESSING');
    await simulator.advance('5s');
    expect(await state(no)).toBe('REFUNDED');
  });

  test('a refund that no buyer confirms is revoked; soon the trade is SUCCESS again without a notification', async () => {
    const no = await paid();
    await refund(no, { bank_info: undefined, out_request_no: 'r1' });
    await simulator.advance('7d');
    expect(await state(no)).toBe('REFUND_REVOKE');
    expect(told()).toEqual([['REFUND_REVOKE', 'r1']]);
    await simulator.advance('59s');
    expect(await state(no)).toBe('REFUND_REVOKE');
    await simulator.advance('1s');
    expect(await state(no)).toBe('SUCCESS');
    await simulator.advance('30d');
    expect(told()).toEqual([['REFUND_REVOKE', 'r1']]);
    // The money is all there still, and can be asked back.
    expect((await refund(no, { out_request_no: 'r2' })).body.code).toBe('10000');
  });

  test('refused by the bank: the trade says so, the money can be asked back again', async () => {
    const no = await paid();
    await refund(no, { out_request_no: 'r1' });
    await simulator.actOnRefund('r1', 'refuse');
    await simulator.settled();
    expect(await state(no)).toBe('REFUND_REFUSED');
    expect(told()).toEqual([['REFUND_REFUSED', 'r1']]);
    expect((await refund(no, { out_request_no: 'r2' })).body.refund_status).toBe('REFUND_PROCESSING');
    await simulator.advance('5s');
    expect(await state(no)).toBe('REFUNDED');
    expect(simulator.ledger({ out_trade_no: no })).toMatchObject([{ refunded_amount: '150.00' }]);
  });

  test('an action that the state forbids is refused with a sentence', async () => {
    const no = await paid();
    await refund(no, { out_request_no: 'r1' });
    await expect(simulator.actOnRefund('r1', 'confirm')).rejects.toThrow(
      'A refund that is REFUND_PROCESSING can not become',
    );
    await simulator.actOnRefund('r1', 'approve');
    for (const act of ['approve', 'refuse', 'revoke', 'confirm'] as const) {
      await expect(simulator.actOnRefund('r1', act)).rejects.toThrow('A refund that is REFUNDED can not become');
    }
  });

  test('the setting notifyStatuses can notify the steps of a pending refund', async () => {
    simulator.configure({ notifyStatuses: ['REFUND_VERIFYING', 'REFUND_PROCESSING', 'REFUNDED'] });
    const no = await paid();
    await refund(no, { bank_info: undefined, out_request_no: 'r1' });
    await simulator.settled();
    await simulator.actOnRefund('r1', 'confirm');
    await simulator.advance('5s');
    expect(told()).toEqual([
      ['REFUND_VERIFYING', 'r1'],
      ['REFUND_PROCESSING', 'r1'],
      ['REFUNDED', 'r1'],
    ]);
  });

  test('the callback button names the refund too', async () => {
    simulator.configure({ refundTakes: '0s', notifications: false });
    const no = await paid();
    await refund(no, { out_request_no: 'r1' });
    await simulator.notify(no);
    expect(told()).toEqual([['REFUNDED', 'r1']]);
  });
});

describe('how much can be given back', () => {
  beforeEach(() => {
    simulator.configure({ refundTakes: '0s' });
  });
  const part = (no: string, refund_amount: string, out_request_no: string) =>
    refund(no, { refund_amount, out_request_no });

  test('parts, until all is given back; the last one makes it REFUNDED', async () => {
    const no = await paid();
    expect((await part(no, '50.00', 'r1')).body.refund_status).toBe('PARTIAL_REFUND');
    expect(await state(no)).toBe('PARTIAL_REFUND');
    expect((await part(no, '99.99', 'r2')).body.refund_status).toBe('PARTIAL_REFUND');
    expect((await part(no, '0.02', 'r3')).body.sub_code).toBe('refund-amount-exceeded');
    expect((await part(no, '0.01', 'r3')).body.refund_status).toBe('REFUNDED');
    expect((await part(no, '0.01', 'r4')).body.sub_code).toBe('refund-amount-exceeded');
    expect(simulator.refunds().map(({ refund_status }) => refund_status)).toEqual([
      'PARTIAL_REFUND',
      'PARTIAL_REFUND',
      'REFUNDED',
    ]);
    await simulator.settled();
    expect(told().sort()).toEqual([
      ['PARTIAL_REFUND', 'r1'],
      ['PARTIAL_REFUND', 'r2'],
      ['REFUNDED', 'r3'],
    ]);
  });

  test('by setting a part makes it REFUNDED as well, and more parts may follow', async () => {
    simulator.configure({ partialRefundStatus: 'REFUNDED' });
    const no = await paid();
    expect((await part(no, '50.00', 'r1')).body.refund_status).toBe('REFUNDED');
    expect((await part(no, '100.00', 'r2')).body.refund_status).toBe('REFUNDED');
    expect((await part(no, '0.01', 'r3')).body.sub_code).toBe('refund-amount-exceeded');
  });

  test('never more than was paid', async () => {
    const no = await paid();
    expect((await part(no, '150.01', 'r1')).body.sub_code).toBe('refund-amount-exceeded');
    expect(await state(no)).toBe('SUCCESS');
  });

  test('a refund is refused while another is pending, and before the trade is paid', async () => {
    simulator.configure({ refundTakes: 'manual' });
    const no = await paid();
    await part(no, '1.00', 'r1');
    expect((await part(no, '1.00', 'r2')).body.sub_code).toBe('trade-status-error');
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'unpaid' }));
    expect((await refund('unpaid')).body.sub_code).toBe('trade-status-error');
  });

  test('no sequence of requests gives back more than was paid, or loses a cent', async () => {
    const cents = fc.integer({ min: 1, max: 9_000 });
    const fate = fc.constantFrom('approve', 'refuse', 'revoke');
    let count = 0;
    simulator.configure({ refundTakes: 'manual', standsAgainAfter: '0s' });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cents, fate), { minLength: 1, maxLength: 8 }), async (asked) => {
        count += 1;
        const no = await paid('pix', { out_trade_no: `property ${count}` });
        let given = 0;
        for (const [index, [amount, then]] of asked.entries()) {
          const { body } = await part(no, (amount / 100).toFixed(2), `r${index}`);
          expect(body.sub_code).toBe(given + amount > 15_000 ? 'refund-amount-exceeded' : undefined);
          if (body.sub_code !== undefined) continue;
          await simulator.actOnRefund(String(simulator.refunds({ out_trade_no: no }).at(-1)?.refund_id), then);
          await simulator.settled();
          if (then === 'approve') given += amount;
          const refunded_amount = (given / 100).toFixed(2);
          expect(simulator.ledger({ out_trade_no: no })).toMatchObject([{ refunded_amount, refunding_amount: '0.00' }]);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('a number that was used', () => {
  test('is refused, also where the refund failed', async () => {
    const no = await paid();
    await refund(no, { out_request_no: 'r1' });
    expect((await refund(no, { out_request_no: 'r1' })).body.sub_code).toBe('duplicate-out_request_no');
    await simulator.actOnRefund('r1', 'refuse');
    expect((await refund(no, { out_request_no: 'r1' })).body.sub_code).toBe('duplicate-out_request_no');
    expect(simulator.refunds()).toHaveLength(1);
  });

  test('by setting is answered with what became of the refund', async () => {
    simulator.configure({ duplicateRefund: 'repeated' });
    const no = await paid();
    await refund(no, { out_request_no: 'r1' });
    await simulator.advance('5s');
    expect((await refund(no, { out_request_no: 'r1' })).body.refund_status).toBe('REFUNDED');
    expect(simulator.refunds()).toHaveLength(1);
  });

  test('is unique to its trade, or by setting to the app', async () => {
    const [one, two, three] = [
      await paid('pix', { out_trade_no: 'one' }),
      await paid('pix', { out_trade_no: 'two' }),
      await paid('pix', { out_trade_no: 'three' }),
    ];
    await refund(one, { out_request_no: 'r1' });
    expect((await refund(two, { out_request_no: 'r1' })).body.code).toBe('10000');
    simulator.configure({ refundNumberScope: 'app' });
    expect((await refund(three, { out_request_no: 'r1' })).body.sub_code).toBe('duplicate-out_request_no');
  });
});

describe('by the control API', () => {
  test('refunds are listed, shown, confirmed, approved, refused and revoked by the control API', async () => {
    for (const no of ['one', 'two', 'three']) {
      await refund(await paid('pix', { out_trade_no: no }), { out_request_no: `r-${no}`, bank_info: undefined });
    }
    expect((await control(simulator, 'GET', 'refunds')).value).toEqual(simulator.refunds());
    expect((await control(simulator, 'GET', 'refunds?out_request_no=r-two')).value).toMatchObject([
      { out_trade_no: 'two', refund_status: 'REFUND_VERIFYING' },
    ]);
    expect((await control(simulator, 'GET', 'refunds/r-one')).value).toEqual(simulator.refund('one'));
    expect(await control(simulator, 'POST', 'refunds/r-one/confirm')).toMatchObject({
      status: 200,
      value: { refund_status: 'REFUND_PROCESSING' },
    });
    expect((await control(simulator, 'POST', 'refunds/r-one/approve')).value).toMatchObject({
      refund_status: 'REFUNDED',
    });
    expect((await control(simulator, 'POST', 'refunds/r-two/refuse')).value).toMatchObject({
      refund_status: 'REFUND_REFUSED',
    });
    const { refund_id } = simulator.refund('three');
    expect((await control(simulator, 'POST', `refunds/${refund_id}/revoke`)).value).toMatchObject({
      refund_status: 'REFUND_REVOKE',
    });
    expect(await control(simulator, 'POST', 'refunds/r-one/approve')).toEqual({
      status: 409,
      value: { error: 'A refund that is REFUNDED can not become REFUNDED.' },
    });
  });

  test.each([
    ['GET', 'refunds/none', 404],
    ['POST', 'refunds/none/approve', 404],
    ['POST', 'refunds/r1/steal', 400],
    ['GET', 'refunds?status=REFUNDED', 400],
  ])('%s %s is answered %i, with a sentence', async (method, path, status) => {
    await refund(await paid(), { out_request_no: 'r1' });
    expect(await control(simulator, method, path)).toEqual({
      status,
      value: { error: expect.stringMatching(/\w{3}/) },
    });
  });

  test('refunds are shown without the account, the buyer and the nonce of the page', async () => {
    await refund(await paid(), { out_request_no: 'r1' });
    const shown = JSON.stringify((await control(simulator, 'GET', 'refunds')).value);
    for (const secret of ['page_nonce', '0012345-6', '11144477735', 'Mariana']) expect(shown).not.toContain(secret);
  });
});
