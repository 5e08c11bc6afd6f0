import type { Simulator } from '../../src/simulator';
import { tradeStates } from '../../src/simulator/records';
import { bankStep, tradeActionNames, tradeActions } from '../../src/simulator/trades/states';
import { call, control, type Json, Merchant, order, start } from './support';

let simulator: Simulator;
let merchant: Merchant;
beforeEach(async () => {
  [simulator, merchant] = await Promise.all([start(), Merchant.start()]);
});
afterEach(async () => {
  await simulator.close();
  await merchant.close();
});

async function paid(out_trade_no = 'one', changes: Json = {}): Promise<string> {
  await call(simulator, '/trade/pay', order('pix', { out_trade_no, notify_url: merchant.url, ...changes }));
  await simulator.pay(out_trade_no);
  await simulator.settled();
  merchant.received.length = 0;
  return out_trade_no;
}
const state = async (out_trade_no: string) =>
  (await call(simulator, '/trade/query', { out_trade_no })).body.trade_status;
const told = () => merchant.received.map(({ body }) => body.trade_status);
const refund = (out_trade_no: string, refund_amount: string, out_request_no: string) =>
  call(simulator, '/trade/refund', {
    out_trade_no,
    out_request_no,
    refund_amount,
    refund_currency: 'BRL',
    user_info: { identify: { number: '11144477735' }, name: 'Mariana Lima', email: 'mariana@example.com' },
    bank_info: { number: '0012345-6' },
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
    expect(told()).toEqual(['DISPUTE', 'CHARGEBACK', 'CHARGEBACK_REVERSED']);
  });

  test('the time until a trade is SUCCESS again is a setting', async () => {
    simulator.configure({ standsAgainAfter: '2h' });
    const no = await paid();
    await simulator.act(no, 'chargeback');
    await simulator.act(no, 'reverse-chargeback');
    await simulator.advance('119m');
    expect(await state(no)).toBe('CHARGEBACK_REVERSED');
    await simulator.advance('1m');
    expect(await state(no)).toBe('SUCCESS');
  });

  test('a forced refund is REFUNDED at once, without a request', async () => {
    const no = await paid();
    await simulator.act(no, 'force-refund');
    await simulator.settled();
    expect(await state(no)).toBe('REFUNDED');
    expect(merchant.received.map(({ body }) => [body.trade_status, body.out_request_no])).toEqual([['REFUNDED', '']]);
    expect(simulator.refunds()).toMatchObject([
      { forced: true, out_request_no: null, refund_amount: '150.00', refund_status: 'REFUNDED' },
    ]);
    expect((await refund(no, '0.01', 'r1')).body.sub_code).toBe('refund-amount-exceeded');
  });

  test('after a part was given back the bank forces the rest only', async () => {
    simulator.configure({ refundTakes: '0s' });
    const no = await paid();
    await refund(no, '50.00', 'r1');
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
    expect((await refund(no, '150.00', 'r1')).body.sub_code).toBe('trade-status-error');
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

  test('a bank cannot end a pending refund', async () => {
    const no = await paid();
    await refund(no, '150.00', 'r1');
    await expect(simulator.act(no, 'force-refund')).rejects.toThrow('A trade that is REFUND_PROCESSING');
    await simulator.advance('5s');
    expect(simulator.ledger()).toMatchObject([{ refunded_amount: '150.00', refunds: { length: 1 } }]);
  });

  test('by the control API', async () => {
    const no = await paid();
    for (const [action, expected] of [
      ['dispute', 'DISPUTE'],
      ['chargeback', 'CHARGEBACK'],
      ['reverse-chargeback', 'CHARGEBACK_REVERSED'],
    ]) {
      expect(await control(simulator, 'POST', `trades/${no}/${action}`)).toMatchObject({
        status: 200,
        value: { trade_status: expected },
      });
    }
    expect(await control(simulator, 'POST', `trades/${no}/dispute`)).toEqual({
      status: 409,
      value: { error: 'A trade that is CHARGEBACK_REVERSED can not become DISPUTE.' },
    });
    await control(simulator, 'POST', `trades/${await paid('two')}/force-refund`);
    expect(await state('two')).toBe('REFUNDED');
  });
});

describe('the ledger', () => {
  test('counts an order’s charges, and its refunds to the cent', async () => {
    simulator.configure({ refundTakes: 'manual' });
    await call(simulator, '/trade/pay', order('pix', { out_trade_no: 'unpaid' }));
    const no = await paid('one');
    await refund(no, '50.10', 'r1');
    await simulator.actOnRefund('r1', 'approve');
    await refund(no, '20.20', 'r2');
    await simulator.actOnRefund('r2', 'refuse');
    await refund(no, '0.07', 'r3');
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
