/**
 * The worker is killed (`kill -9`) while the gateway creates orders and makes refunds: before it carried one out, after it
 * did, and between two tries. The next worker finishes each, once. The gateway would charge twice if it were asked to.
 * Payments and refunds meet the same kill: the server notices the loss only after the time-out of an activity, a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { publishedOrder } from '../../harness/orders';
import { type OutsideStack, outsideStack } from '../../harness/outside-worker';
import { afterSaleOf, part, sold } from '../../harness/sold';

const LATER_THAN_THE_KILL_MS = 30_000;
const SOON_AFTER_THE_KILL_MS = 3_000;

let stack: OutsideStack;
const orders = {
  after: publishedOrder('pix', { out_trade_no: 'k-after' }),
  before: publishedOrder('pix', { out_trade_no: 'k-before' }),
  between: publishedOrder('pix', { out_trade_no: 'k-between' }),
};
let refunded: Record<keyof typeof orders, Awaited<ReturnType<typeof sold>>>;

beforeAll(async () => {
  stack = await outsideStack({
    settings: { PAYMENTS_POLL_SCHEDULE: '1s', PAYMENTS_POLL_EVERY: '1s', PAYMENTS_SETTLING: '6s' },
    simulator: { duplicateOrders: 'accepted', refundTakes: 'manual' },
  });
  const { payments, simulator } = stack;
  const first = await stack.startWorker();
  const [after, before, between] = await Promise.all([1, 2, 3].map(() => sold(stack, 'wallet-qr')));
  if (!after || !before || !between) throw new Error('an order is missing');
  refunded = { after, before, between };

  for (const [on, { after, before }] of [
    ['pay', orders],
    ['refund', refunded],
  ] as const) {
    simulator.addFault({ on, fault: 'delay', ms: LATER_THAN_THE_KILL_MS, out_trade_no: after.out_trade_no });
    simulator.addFault({ on, fault: 'delay-before', ms: SOON_AFTER_THE_KILL_MS, out_trade_no: before.out_trade_no });
  }
  simulator.addFault({ on: 'pay', fault: '5xx-before', out_trade_no: orders.between.out_trade_no });

  // A refund between request and result: the gateway accepted it, and a person has to approve it.
  await payments.refund(between.out_trade_no, part('50.00', 'one'));
  const asked = [
    ...Object.values(orders).map((order) => payments.pay({ ...order, timeout_express: '2h' })),
    ...[after, before].map((order) => payments.refund(order.out_trade_no, part('50.00', 'one'))),
  ].map((answer) => answer.catch(() => undefined));

  const isAsked = (path: string, out_trade_no: string) => simulator.requests({ path, out_trade_no }).length > 0;
  while (simulator.trades({ out_trade_no: orders.after.out_trade_no }).length === 0) await delay(50);
  while (simulator.refunds({ out_trade_no: after.out_trade_no }).length === 0) await delay(50);
  for (const order of Object.values(orders)) while (!isAsked('/trade/pay', order.out_trade_no)) await delay(50);
  while (!isAsked('/trade/refund', before.out_trade_no)) await delay(50);
  await first.kill();
  await stack.startWorker();
  await Promise.all(asked);
});
afterAll(() => stack?.close());

const MOMENTS = [
  { moment: 'after', when: 'after the gateway acted' },
  { moment: 'before', when: 'before the gateway acted' },
  { moment: 'between', when: 'between two steps' },
] as const;

test.each(MOMENTS)('an order whose worker was killed $when has one order and one charge', async ({ moment }) => {
  const { payments, simulator } = stack;
  const { out_trade_no } = orders[moment];
  while ((await payments.state(out_trade_no)).payment_data === null) await delay(500);
  await simulator.pay(out_trade_no);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  expect(simulator.ledger({ out_trade_no })).toMatchObject([{ orders: 1, charges: 1 }]);
});

test.each(MOMENTS)(
  'a refund whose worker was killed $when is made once, and the ledger agrees with the gateway',
  async ({ moment }) => {
    const { payments, simulator, temporal } = stack;
    const order = refunded[moment];
    const { out_trade_no } = order;
    await simulator.actOnRefund(out_trade_no, 'approve');
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
    expect(await payments.refund(out_trade_no, part('50.00', 'one'))).toMatchObject({ refund_amount: '50.00' });
    // The gateway itself would refuse a second one: none was requested.
    expect(simulator.requests({ path: '/trade/refund', out_trade_no })).toHaveLength(1);
  },
);
