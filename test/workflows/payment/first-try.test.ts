/** The first try to send an order is short, and callers wait for it without a timer of their own. */
import { PaymentPendingError } from '../../../src/client';
import { type Simulation, simulate } from '../../../src/testing';
import { publishedOrder } from '../../harness/orders';

const SECOND = 1_000;
const BUSY = { refuse: { code: '20000' } };

let simulation: Simulation;
beforeEach(async () => {
  simulation = await simulate();
});
afterEach(() => simulation?.close());

const now = () => simulation.temporal.currentTimeMs();

test('a caller hears PaymentPending after 30 s of a gateway that is down, and the payment data once it works', async () => {
  const { gateway, payments } = simulation;
  const request = publishedOrder('pix');
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
  const request = publishedOrder('pix');
  await gateway.addTrade(request.out_trade_no, { order_amount: request.order_amount, statusAt: () => 'PROCESSING' });
  // At 0, 1, 2 and 4 s; the first try ends before the next one.
  gateway.mishaps = [BUSY, BUSY, BUSY, BUSY];
  expect(await payments.pay(request)).toMatchObject({ trade_no: 'T1', recovered: true });
});
