/**
 * Every published order through a real Temporal server, worker, webhook and gateway simulator: paid, and told by notification. All run at
 * once. simulation.test.ts and walls.test.ts have what polls find.
 */
import { APP, type Stack, startStack } from '../../src/testing/stack';
import type { PaymentData, PaymentState } from '../../src/workflows';
import { type PublishedOrder, publishedOrder, publishedOrders } from '../harness/orders';

const ORDERS = publishedOrders().map((order): [string, PublishedOrder] => [order.name, order]);
const lives = new Map<string, Promise<{ data: PaymentData; state: PaymentState }>>();

let stack: Stack;
beforeAll(async () => {
  // No poll comes before these tests are over: only a notification can tell.
  stack = await startStack({ env: { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' } });
  for (const [name, order] of ORDERS) lives.set(name, paid(order));
  // Each test looks at its own order; here only their end is waited for.
  await Promise.allSettled(lives.values());
});
afterAll(() => stack?.close());

async function paid({ kind, request }: PublishedOrder) {
  const { payments, simulator } = stack;
  const data = await (kind === 'checkout' ? payments.createCheckout(request) : payments.pay(request));
  await simulator.pay(request.out_trade_no);
  return { data, state: await payments.outcome(request.out_trade_no) };
}

it.each(ORDERS)('%s is paid: one notification, confirmed by a query', async (name, { request, expect: expected }) => {
  const { data, state } = (await lives.get(name)) ?? {};
  expect(Object.keys(data ?? {})).toEqual(expect.arrayContaining(expected.payment_data));
  const { out_trade_no, order_amount, order_currency } = request;
  expect(state).toMatchObject({
    ...{ app_id: APP.app_id, out_trade_no, trade_no: data?.trade_no, order_amount, order_currency },
    ...{ trade_status: 'SUCCESS', outcome: 'SUCCESS', confirmed_by: 'query', attention: null },
  });
  const [notification] = stack.simulator.notifications({ out_trade_no });
  expect(notification).toMatchObject({ trade_status: 'SUCCESS', acknowledged: true });
  expect(notification?.attempts).toHaveLength(1);
});

it('the gateway has one trade for each order', () => {
  expect(stack.simulator.trades()).toHaveLength(ORDERS.length);
});

test('a gateway that takes seconds to answer is asked once for each notification', async () => {
  const { payments, simulator } = stack;
  const orders = Array.from({ length: 10 }, (_, i) => publishedOrder('pix', { out_trade_no: `slow-${i}` }));
  await Promise.all(orders.map((order) => payments.pay(order)));
  const before = simulator.requests({ path: '/trade/query' }).length;
  simulator.addFault({ on: 'query', fault: 'delay', ms: 3_000, times: 2 * orders.length });
  await Promise.all(orders.map(({ out_trade_no }) => simulator.pay(out_trade_no)));
  await Promise.all(orders.map(({ out_trade_no }) => payments.outcome(out_trade_no)));
  expect(simulator.requests({ path: '/trade/query' })).toHaveLength(before + orders.length);
});
