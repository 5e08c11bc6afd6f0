import * as fc from 'fast-check';
import { tradeStates } from '../../src/simulator/records';
import { bankStep, tradeActionNames, tradeActions } from '../../src/simulator/trades/steps';
import { created, merchant, simulator } from './running';
import { call, control, type Json, order, otherApp, refundOf } from './support';

/** A paid order of a published file; answers with its out_trade_no. */
async function paid(file = 'pix', changes: Json = {}): Promise<string> {
  const { out_trade_no } = await simulator.pay(await created(file, changes));
  await simulator.settled();
  merchant.received.length = 0;
  return out_trade_no;
}

const refund = (out_trade_no: string, changes: Json = {}) =>
  call(simulator, '/trade/refund', refundOf(out_trade_no, changes));
const part = (out_trade_no: string, refund_amount: string, out_request_no: string) =>
  refund(out_trade_no, { refund_amount, out_request_no });
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

  test('another app’s order does not exist, nor one that two numbers of two orders name', async () => {
    const no = await paid();
    const { body } = await call(simulator, '/trade/refund', refundOf(no), { as: otherApp });
    expect(body.sub_code).toBe('trade-not-exist');
    const { trade_no } = simulator.trade(await paid('pix', { out_trade_no: 'two' }));
    expect((await refund(no, { trade_no })).body.sub_code).toBe('trade-not-exist');
    expect(simulator.refunds()).toEqual([]);
  });
});

describe('the table of methods (section 4.3); test/contract/interface has what each needs', () => {
  test.each([
    ['pix', 'REFUND_VERIFYING'],
    ['boleto', 'REFUND_VERIFYING'],
    ['lottery', 'REFUND_VERIFYING'],
    ['deposit-express', 'REFUND_VERIFYING'],
    ['spei', 'REFUND_VERIFYING'],
    ['wallet-qr', 'REFUND_PROCESSING'],
    ['credit-card', 'REFUND_PROCESSING'],
  ])('%s without an account is %s', async (file, expected) => {
    const no = await paid(file);
    const { order_amount: refund_amount, order_currency: refund_currency } = simulator.trade(no);
    const { body } = await refund(no, { refund_amount, refund_currency, bank_info: undefined });
    expect(body.refund_status).toBe(expected);
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
});

describe('how much can be given back', () => {
  beforeEach(() => {
    simulator.configure({ refundTakes: '0s' });
  });
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

describe('disputes and chargebacks', () => {
  test('dispute, chargeback and reversal are notified; the SUCCESS that follows is not', async () => {
    const no = await paid();
    for (const [act, expected] of [
      ['dispute', 'DISPUTE'],
      ['chargeback', 'CHARGEBACK'],
      ['reverse-chargeback', 'CHARGEBACK_REVERSED'],
    ] as const) {
      expect(await simulator.act(no, act)).toMatchObject({ trade_status: expected });
      await simulator.settled();
      expect(await state(no)).toBe(expected);
    }
    expect(simulator.trade(no).stands_again_at).toBe('2026-03-02T12:01:00.000Z');
    await simulator.advance('1m');
    expect(await state(no)).toBe('SUCCESS');
    await simulator.advance('30d');
    expect(told().map(([status]) => status)).toEqual(['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED']);
  });

  test('a forced refund is REFUNDED at once, without a request', async () => {
    const no = await paid();
    await simulator.act(no, 'force-refund');
    await simulator.settled();
    expect(await state(no)).toBe('REFUNDED');
    expect(told()).toEqual([['REFUNDED', '']]);
    expect(simulator.refunds()).toMatchObject([
      { forced: true, out_request_no: null, refund_amount: '150.00', refund_status: 'REFUNDED' },
    ]);
    expect((await part(no, '0.01', 'r1')).body.sub_code).toBe('refund-amount-exceeded');
  });

  test('after a part was given back the bank forces the rest only', async () => {
    simulator.configure({ refundTakes: '0s' });
    const no = await paid();
    await part(no, '50.00', 'r1');
    await simulator.act(no, 'force-refund');
    expect(simulator.ledger()).toMatchObject([
      { refunded_amount: '150.00', refunds: [{ refund_amount: '50.00' }, { refund_amount: '100.00', forced: true }] },
    ]);
  });

  test('a bank’s action is refused if the table of states lacks its step', async () => {
    const no = await paid();
    await simulator.act(no, 'dispute');
    for (const action of ['dispute', 'reverse-chargeback', 'force-refund'] as const) {
      await expect(simulator.act(no, action)).rejects.toThrow('A trade that is DISPUTE can not become');
    }
    expect((await part(no, '150.00', 'r1')).body.sub_code).toBe('trade-status-error');
    expect(simulator.refunds()).toEqual([]);
    // What a bank does to a trade, it does to one that was paid.
    const from = tradeActionNames
      .filter((action) => tradeActions[action].by === 'bank')
      .map((action) => [action, tradeStates.filter((status) => bankStep(status, action))]);
    expect(Object.fromEntries(from)).toEqual({
      dispute: ['SUCCESS', 'PARTIAL_REFUND'],
      chargeback: ['SUCCESS', 'DISPUTE', 'PARTIAL_REFUND'],
      'reverse-chargeback': ['CHARGEBACK'],
      'force-refund': ['SUCCESS', 'PARTIAL_REFUND'],
    });
  });
});

describe('the ledger', () => {
  test('counts an order’s charges, and its refunds to the cent', async () => {
    simulator.configure({ refundTakes: 'manual' });
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'unpaid' }));
    const no = await paid('pix', { out_trade_no: 'one' });
    await part(no, '50.10', 'r1');
    await simulator.actOnRefund('r1', 'approve');
    await part(no, '20.20', 'r2');
    await simulator.actOnRefund('r2', 'refuse');
    await part(no, '0.07', 'r3');
    const nothing = { app_id: 'app-1', currency: 'BRL', orders: 1, charged_back: false };
    expect(simulator.ledger()).toMatchObject([
      { ...nothing, out_trade_no: 'unpaid', charges: 0, charged_amount: '0.00', refunds: [], refunded_amount: '0.00' },
      {
        ...nothing,
        out_trade_no: 'one',
        charges: 1,
        charged_amount: '150.00',
        refunds: [
          { out_request_no: 'r1', refund_amount: '50.10', refund_status: 'PARTIAL_REFUND' },
          { out_request_no: 'r2', refund_amount: '20.20', refund_status: 'REFUND_REFUSED' },
          { out_request_no: 'r3', refund_amount: '0.07', refund_status: 'REFUND_PROCESSING' },
        ],
        refunded_amount: '50.10',
        refunding_amount: '0.07',
      },
    ]);
    expect((await control(simulator, 'GET', 'ledger?out_trade_no=one')).value).toEqual(
      simulator.ledger({ out_trade_no: 'one' }),
    );
  });

  test('shows two charges if a merchant creates twice at a gateway that accepts duplicates', async () => {
    simulator.configure({ duplicateOrders: 'accepted' });
    const numbers = [];
    for (let times = 0; times < 2; times += 1) {
      const { body } = await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'one' }));
      expect(body.code).toBe('10000');
      numbers.push(String(body.trade_no));
    }
    for (const no of numbers) await simulator.pay(no);
    expect(simulator.ledger()).toMatchObject([
      { out_trade_no: 'one', orders: 2, charges: 2, charged_amount: '300.00' },
    ]);
  });

  test('remembers a charge after it was charged back', async () => {
    await simulator.act(await paid(), 'chargeback');
    expect(simulator.ledger()).toMatchObject([{ charges: 1, charged_back: true }]);
  });
});

test('refunds are shown without the account, the buyer and the nonce of the page', async () => {
  await refund(await paid(), { out_request_no: 'r1' });
  const shown = JSON.stringify((await control(simulator, 'GET', 'refunds')).value);
  for (const secret of ['page_nonce', '0012345-6', '11144477735', 'Mariana']) expect(shown).not.toContain(secret);
});
