/**
 * What each lifecycle costs in Temporal: events, workflow tasks and activities. The figures are exact, so no later change
 * adds to them unseen. Who makes a life dearer or cheaper changes its row.
 */
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  type PaymentState,
  paymentWorkflowId,
  speiAccountWorkflowId,
} from '../../src/contract';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { type Simulation, signTestNotification, simulate } from '../../src/testing';
import type { RunCost } from '../../src/testing/simulated-temporal/environment';
import { APP } from '../../src/testing/stack';
import { publishedOrder } from '../harness/orders';
import { keptHistories } from '../histories/replay';

const request = publishedOrder('pix', { timeout_express: '4d' });
const { out_trade_no } = request;

let simulation: Simulation;
beforeEach(async () => {
  // Two answers come in one task or in two, as the network has it: here in one.
  simulation = await simulate({ seed: 2 });
});
afterEach(() => simulation?.close());

const costOf = (workflowId: string) => simulation.temporal.costOf(workflowId);
const costOfPayment = () => costOf(paymentWorkflowId(APP.app_id, out_trade_no));
const payAndWait = async (): Promise<PaymentState> => {
  await simulation.payments.pay(request);
  return simulation.payments.outcome(out_trade_no);
};

/** The buyer pays after so many ms, and the gateway tells. */
async function paidByNotification(after_ms: number): Promise<void> {
  const { gateway, notify, payments, sleep } = simulation;
  const { trade_no = '' } = await payments.pay(request);
  await sleep(after_ms);
  for (const trade of gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  await notify(signTestNotification(APP, { out_trade_no, trade_no }));
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
}

async function paidByPoll(after_ms: number): Promise<void> {
  simulation.gateway.statusAt = (elapsed) => (elapsed < after_ms ? 'PROCESSING' : 'SUCCESS');
  expect(await payAndWait()).toMatchObject({ outcome: 'SUCCESS', attention: null });
}

const LIVES: [life: string, live: () => Promise<unknown>, cost: RunCost][] = [
  ['paid and notified at once', () => paidByNotification(0), { events: 23, tasks: 3, activities: 4 }],
  ['found by a poll after half a minute', () => paidByPoll(MINUTE / 2), { events: 23, tasks: 3, activities: 3 }],
  // Nobody listened a minute ago: the worker is asked anew.
  ['notified after three days', () => paidByNotification(3 * DAY), { events: 24, tasks: 3, activities: 5 }],
  ['found by a poll after three days', () => paidByPoll(3 * DAY), { events: 24, tasks: 3, activities: 4 }],
  ['refused by the buyer’s bank', refused, { events: 24, tasks: 3, activities: 4 }],
  ['expired at its deadline', expired, { events: 25, tasks: 3, activities: 5 }],
];

test.each(LIVES)('a payment that is %s costs as little as the table says', async (_life, live, cost) => {
  await live();
  expect(await costOfPayment()).toEqual(cost);
});

async function refused(): Promise<void> {
  simulation.gateway.statusAt = (elapsed) => (elapsed < HOUR ? 'PROCESSING' : 'REFUSED');
  expect(await payAndWait()).toMatchObject({ outcome: 'REFUSED' });
}

async function expired(): Promise<void> {
  simulation.gateway.statusAt = (elapsed) => (elapsed < 4 * DAY ? 'PROCESSING' : 'EXPIRED');
  expect(await payAndWait()).toMatchObject({ outcome: 'EXPIRED', attention: null });
}

test('tries to create an order at a gateway that cannot be reached cost nothing, however many', async () => {
  const { gateway, payments } = simulation;
  const costAfter = async (tries: number) => {
    const order = { ...request, out_trade_no: `after-${tries}-tries` };
    gateway.mishaps = Array.from({ length: tries }, () => 'unreachable');
    gateway.statusAt = (elapsed) => (elapsed < MINUTE ? 'PROCESSING' : 'SUCCESS');
    // Its answer comes later than a caller waits.
    await payments.pay(order).catch(() => undefined);
    expect(await payments.outcome(order.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
    return costOf(paymentWorkflowId(APP.app_id, order.out_trade_no));
  };
  expect(await costAfter(40)).toEqual(await costAfter(20));
  expect(gateway.created).toBe(2);
});

test('a refund costs its after-sale as little as the table says', async () => {
  const { payments, temporal, sleep } = simulation;
  await paidByPoll(MINUTE);
  const user_info = { email: 'a@example.com', identify: { number: '50284414727' } };
  await payments.refund(out_trade_no, { user_info, bank_info: { number: '123456-7' } });
  const afterSale = temporal.client.workflow.getHandle<AfterSaleWorkflow>(
    afterSaleWorkflowId(APP.app_id, out_trade_no),
  );
  await afterSale.result();
  await sleep(MINUTE);
  expect(await costOf(afterSale.workflowId)).toEqual({ events: 54, tasks: 6, activities: 7 });
});

/** A virtual account that the gateway has answered for. */
async function account(): Promise<string> {
  const identify = { number: 'HESO900101MDFRFF09', type: 'CURP' };
  const customer = { buyer_id: 'b', email: 'b@example.com', identify };
  const { account_id } = await simulation.payments.accounts.create({ customer });
  await simulation.sleep(MINUTE);
  return account_id;
}

test('ninety days of an account’s checks cost nothing', async () => {
  const workflowId = speiAccountWorkflowId(APP.app_id, await account());
  await simulation.sleep(DAY);
  const before = await costOf(workflowId);
  await simulation.sleep(90 * DAY);
  expect(await costOf(workflowId)).toEqual(before);
});

test('a deposit costs its account and its own payment as little as the table says', async () => {
  const { gateway, notify, payments, sleep } = simulation;
  const account_id = await account();
  const before = await costOf(speiAccountWorkflowId(APP.app_id, account_id));
  const deposit = { currency: 'MXN', amount: '500.00', method: 'SPEI' };
  const { trade_no } = await gateway.addTrade('VA1', { ...deposit, order_currency: 'MXN', order_amount: '500.00' });
  const of = { out_trade_no: 'VA1', transfer_account: { account_id } };
  await notify(signTestNotification(APP, { ...deposit, ...of, trade_no }));
  await sleep(MINUTE);
  expect(await payments.accounts.get(account_id)).toMatchObject({ deposits: { count: 1 } });
  const after = await costOf(speiAccountWorkflowId(APP.app_id, account_id));
  expect({
    account: {
      events: after.events - before.events,
      tasks: after.tasks - before.tasks,
      activities: after.activities - before.activities,
    },
    payment: await costOf(paymentWorkflowId(APP.app_id, 'VA1')),
  }).toEqual({
    // It asks a worker whether anybody listens: that may change in the years of an account.
    account: { events: 17, tasks: 3, activities: 1 },
    payment: { events: 8, tasks: 1, activities: 2 },
  });
});

test.each([
  ['paid-told-by-notification', () => paidByNotification(0)],
  ['paid-found-by-polling', () => paidByPoll(MINUTE / 2)],
])('the real server counted as much: %s', async (name, live) => {
  await live();
  const { events = [] } = (await keptHistories()).get(`without-handler/${name}.json`) ?? {};
  const { events: counted, tasks } = await costOfPayment();
  const completed = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
  expect({ events: events?.length, tasks: completed.length }).toEqual({ events: counted, tasks });
});
