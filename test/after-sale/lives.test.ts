/** What follows a sale, on a server whose time is skipped: months take seconds. */
import { DAY, HOUR, MINUTE } from '../../src/gateway/durations';
import type { PaymentEvent } from '../../src/workflows';
import { type Sale, withSale } from './harness';

async function ended(sale: Sale) {
  for (let tries = 0; tries < 50 && (await sale.isRunning()); tries += 1) await sale.pass(6 * HOUR);
  return sale.handle.result();
}

type HistoryEvent = NonNullable<Awaited<ReturnType<Sale['handle']['fetchHistory']>>['events']>[number];
const isWorkflowTask = (event: HistoryEvent) =>
  Boolean(
    event.workflowTaskScheduledEventAttributes ||
      event.workflowTaskStartedEventAttributes ||
      event.workflowTaskCompletedEventAttributes,
  );

describe('the watch window', () => {
  async function watched(window: string, days: number) {
    const heard: PaymentEvent[] = [];
    return withSale(
      async (sale) => {
        const began = await sale.env.currentTimeMs();
        const at = began + (days - 1) * DAY;
        sale.gateway.bank = (now) => {
          if (now > at + 12 * HOUR) return undefined;
          if (now > at + 6 * HOUR) return 'CHARGEBACK_REVERSED';
          return now > at ? 'CHARGEBACK' : undefined;
        };
        await sale.open();
        const state = await sale.handle.result();
        const lived = (await sale.env.currentTimeMs()) - began;
        const history = (await sale.handle.fetchHistory()).events ?? [];
        // How many tasks the server makes of the same news is its own affair.
        const steps = history.filter((event) => !isWorkflowTask(event));
        return { state, lived, events: history.length, steps: steps.length, queries: sale.gateway.queries, heard };
      },
      {
        settings: { PAYMENTS_WATCH_WINDOW: window },
        onEvent: (event) => void ('payment' in event && heard.push(event)),
      },
    );
  }

  test('three months are watched in seconds, and cost no more history than three days', async () => {
    const short = await watched('3d', 3);
    const long = await watched('90d', 90);
    console.log(
      `90 days: ${long.queries} looks, ${long.events} events; 3 days: ${short.queries} looks, ${short.events} events`,
    );
    expect(long.lived).toBeGreaterThanOrEqual(90 * DAY);
    expect(long.queries).toBeGreaterThan(90 * 24);
    expect(long.steps).toBe(short.steps);
    expect(long.events).toBeLessThan(200);
    expect(long.state.history.map(({ to }) => to)).toEqual(['SUCCESS', 'CHARGEBACK', 'CHARGEBACK_REVERSED', 'SUCCESS']);
    expect(long.state.attention).toBe('chargeback-reversed');
    expect(long.heard.map(({ type, payment }) => [type, payment.trade_status])).toEqual([
      ['transition', 'SUCCESS'],
      ['transition', 'CHARGEBACK'],
      ['attention', 'CHARGEBACK'],
      ['transition', 'CHARGEBACK_REVERSED'],
      ['attention', 'CHARGEBACK_REVERSED'],
      ['transition', 'SUCCESS'],
    ]);
  });
});

describe('refunds', () => {
  test('two parts of the same amount are made one after the other, and told apart', async () => {
    await withSale(async (sale) => {
      sale.gateway.plans = [{ takes_ms: 5_000, fate: 'done' }];
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
      expect(state.refunds.map(({ outcome, partial }) => [outcome, partial])).toEqual([
        ['REFUNDED', true],
        ['REFUNDED', true],
      ]);
    });
  });

  test('a gateway that calls a part REFUNDED does not make it the whole', async () => {
    await withSale(async (sale) => {
      sale.gateway.partialStatus = 'REFUNDED';
      await (await sale.ask('50.00')).answer;
      expect(await ended(sale)).toMatchObject({ trade_status: 'REFUNDED', refunded_amount: '50.00' });
      await (await sale.ask('100.00')).answer;
      expect(await ended(sale)).toMatchObject({ refunded_amount: '150.00', ledger_complete: true });
    });
  });

  test('a revoked refund gives its amount back to the ledger, with nobody telling', async () => {
    await withSale(async (sale) => {
      sale.gateway.plans = [{ takes_ms: 7 * DAY, fate: 'revoked' }];
      await (await sale.ask('150.00')).answer;
      expect(await ended(sale)).toMatchObject({
        trade_status: 'SUCCESS',
        refunded_amount: '0.00',
        refunds: [{ outcome: 'REFUND_REVOKE' }],
      });
    });
  });

  test('a charged-back trade is not refunded: the buyer has the money already', async () => {
    await withSale(async (sale) => {
      sale.gateway.bank = () => 'CHARGEBACK';
      expect(await (await sale.ask('10.00')).answer).toMatchObject({ type: 'NotRefunded' });
      expect(sale.gateway.made).toEqual([]);
    });
  });

  test('an over-refund is refused with what is left, and nothing is sent', async () => {
    await withSale(async (sale) => {
      const asked = [];
      for (let i = 0; i < 10; i += 1) asked.push(await sale.ask('40.00', { out_request_no: `n${i}` }));
      const refused = (await Promise.all(asked.slice(3).map(({ answer }) => answer))).map((error) => error);
      for (const error of refused) expect(error).toMatchObject({ type: 'OverRefund', details: [{ left: '30.00' }] });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '120.00' });
      expect(sale.gateway.made).toHaveLength(3);
    });
  });
});

describe('a refund whose answer was lost', () => {
  test('and that the gateway made is found by its trade’s state, and not made again', async () => {
    await withSale(async (sale) => {
      sale.gateway.mishaps = ['lost after'];
      expect(await (await sale.ask('50.00')).answer).toMatchObject({ recovered: true });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '50.00', attention: null });
      expect(sale.gateway.made).toHaveLength(1);
    });
  });

  test('and that was never made is made again under the same number, once the trade kept showing none', async () => {
    await withSale(async (sale) => {
      sale.gateway.mishaps = ['lost before'];
      await sale.ask('50.00', { out_request_no: 'one' });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '50.00', attention: null });
      expect(sale.gateway.made.map(({ number }) => number)).toEqual(['one']);
    });
  });

  test('after another partial refund cannot be told from it: a person decides, and the next one waits', async () => {
    await withSale(async (sale) => {
      await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
      await sale.pass(HOUR);
      sale.gateway.mishaps = ['lost before'];
      const { answer } = await sale.ask('50.00', { out_request_no: 'b' });
      await sale.pass(10 * MINUTE);
      expect(await answer).toMatchObject({ type: 'RefundPending' });
      expect(await sale.state()).toMatchObject({ attention: 'unknown-refund', refunding_amount: '50.00' });
      const resolution = { outcome: 'NOT_CREATED', reason: 'not in the dashboard', by: 'ana' };
      await sale.handle.executeUpdate('resolve', { args: [resolution] });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '50.00', refunding_amount: '0.00', attention: null });
      expect(sale.gateway.made).toHaveLength(1);
    });
  });

  test('is told by a notification that names it, where the gateway’s own answer agrees', async () => {
    await withSale(async (sale) => {
      await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
      await sale.pass(HOUR);
      sale.gateway.mishaps = ['lost after'];
      sale.gateway.plans = [{ takes_ms: 0, fate: 'done' }];
      await sale.ask('50.00', { out_request_no: 'b' });
      await sale.pass(10 * MINUTE);
      expect(await sale.state()).toMatchObject({ attention: 'unknown-refund' });
      await sale.handle.signal('notification', { out_request_no: 'b', trade_status: 'PARTIAL_REFUND' });
      expect(await ended(sale)).toMatchObject({ refunded_amount: '100.00', attention: null });
    });
  });
});

describe('a refund made elsewhere', () => {
  test('is said: the ledger is not complete', async () => {
    await withSale(async (sale) => {
      sale.gateway.made.push({ number: null, amount: '20.00', at: 0, takes_ms: 0, fate: 'done' });
      await sale.open();
      expect(await ended(sale)).toMatchObject({
        refunded_amount: '0.00',
        ledger_complete: false,
        attention: 'refund-elsewhere',
      });
    });
  });
});
