/**
 * `kill -9` of the worker while refunds are made: before the gateway carried one out, after it did, and while one is on
 * its way. Each is made once, by whichever worker, and the ledger of the worker that comes after is the gateway's.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterSaleOf, part, sold } from '../after-sale/sold';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';

let stack: OutsideStack;
beforeAll(async () => {
  stack = await outsideStack({
    settings: { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s', PAYMENTS_SETTLING: '5s' },
  });
  stack.simulator.configure({ refundTakes: 'manual' });
});
afterAll(() => stack?.close());

test('killed before, after and in the middle of it: one refund each', async () => {
  const { payments, simulator, temporal } = stack;
  const first = await stack.startWorker();
  const orders = await Promise.all([1, 2, 3].map(() => sold(stack, 'wallet-qr')));
  const [before, after, onItsWay] = orders.map(({ out_trade_no }) => out_trade_no);
  simulator.addFault({ on: 'refund', fault: 'delay-before', ms: 3_000, out_trade_no: before });
  simulator.addFault({ on: 'refund', fault: 'delay', ms: 30_000, out_trade_no: after });
  const asked = orders.map((order) =>
    payments.refund(order.out_trade_no, part(order, '50.00', 'one')).catch(() => undefined),
  );
  // One is on its way, one is made and its answer is not there, one has been asked for and is not made yet.
  await asked[orders.findIndex(({ out_trade_no }) => out_trade_no === onItsWay)];
  while (simulator.refunds({ out_trade_no: after }).length === 0) await delay(50);
  while (simulator.requests({ path: '/trade/refund', out_trade_no: before }).length === 0) await delay(50);
  await first.kill();
  await stack.startWorker();
  await Promise.all(asked);

  for (const { out_trade_no } of orders) await simulator.approveRefund(out_trade_no);
  for (const order of orders) {
    const { out_trade_no } = order;
    expect(await afterSaleOf(temporal, out_trade_no).result()).toMatchObject({
      trade_status: 'PARTIAL_REFUND',
      refunded_amount: '50.00',
      refunding_amount: '0.00',
      ledger_complete: true,
      attention: null,
      refunds: [{ out_request_no: 'one', outcome: 'REFUNDED' }],
    });
    expect(simulator.ledger({ out_trade_no })).toMatchObject([
      { refunds: [{ out_request_no: 'one' }], refunded_amount: '50.00' },
    ]);
    expect(await payments.refund(out_trade_no, part(order, '50.00', 'one'))).toMatchObject({ refund_amount: '50.00' });
    // The gateway would refuse a second one itself: none was asked for.
    expect(simulator.requests({ path: '/trade/refund', out_trade_no })).toHaveLength(1);
  }
}, 240_000);
