/** What one run of an after-sale leaves to the next: nothing that was acknowledged is lost, whoever ends a run, and when. */
import { ApplicationFailure } from '@temporalio/common';
import { previousRunActivities } from '../../../src/activities';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { APP } from '../../../src/testing/stack';
import { newSale, type Sale } from './harness';

/** As the webhook does: signal-with-start. */
async function notify(sale: Sale, claim: object): Promise<void> {
  await sale.client.workflow.signalWithStart('afterSale', {
    workflowId: sale.workflowId,
    taskQueue: 'simulated',
    args: [{ app_id: APP.app_id, out_trade_no: sale.out_trade_no, trade_no: sale.trade.trade_no }],
    signal: 'notification',
    signalArgs: [{ trade_no: sale.trade.trade_no, out_trade_no: sale.out_trade_no, ...claim }],
  });
}

const resolve = (sale: Sale, more: object = {}) =>
  sale.handle.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'seen', ...more }] });

async function ended(sale: Sale): Promise<void> {
  for (let tries = 0; tries < 50 && (await sale.isRunning()); tries += 1) await sale.pass(6 * HOUR);
  expect(await sale.isRunning()).toBe(false);
}

/** Temporal's list of workflows is behind for as long as this holds. */
function lateList(sale: Sale) {
  const late = { holds: true };
  const known = previousRunActivities['payments.knownBefore'];
  sale.env.work({
    'payments.knownBefore': (input: Parameters<typeof known>[0]) => {
      if (late.holds) throw ApplicationFailure.retryable('This run is not in the list of workflows yet');
      return known(input);
    },
  });
  return late;
}

test('a start after forty runs that found no such order reads only the last of them', async () => {
  const sale = await newSale();
  sale.gateway.blindQueries = 1_000_000;
  for (let asked = 0; asked < 40; asked += 1) {
    await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
    await sale.pass(MINUTE);
  }
  let queries = 0;
  for (const run of sale.env.temporal.runs(sale.workflowId)) {
    const query = run.query.bind(run);
    run.query = (...args: Parameters<typeof run.query>) => {
      if (args[0] === 'carried') queries += 1;
      return query(...args);
    };
  }
  await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
  expect(queries).toBe(1);
}, 60_000);

test('a refund that waited for its turn in a run that was terminated goes on once the same request comes again', async () => {
  const sale = await newSale();
  sale.gateway.refundPlans = [{ takes_ms: 6 * HOUR, ends: 'done' }];
  await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
  expect(await (await sale.ask('50.00', { out_request_no: 'b' })).answer).toMatchObject({ type: 'RefundPending' });
  await sale.handle.terminate();
  await sale.pass(MINUTE);
  expect(await (await sale.ask('50.00', { out_request_no: 'b' })).answer).toMatchObject({ type: 'RefundPending' });
  await sale.pass(2 * DAY);
  expect(sale.trade.refunds.map(({ out_request_no }) => out_request_no)).toEqual(['a', 'b']);
});

test('a refund that waited for its turn in a run that was terminated is not made where nobody asks again', async () => {
  const sale = await newSale();
  sale.gateway.refundPlans = [{ takes_ms: 6 * HOUR, ends: 'done' }];
  await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
  await (await sale.ask('50.00', { out_request_no: 'b' })).answer;
  await sale.handle.terminate();
  await sale.pass(MINUTE);
  await sale.open();
  await sale.pass(2 * DAY);
  expect((await sale.state()).refunds[1]).toMatchObject({ outcome: 'NOT_CREATED', failure: { type: 'NotRefunded' } });
  expect(sale.trade.refunds).toHaveLength(1);
});

test('a decision that comes while earlier runs are read settles nothing of what is read then', async () => {
  const sale = await newSale();
  await sale.open();
  await sale.pass(MINUTE);
  await notify(sale, { trade_no: 'OTHER', trade_status: 'SUCCESS', amount: '150.00', currency: 'BRL' });
  await sale.pass(HOUR);
  expect(await sale.state()).toMatchObject({ attention: 'second-trade' });
  await sale.handle.terminate();
  const late = lateList(sale);
  await sale.open();
  await sale.pass(MINUTE);
  expect(await sale.state()).toMatchObject({ attention: null });
  const decided = resolve(sale).catch(() => undefined);
  await sale.pass(1_000);
  late.holds = false;
  await sale.pass(DAY);
  await decided;
  expect(await sale.state()).toMatchObject({ attention: 'second-trade' });
});

describe('a history that grows', () => {
  const LONG = { suggestsContinueAsNewAfter: 200 };
  const eventsOf = (sale: Sale) => sale.env.historyLength(sale.workflowId);

  test('is ended where a denied trade is notified on and on, and what was notified is held', async () => {
    const sale = await newSale(LONG);
    sale.gateway.blindQueries = 1_000_000;
    for (let hour = 0; hour < 40; hour += 1) {
      await notify(sale, { trade_status: 'PARTIAL_REFUND' });
      await sale.pass(HOUR);
      expect(await eventsOf(sale)).toBeLessThan(250);
    }
    expect(sale.env.temporal.runs(sale.workflowId).length).toBeGreaterThan(1);
    const claims = [{ trade_status: 'PARTIAL_REFUND' }];
    expect(await sale.state()).toMatchObject({ attention: 'unknown-trade', claims });
  });

  test('is kept while a refund waits for its turn, until the server would end it: then that refund has to be requested again', async () => {
    const sale = await newSale(LONG);
    sale.gateway.refundMishaps = ['lost before'];
    await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
    await (await sale.ask('50.00', { out_request_no: 'b' })).answer;
    const notified = async () => {
      await notify(sale, { trade_status: 'REFUND_PROCESSING', out_request_no: 'a' });
      await sale.pass(HOUR);
    };
    for (let hour = 0; hour < 60; hour += 1) await notified();
    expect(await eventsOf(sale)).toBeGreaterThan(250);
    expect(await sale.state()).toMatchObject({ refunds: [{}, { outcome: null }] });
    Object.assign(sale.env.temporal.latest(sale.workflowId) ?? {}, { events: 40_001 });
    await notified();
    expect(await eventsOf(sale)).toBeLessThan(250);
    const { refunds, attention } = await sale.state();
    expect(refunds).toMatchObject([{ attention }, { outcome: 'NOT_CREATED', failure: { type: 'NotRefunded' } }]);
    expect(attention).toBe('unknown-refund');
  });
});

describe('while Temporal’s list is down for days', () => {
  test('a person hears that earlier runs cannot be read, and the ledger goes on once they can', async () => {
    const sale = await newSale();
    await (await sale.ask('50.00', { out_request_no: 'a' })).answer;
    await ended(sale);
    const late = lateList(sale);
    await sale.open();
    await sale.pass(MINUTE);
    expect((await sale.state()).attention).toBeNull();
    await sale.pass(2 * DAY);
    expect((await sale.state()).attention).toBe('no-answer');
    expect(await sale.env.historyLength(sale.workflowId)).toBeLessThan(20);
    late.holds = false;
    await sale.pass(HOUR);
    expect(await sale.state()).toMatchObject({ attention: null, refunded_amount: '50.00' });
  });
});
