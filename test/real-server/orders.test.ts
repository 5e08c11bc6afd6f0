/**
 * Every published order through a real Temporal server, worker, webhook and gateway simulator: paid, and told by notification.
 * One of each sort (ORDERS_ENDS=all for every one) also paid with the webhook switched off, and unpaid until its time is over.
 * All orders of a part run at once, and the parts with the same settings share their servers.
 */

import { APP, type Stack, type StackOptions, startStack } from '../../src/testing/stack';
import type { PaymentData, PaymentState } from '../../src/workflows';
import { ordersOfEachSort, type PublishedOrder, publishedOrders } from '../harness/orders';

const ORDERS = publishedOrders();
const EACH_SORT = ordersOfEachSort();

/** No poll comes before these tests are over: only a notification can tell. */
const NO_POLLS = { PAYMENTS_POLL_SCHEDULE: '1h', PAYMENTS_POLL_EVERY: '1h' };
const FAST_POLLS = { PAYMENTS_POLL_SCHEDULE: '300ms', PAYMENTS_POLL_EVERY: '300ms' };

interface Lived {
  data: PaymentData;
  state: PaymentState;
}

/** Starts a stack for the parts in a `describe`. */
function stackWith(options: StackOptions): () => Stack {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack(options);
  });
  afterAll(() => stack?.close());
  return () => stack;
}

/** Runs every order of a part at once, and answers for each by name. */
function eachOrder(orders: PublishedOrder[], live: (order: PublishedOrder) => Promise<Lived>) {
  const lives = new Map<string, Promise<Lived>>();
  beforeAll(async () => {
    for (const order of orders) lives.set(order.name, live(order));
    // Each test looks at its own order; here only their end is waited for.
    await Promise.allSettled(lives.values());
  });
  return async (name: string): Promise<Lived> => {
    const lived = await lives.get(name);
    if (!lived) throw new Error(`No order ${name}`);
    return lived;
  };
}

function create(
  { payments }: Stack,
  { kind, request }: Pick<PublishedOrder, 'kind' | 'request'>,
): Promise<PaymentData> {
  return kind === 'checkout' ? payments.createCheckout(request) : payments.pay(request);
}

/** An order that its buyer pays. */
async function paid(stack: Stack, order: PublishedOrder): Promise<Lived> {
  const data = await create(stack, order);
  await stack.simulator.pay(order.request.out_trade_no);
  return { data, state: await stack.payments.outcome(order.request.out_trade_no) };
}

const namesOf = (orders: PublishedOrder[]) => orders.map(({ name }) => name);
const NAMES = namesOf(ORDERS);
const SORT_NAMES = namesOf(EACH_SORT);
const orderNamed = (name: string) => ORDERS.find((order) => order.name === name) as PublishedOrder;

/** Resolves when every order of a part has been created, so that the gateway's clock is moved for all of them at once. */
function together(count: number): <T>(created: Promise<T>) => Promise<T> {
  const steps: Promise<unknown>[] = [];
  let open: (steps: Promise<unknown>) => void;
  const all = new Promise<unknown>((resolve) => {
    open = resolve;
  });
  return async (created) => {
    steps.push(created);
    // One that cannot be created fails the whole part: the others would wait for it without an end.
    if (steps.length === count) open(Promise.all(steps));
    await all;
    return created;
  };
}

describe('with a webhook and without polls', () => {
  const stack = stackWith({ env: NO_POLLS });

  describe('when the buyer pays', () => {
    const lived = eachOrder(ORDERS, (order) => paid(stack(), order));

    it.each(NAMES)('%s is paid: one notification, confirmed by a query', async (name) => {
      const { request, expect: expected } = orderNamed(name);
      const { data, state } = await lived(name);
      expect(Object.keys(data)).toEqual(expect.arrayContaining(expected.payment_data));
      expect(state).toMatchObject({
        app_id: APP.app_id,
        out_trade_no: request.out_trade_no,
        trade_no: data.trade_no,
        trade_status: 'SUCCESS',
        outcome: 'SUCCESS',
        confirmed_by: 'query',
        attention: null,
        order_amount: request.order_amount,
        order_currency: request.order_currency,
      });
      const [notification] = stack().simulator.notifications({ out_trade_no: request.out_trade_no });
      expect(notification).toMatchObject({ trade_status: 'SUCCESS', acknowledged: true });
      expect(notification?.attempts).toHaveLength(1);
    });

    it('the gateway has one trade for each order', () => {
      expect(stack().simulator.trades()).toHaveLength(ORDERS.length);
    });
  });
});

describe('without a webhook, by polling alone', () => {
  const stack = stackWith({ env: FAST_POLLS, webhook: false });

  describe('when the buyer pays', () => {
    const lived = eachOrder(EACH_SORT, (order) => paid(stack(), order));

    it.each(SORT_NAMES)('%s is paid: found by a query, without an acknowledged notification', async (name) => {
      const { state } = await lived(name);
      expect(state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
      const { out_trade_no } = orderNamed(name).request;
      expect(stack().simulator.notifications({ out_trade_no })[0]).toMatchObject({ acknowledged: false });
    });
  });

  describe('when the buyer does nothing', () => {
    const everyOrder = together(EACH_SORT.length);
    // As the interface has it, an order waits in INITIAL for its buyer, except PSE and Efecty.
    beforeAll(() => void stack().simulator.configure({ directStatus: 'interface' }));
    const lived = eachOrder(
      EACH_SORT,
      async ({ kind, request: { cancellation_express: _none, ...request }, ...order }) => {
        const out_trade_no = `${request.out_trade_no}-unpaid`;
        const timed = { ...order, kind, request: { ...request, out_trade_no, timeout_express: '90m' } };
        const data = await everyOrder(create(stack(), timed));
        if (order.name === 'pix') await stack().simulator.advance('91m');
        return { data, state: await stack().payments.outcome(out_trade_no) };
      },
    );

    it.each(SORT_NAMES)('%s ends by timeout_express: EXPIRED, or CANCEL where it was submitted', async (name) => {
      const { data, state } = await lived(name);
      const submitted = data.trade_status === 'PROCESSING';
      expect(submitted).toBe(name === 'pse' || name === 'efecty');
      const outcome = submitted ? 'CANCEL' : 'EXPIRED';
      expect(state).toMatchObject({ outcome, trade_status: outcome, confirmed_by: 'query', attention: null });
      expect(Date.parse(state.expires_at ?? '')).toBeGreaterThan(Date.now() + 80 * 60_000);
    });
  });
});
