/** Single moments of a payment: its first try and who waits for it, the same order again, a broken start, a poll that ends early, and news at the end. */
import { ApplicationFailure } from '@temporalio/common';
import { DuplicateOrderError, PaymentPendingError } from '../../../src/client';
import { type NotificationSignal, paymentWorkflowId, SIGNAL, WORKFLOW } from '../../../src/contract';
import { MINUTE } from '../../../src/gateway/pure/durations';
import { type Simulation, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { order, publishedOrder } from '../../harness/orders';

const SECOND = 1_000;
const request = publishedOrder('pix', { timeout_express: '90m' });
const { out_trade_no } = request;
const ID = paymentWorkflowId(APP.app_id, out_trade_no);

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const now = () => simulation.temporal.currentTimeMs();

/** What a reading of the runs before does before it reads. */
function beforeEarlierRuns(act: () => Promise<void> | void): void {
  const own = simulation.temporal.temporal.activities.functions['payments.earlierRuns'];
  simulation.temporal.work({
    'payments.earlierRuns': async (...args: unknown[]) => {
      await act();
      return typeof own === 'function' ? own(...args) : null;
    },
  });
}

test('a caller hears PaymentPending after 30 s of a gateway that is down, and the payment data once it works', async () => {
  const { gateway, payments } = simulation;
  gateway.isDown = true;
  const began = await now();
  await expect(payments.pay(request)).rejects.toBeInstanceOf(PaymentPendingError);
  const waited = (await now()) - began;
  expect(waited).toBeGreaterThanOrEqual(30 * SECOND);
  expect(waited).toBeLessThan(35 * SECOND);
  gateway.isDown = false;
  // Callers of the same five minutes share their answer.
  await simulation.sleep('6 minutes');
  expect(await payments.pay(request)).toMatchObject({ trade_no: 'T1', recovered: false });
  expect(gateway.created).toBe(1);
});

test('a duplicate after a first try that a busy gateway had seen may be ours: it is looked for, and not refused', async () => {
  const { gateway, payments } = simulation;
  await gateway.addTrade(out_trade_no, { order_amount: request.order_amount, statusAt: () => 'PROCESSING' });
  // At 0, 1, 2 and 4 s; the first try ends before the next one.
  gateway.mishaps = Array.from({ length: 4 }, () => ({ refuse: { code: '20000' } }));
  expect(await payments.pay(request)).toMatchObject({ trade_no: 'T1', recovered: true });
});

test('a buyer who comes back from another network gets the payment data of the first order, also once the payment is over', async () => {
  const { gateway, payments } = simulation;
  gateway.statusAt = (elapsed_ms) => (elapsed_ms < MINUTE ? 'PROCESSING' : 'SUCCESS');
  const first = await payments.pay({
    ...request,
    ip: '203.0.113.7',
    return_url: 'https://shop.example/back?session=1',
  });
  const later = { ip: '198.51.100.9', fingerprint: 'measured-anew', return_url: 'https://shop.example/back?session=2' };
  expect(await payments.pay({ ...request, ...later })).toEqual(first);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  expect(await payments.pay({ ...request, ...later })).toEqual(first);
  expect(gateway.created).toBe(1);
});

test('another order under the number is refused with the first one’s trade, and with a warning of a second charge', async () => {
  const { gateway, payments } = simulation;
  await payments.pay(request);
  const refused = await payments.pay({ ...request, order_amount: '1.00' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DuplicateOrderError);
  expect(refused).toMatchObject({
    ...{ type: 'DifferentRequest', fields: ['order_amount'], trade_no: 'T1', order_amount: request.order_amount },
    message: expect.stringContaining('a new out_trade_no could charge the buyer twice'),
  });
  expect(gateway.created).toBe(1);
});

test('a right order that comes while a broken start of its number is ending is made at once, and once', async () => {
  const { payments, gateway, temporal, sleep } = simulation;
  const isAsked = () => (temporal.temporal.latest(ID)?.takenUpdates.size ?? 0) > 0;
  // Reading the runs before, which ends a broken start, takes until somebody has asked the run.
  beforeEarlierRuns(() => {
    if (!isAsked()) throw ApplicationFailure.create({ message: 'not yet', nextRetryDelay: '1 millisecond' });
  });
  temporal.temporal.start('payment', ID, { kind: 'direct', app_id: APP.app_id, request: { out_trade_no } });
  const paying = payments.pay(request);
  expect(await temporal.temporal.clock.until(isAsked, MINUTE)).toBe(true);
  await sleep(MINUTE);
  expect(await paying).toMatchObject({ qr_code: expect.any(String) });
  expect(gateway.trades.size).toBe(1);
  expect(temporal.temporal.latest(ID)?.status).toBe('RUNNING');
});

/** A poll that ends before its time leaves the deadline where it is: the gateway is asked then, and not before. */
test.each<[why: string, watch: () => Promise<null>]>([
  ['the clock of its worker is hours ahead', async () => null],
  [
    'the server makes no attempt after its time',
    async () => {
      throw ApplicationFailure.create({ message: 'the gateway is down', nextRetryDelay: '5 hours' });
    },
  ],
])('where %s, the payment expires at its deadline all the same', async (_why, watch) => {
  const { gateway, payments, temporal } = simulation;
  temporal.work({ 'gateway.watch': watch });
  gateway.statusAt = (elapsed) => (elapsed < 90 * MINUTE ? 'PROCESSING' : 'EXPIRED');
  const began = await now();
  await payments.pay(request);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'EXPIRED', attention: null });
  const lived = (await now()) - began;
  expect(lived).toBeGreaterThanOrEqual(90 * MINUTE);
  expect(lived).toBeLessThan(91 * MINUTE);
  // By the trade's own number and, because it has ended unsold, by the order's.
  expect(gateway.queries).toBe(2);
  expect((await temporal.costOf(ID)).events).toBeLessThan(40);
});

test('money for a trade of others that is notified just before a refused order fails is taken on by a new run', async () => {
  const { gateway, payments, temporal } = simulation;
  const wrong = order({ order_amount: '0.00' });
  const { out_trade_no } = wrong.request;
  const workflowId = paymentWorkflowId(APP.app_id, out_trade_no);
  await gateway.addTrade(out_trade_no, { order_amount: '150.00', statusAt: () => 'SUCCESS' });
  const notification: NotificationSignal = {
    ...{ app_id: APP.app_id, trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS' },
    ...{ method: 'PIX', amount: '150.00', currency: 'BRL' },
  };
  let reads = 0;
  beforeEarlierRuns(async () => {
    reads += 1;
    // The first is before the order is sent. What is notified during the second is acknowledged, so it must not be lost.
    if (reads === 2) await temporal.client.workflow.getHandle(workflowId).signal(SIGNAL.notification, notification);
  });
  // As a program by the contract alone starts it: without `first_start_id`.
  await temporal.client.workflow.start(WORKFLOW.payment, { workflowId, taskQueue: 'simulated', args: [wrong] });
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
});
