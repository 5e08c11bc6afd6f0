/** A merchant's own workflow with payments as its children: `startPayment`. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import {
  type NewPayment,
  type PaymentData,
  type PaymentWorkflow,
  paymentWorkflowId,
  WORKFLOW,
} from '../../src/contract';
import { GatewayClient } from '../../src/gateway';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { eventually } from '../harness/eventually';
import { order, publishedOrder } from '../harness/orders';
import { FORGETS_AT_ONCE, forget } from '../harness/runs';

const TASK_QUEUE = `shop-${randomUUID()}`;
let stack: Stack;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  stack = await startStack({ temporal: FORGETS_AT_ONCE });
  worker = await Worker.create({
    connection: stack.temporal.nativeConnection,
    namespace: stack.temporal.namespace ?? 'default',
    taskQueue: TASK_QUEUE,
    workflowsPath: require.resolve('./fixtures/shop'),
    plugins: [new PaymentGatewayPlugin(stack.config)],
  });
  running = worker.run();
});

afterAll(async () => {
  worker?.shutdown();
  await running;
  await stack?.close();
});

const start = (workflow: 'sell' | 'forget', sold = order()) => startWith(workflow, flat(sold));
const startWith = (workflow: string, ...args: unknown[]) =>
  stack.client.workflow.start(workflow, { taskQueue: TASK_QUEUE, workflowId: `shop:${randomUUID()}`, args });
/** The order as a merchant's workflow has it. */
const flat = ({ app_id, request }: NewPayment) => ({ app_id, ...request });
const dataOf = (shop: Awaited<ReturnType<typeof start>>) => shop.query<PaymentData | null>('data');
const has = (number: string) => stack.simulator.trades({ out_trade_no: number }).length === 1;

test('the workflow has the payment data before the buyer pays, and the outcome after it', async () => {
  const sold = order();
  const shop = await start('sell', sold);
  await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  expect(await dataOf(shop)).toMatchObject({ qr_code: expect.stringMatching(/^0002/), recovered: false });
  await stack.simulator.pay(sold.request.out_trade_no);
  expect(await shop.result()).toBe('SUCCESS');
});

test('an order with a trade_type is a checkout, and its data has the page to pay on', async () => {
  const shop = await startWith('sell', { app_id: APP.app_id, ...publishedOrder('checkout') });
  await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  expect(await dataOf(shop)).toMatchObject({ web_url: expect.stringMatching(/^http/) });
});

const { app_id: _, ...withoutApp } = flat(order());
test.each<[string, string[], unknown]>([
  ['no order', ['app_id', 'out_trade_no', 'order_amount', 'order_currency'], undefined],
  ['an order without its app', ['app_id'], withoutApp],
  ['an order in the form of a payment’s input', ['out_trade_no', 'order_amount', 'order_currency'], order()],
  ['an amount that is a number', ['order_amount'], { ...flat(order()), order_amount: 150 }],
  ['an empty method', ['method'], { ...flat(order()), method: '' }],
])('a workflow that sells %s fails at once and for good, and names the fields', async (_, fields, sold) => {
  const shop = await startWith('sell', sold);
  await expect(shop.result()).rejects.toMatchObject({
    cause: {
      ...{ type: 'InvalidRequest', nonRetryable: true },
      details: [{ issues: fields.map((field) => expect.objectContaining({ field: expect.stringContaining(field) })) }],
    },
  });
});

test('a second workflow with the same order gets the same data and the same outcome, and one charge is made', async () => {
  const sold = order();
  const [one, other] = [await start('sell', sold), await start('sell', sold)];
  for (const shop of [one, other]) await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  expect(await dataOf(other)).toEqual(await dataOf(one));
  await stack.simulator.pay(sold.request.out_trade_no);
  expect([await one.result(), await other.result()]).toEqual(['SUCCESS', 'SUCCESS']);
  const late = await start('sell', sold);
  expect(await late.result()).toBe('SUCCESS');
  expect(has(sold.request.out_trade_no)).toBe(true);
});

test.each<[string, (id: string) => Promise<unknown>]>([
  ['terminated', (id) => stack.client.workflow.getHandle(id).terminate()],
  ['cancelled', (id) => stack.client.workflow.getHandle(id).cancel()],
])('the payment goes on when the workflow that started it is %s', async (_, end) => {
  const sold = order();
  const number = sold.request.out_trade_no;
  const shop = await start('forget', sold);
  await eventually('the gateway has the order', async () => has(number));
  await end(shop.workflowId);
  await expect(shop.result()).rejects.toThrow();
  await stack.simulator.pay(number);
  expect(await stack.payments.outcome(number)).toMatchObject({ outcome: 'SUCCESS' });
});

test('another order under the number is told by its type and its fields', async () => {
  const sold = order();
  await start('forget', sold);
  const handle = stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, sold.request.out_trade_no));
  await eventually(
    'the payment runs',
    async () =>
      handle.describe().then(
        () => true,
        () => false,
      ),
    100_000,
  );
  const shop = await start('sell', { ...sold, request: { ...sold.request, subject: 'Something else' } });
  await expect(shop.result()).rejects.toMatchObject({
    cause: { type: 'DifferentRequest', details: [{ fields: ['subject'] }] },
  });
});

test('an order of another amount than an adopted payment that has ended is not answered with its data', async () => {
  const { app_id, kind, request } = order();
  const { out_trade_no } = request;
  const gateway = new GatewayClient({ ...APP, base_url: stack.simulator.url });
  await gateway.pay({ ...request, notify_url: 'https://somebody.example/ipn' });
  await gateway.close();
  await stack.simulator.pay(out_trade_no);
  await stack.client.workflow.execute<PaymentWorkflow>(WORKFLOW.payment, {
    taskQueue: stack.taskQueue,
    workflowId: paymentWorkflowId(app_id, out_trade_no),
    args: [{ kind: 'adopt', app_id, out_trade_no }],
  });
  const shop = await start('sell', { app_id, kind, request: { ...request, order_amount: '0.01' } });
  await expect(shop.result()).rejects.toMatchObject({
    cause: { type: 'DifferentRequest', details: [{ fields: ['order_amount'] }] },
  });
});

test('an order that was refused is sold under its number once it is mended, and refused again before', async () => {
  const sold = order();
  const broken = { ...sold, request: { ...sold.request, customer: { name: 'Mariana 🎫' } } };
  for (const shop of [await start('sell', broken), await start('sell', broken)])
    await expect(shop.result()).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
  const shop = await start('sell', sold);
  await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  await stack.simulator.pay(sold.request.out_trade_no);
  expect(await shop.result()).toBe('SUCCESS');
  expect(has(sold.request.out_trade_no)).toBe(true);
});

test('a payment that was terminated before a worker had it is no answer, and the workflow is told so', async () => {
  const sold = order();
  const workflowId = paymentWorkflowId(sold.app_id, sold.request.out_trade_no);
  const never = await stack.client.workflow.start('payment', { taskQueue: 'nobody', workflowId, args: [sold] });
  await never.terminate();
  const shop = await start('sell', sold);
  await expect(shop.result()).rejects.toMatchObject({ cause: { type: 'PaymentPending' } });
  expect(stack.simulator.trades({ out_trade_no: sold.request.out_trade_no })).toHaveLength(0);
});

test('a workflow that joined a payment is told when the payment was terminated without a result', async () => {
  const sold = order();
  await start('forget', sold);
  const number = sold.request.out_trade_no;
  await eventually('the gateway has the order', async () => has(number));
  const shop = await start('sell', sold);
  await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  await stack.client.workflow.getHandle(paymentWorkflowId(APP.app_id, number)).terminate();
  await expect(shop.result()).rejects.toMatchObject({
    cause: { type: 'PaymentWithoutResult', message: expect.stringContaining('was ended from outside') },
  });
});

test('a workflow that joined a payment is told when Temporal has forgotten how the payment ended', async () => {
  const sold = order();
  const number = sold.request.out_trade_no;
  await start('forget', sold);
  await eventually('the gateway has the order', async () => has(number));
  const shop = await startWith('sellAndAskLater', flat(sold));
  await eventually('it has the data', async () => (await dataOf(shop)) !== null);
  await stack.simulator.pay(number);
  await stack.payments.outcome(number);
  await forget(stack.client, paymentWorkflowId(APP.app_id, number));
  await shop.signal('ask');
  const told = expect.stringMatching(/^Temporal has forgotten payment:.* after-sale.*dashboard/);
  await expect(shop.result()).rejects.toMatchObject({ cause: { type: 'PaymentWithoutResult', message: told } });
});

describe('refundPayment', () => {
  const giveBack = async (out_trade_no: string, amount: string): Promise<unknown> => {
    const refund = { amount, out_request_no: 'r1', ...BUYER };
    const shop = await stack.client.workflow.start('giveBack', {
      taskQueue: TASK_QUEUE,
      workflowId: `shop:${randomUUID()}`,
      args: [{ app_id: APP.app_id, out_trade_no }, refund, stack.taskQueue],
    });
    return shop.result();
  };
  const BUYER = {
    user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
    bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
  };

  async function sold(): Promise<string> {
    const { request } = order();
    await stack.payments.pay({ ...request, method: 'PIX', subject: 'Order 1', buyer_id: 'buyer-1' });
    await stack.simulator.pay(request.out_trade_no);
    await stack.payments.outcome(request.out_trade_no);
    return request.out_trade_no;
  }

  test('answers a merchant’s workflow, and the same refund again gets the same answer', async () => {
    const number = await sold();
    const answer = await giveBack(number, '30.00');
    expect(answer).toMatchObject({ refund_amount: '30.00', refund_status: expect.any(String) });
    expect(await giveBack(number, '30.00')).toEqual(answer);
    expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: number })).toHaveLength(1);
  });

  test.each<[string, string[], unknown[]]>([
    ['no order', ['app_id', 'out_trade_no'], [undefined, { amount: '1.00' }]],
    [
      'an amount that is none',
      ['refund_amount'],
      [{ app_id: APP.app_id, out_trade_no: `nobody-${randomUUID()}` }, { amount: null }],
    ],
  ])('fails at once and for good where it is given %s, and names the fields', async (_, fields, args) => {
    const shop = await startWith('giveBack', ...args);
    await expect(shop.result()).rejects.toMatchObject({
      cause: {
        type: 'InvalidRequest',
        details: [{ issues: fields.map((field) => expect.objectContaining({ field })) }],
      },
    });
  });

  test('fails with the type and the fields of the contract where too much is asked for', async () => {
    await expect(giveBack(await sold(), '150.01')).rejects.toMatchObject({
      cause: { type: 'OverRefund', details: [{ left: '150.00' }] },
    });
  });
});

test.each(['startPayment', 'refundPayment'])(
  '%s is no workflow: whoever starts it by its name is refused',
  async (name) => {
    const { workflow } = stack.client;
    const options = { taskQueue: TASK_QUEUE, workflowId: `shop:${randomUUID()}`, args: [order()] };
    await expect(workflow.execute(name, options)).rejects.toMatchObject({ cause: { type: 'NotAWorkflow' } });
  },
);
