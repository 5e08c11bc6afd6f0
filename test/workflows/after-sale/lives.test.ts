/** What follows a sale, on the simulated Temporal. */
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import type { PaymentEvent } from '../../../src/workflows';
import { newSale, type Sale, type SaleOptions } from './harness';

async function ended(sale: Sale) {
  for (let tries = 0; tries < 50 && (await sale.isRunning()); tries += 1) await sale.pass(6 * HOUR);
  return sale.handle.result();
}

/** A person says that it is taken care of. */
const seen = (sale: Sale, more: object = {}) =>
  sale.handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'seen', ...more }] });

describe.each([
  ['a worker that caches workflows', true],
  ['a worker that replays the history for each task', false],
])('on %s', (_name, cachesWorkflows) => {
  const play = (options: SaleOptions = {}) => newSale({ ...options, cachesWorkflows });

  describe('the watch window', () => {
    async function watched(window: string, days: number) {
      const heard: PaymentEvent[] = [];
      const sale = await play({
        settings: { PAYMENTS_WATCH_WINDOW: window },
        onEvent: (event) => void ('payment' in event && heard.push(event)),
      });
      const began = await sale.env.currentTimeMs();
      const at = began + (days - 1) * DAY;
      sale.gateway.bankStatus = (now) => {
        if (now > at + 12 * HOUR) return undefined;
        if (now > at + 6 * HOUR) return 'CHARGEBACK_REVERSED';
        return now > at ? 'CHARGEBACK' : undefined;
      };
      await sale.open();
      await sale.pass((days + 1) * DAY);
      const state = await sale.state();
      await seen(sale);
      await sale.handle.result();
      const lived = (await sale.env.currentTimeMs()) - began;
      const events = await sale.env.historyLength(sale.workflowId);
      return { state, lived, events, queries: sale.gateway.queries, heard };
    }

    test('a window of three months adds no more history than one of three days', async () => {
      const short = await watched('3d', 3);
      const long = await watched('90d', 90);
      expect(long.lived).toBeGreaterThanOrEqual(90 * DAY);
      expect(long.queries).toBeGreaterThan(90 * 24);
      expect(long.events).toBe(short.events);
      expect(long.events).toBeLessThan(200);
      expect(long.state.history.map(({ to }) => to)).toEqual([
        'SUCCESS',
        'CHARGEBACK',
        'CHARGEBACK_REVERSED',
        'SUCCESS',
      ]);
      expect(long.state.attention).toBe('chargeback-reversed');
      expect(long.heard.map(({ type, payment }) => [type, payment.trade_status])).toEqual([
        ['transition', 'SUCCESS'],
        ['transition', 'CHARGEBACK'],
        ['attention', 'CHARGEBACK'],
        // Nobody looks for days.
        ['attention.overdue', 'CHARGEBACK'],
        ['transition', 'CHARGEBACK_REVERSED'],
        ['attention', 'CHARGEBACK_REVERSED'],
        ['attention.overdue', 'CHARGEBACK_REVERSED'],
        ['transition', 'SUCCESS'],
        // Once a person has looked.
        ['sold', 'SUCCESS'],
        ['attention.cleared', 'SUCCESS'],
      ]);
    });
  });

  describe('refunds', () => {
    test('two parts of the same amount are made one after the other, and both count', async () => {
      const sale = await play();
      sale.gateway.refundPlans = [{ takes_ms: 5_000, ends: 'done' }];
      const [a, b] = [
        await sale.ask('50.00', { out_request_no: 'a' }),
        await sale.ask('50.00', { out_request_no: 'b' }),
      ];
      expect(await a.answer).toMatchObject({ refund_status: 'REFUND_PROCESSING', recovered: false });
      expect(await b.answer).toMatchObject({ refund_amount: '50.00' });
      const state = await ended(sale);
      expect(state).toMatchObject({
        trade_status: 'PARTIAL_REFUND',
        refunded_amount: '100.00',
        refunding_amount: '0.00',
      });
      // Two parts look the same: nothing confirms either of them, and both count as gone.
      expect(state.refunds.map(({ outcome, partial }) => [outcome, partial])).toEqual([
        ['ACCEPTED', true],
        ['ACCEPTED', true],
      ]);
    });

    test('all that is left goes back once: asked for again, also by another run, it is what the first gave', async () => {
      const sale = await play();
      await (await sale.ask('30.00', { out_request_no: 'a' })).answer;
      await ended(sale);
      const [first, at_once] = [await sale.ask(), await sale.ask()];
      const given = await first.answer;
      expect(given).toMatchObject({ refund_amount: '120.00', refund_currency: 'BRL' });
      expect(await at_once.answer).toEqual(given);
      expect(await ended(sale)).toMatchObject({ refunded_amount: '150.00' });
      expect(await (await sale.ask()).answer).toEqual(given);
      expect(sale.trade.refunds.map(({ amount }) => amount)).toEqual(['30.00', '120.00']);
    });

    test('a number that a part has used is no number for all that is left, also in another run', async () => {
      const sale = await play();
      await (await sale.ask('30.00', { out_request_no: 'a' })).answer;
      const differs = {
        ...{ type: 'DifferentRequest', details: [{ fields: ['refund_amount'] }] },
        message: expect.stringContaining(
          `Order ${sale.out_trade_no}: Refund a of 30.00 BRL was requested under this number before`,
        ),
      };
      expect(await (await sale.ask(undefined, { out_request_no: 'a' })).answer).toMatchObject(differs);
      await ended(sale);
      expect(await (await sale.ask(undefined, { out_request_no: 'a' })).answer).toMatchObject(differs);
      const rest = await (await sale.ask(undefined, { out_request_no: 'rest' })).answer;
      expect(rest).toMatchObject({ refund_amount: '120.00' });
      await ended(sale);
      expect(await (await sale.ask(undefined, { out_request_no: 'rest' })).answer).toEqual(rest);
      expect(sale.trade.refunds).toHaveLength(2);
    });

    test.each<[string, [unknown]]>([
      ['nothing', [undefined]],
      ['null', [null]],
      ['a list', [[]]],
      ['a text', ['150.00']],
      ['an amount that is null', [{ refund_amount: null }]],
    ])('a request that is %s gives nothing back', async (_what, args) => {
      const sale = await play();
      await sale.open();
      const refused = await sale.handle
        .executeUpdate<unknown, [unknown]>('refund', { args })
        .catch((error: Error) => error.cause);
      expect(refused).toMatchObject({ type: 'InvalidRequest' });
      expect(sale.trade.refunds).toEqual([]);
    });

    test('the rest of a trade that is REFUNDED after a part goes back once a person has said that nobody else gave it back', async () => {
      const sale = await play();
      sale.gateway.partialStatus = 'REFUNDED';
      await (await sale.ask('50.00')).answer;
      expect(await ended(sale)).toMatchObject({ trade_status: 'REFUNDED', refunded_amount: '50.00' });
      expect(await (await sale.ask('100.00')).answer).toMatchObject({ type: 'NotRefunded' });
      expect(await sale.state()).toMatchObject({ attention: 'refund-elsewhere', refunded_amount: '50.00' });
      await expect(seen(sale, { refunded_elsewhere: '0.00' })).rejects.toMatchObject({
        cause: {
          type: 'InvalidRequest',
          message: expect.stringMatching(/REFUNDED, and this leaves 100\.00 .* add “although”/),
        },
      });
      await seen(sale, { refunded_elsewhere: '0.00', although: 'REFUNDED' });
      await (await sale.ask('100.00')).answer;
      expect(await ended(sale)).toMatchObject({ refunded_amount: '150.00', ledger_complete: true });
    });

    test('an over-refund is refused with what is left, and nothing is sent', async () => {
      const sale = await play();
      const asked = [];
      for (let i = 0; i < 10; i += 1) asked.push(await sale.ask('40.00', { out_request_no: `n${i}` }));
      const refused = await Promise.all(asked.slice(3).map(({ answer }) => answer));
      // A message that is logged alone has to say which refund of which order it is about.
      refused.forEach((error, i) => {
        expect(error).toMatchObject({ type: 'OverRefund', details: [{ left: '30.00' }] });
        const message = `Order ${sale.out_trade_no}, refund n${i + 3}: 40.00 is more than the 30.00 that is left`;
        expect(error).toMatchObject({ message: expect.stringContaining(message) });
      });
      const without = await (await sale.ask('0.001')).answer;
      const message = `Order ${sale.out_trade_no}: Nothing was changed. refund_amount: `;
      expect(without).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining(message) });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '120.00' });
      expect(sale.trade.refunds).toHaveLength(3);
    });
  });

  describe('a refund whose answer was lost', () => {
    test('is found by the state of its trade, and not made again', async () => {
      const sale = await play();
      sale.gateway.refundMishaps = ['lost after'];
      expect(await (await sale.ask('50.00')).answer).toMatchObject({ recovered: true });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '50.00', attention: null });
      expect(sale.trade.refunds).toHaveLength(1);
    });

    test('is not made again where its trade keeps showing none: gateways begin a refund late', async () => {
      const sale = await play();
      sale.gateway.refundMishaps = ['lost before'];
      await sale.ask('50.00', { out_request_no: 'one' });
      await sale.pass(2 * DAY);
      expect(await sale.state()).toMatchObject({ attention: 'unknown-refund', refunding_amount: '50.00' });
      expect(sale.trade.refunds).toEqual([]);
      await seen(sale, { outcome: 'NOT_CREATED', out_request_no: 'one' });
      await (await sale.ask('50.00', { out_request_no: 'one' })).answer;
      expect(await ended(sale)).toMatchObject({ refunded_amount: '50.00', attention: null });
      expect(sale.trade.refunds.map(({ out_request_no }) => out_request_no)).toEqual(['one']);
    });
  });

  describe('a chargeback without a watch window', () => {
    test('promise 8: stays open before a person until somebody has seen it, and names who', async () => {
      const sale = await play();
      sale.gateway.bankStatus = () => 'CHARGEBACK';
      await sale.open();
      await sale.pass(90 * DAY);
      expect(await sale.isRunning()).toBe(true);
      expect(await sale.state()).toMatchObject({ attention: 'chargeback', trade_status: 'CHARGEBACK' });
      await seen(sale);
      const { attention, history } = await ended(sale);
      expect(attention).toBeNull();
      expect(history.at(-1)).toMatchObject({ source: 'operator', by: 'ana', reason: 'seen' });
    });
  });
});

test('who asks again for a refund that is before a person hears that, and not the acceptance of before', async () => {
  const sale = await newSale();
  await sale.ask('50.00', { out_request_no: 'a' });
  await sale.pass(MINUTE);
  sale.gateway.bankStatus = () => 'REFUND_REFUSED';
  await sale.pass(3 * HOUR);
  const again = await sale.ask('50.00', { out_request_no: 'a' });
  await sale.pass(MINUTE);
  expect(await again.answer).toMatchObject({ type: 'RefundPending' });
});

test('a refund that is notified as under way while its attempts go on is not sent', async () => {
  const sale = await newSale();
  sale.gateway.bankStatus = () => 'SUCCESS';
  sale.gateway.refundMishaps = Array.from({ length: 4 }, () => ({ refuse: { code: '20000' } }));
  const { answer } = await sale.ask('150.00', { out_request_no: 'b' });
  await sale.pass(10_000);
  await sale.notify({ trade_status: 'REFUND_PROCESSING', out_request_no: 'b' });
  await sale.pass(HOUR);
  expect(sale.trade.refunds).toEqual([]);
  expect(await sale.state()).toMatchObject({ attention: 'unknown-refund', refunding_amount: '150.00' });
  expect(await answer).toMatchObject({ type: 'RefundPending' });
});

test('while Temporal’s list is down, a caller is answered in the time of a refund, and the gateway is asked all the same', async () => {
  const sale = await newSale({ settings: { PAYMENTS_WATCH_WINDOW: '30d' } });
  await sale.open();
  await sale.pass(HOUR);
  sale.env.work({ 'payments.knownBefore': () => Promise.reject(new Error('the list is down')) });
  const before = sale.gateway.queries;
  await sale.notify({ trade_status: 'DISPUTE' });
  const { answer } = await sale.ask('150.00', { out_request_no: 'b' });
  await sale.pass(31_000);
  expect(await answer).toMatchObject({ type: 'NotAnswered' });
  await sale.pass(HOUR);
  expect(sale.gateway.queries).toBeGreaterThan(before);
});
