/** The client against a real server, a worker and a simulated gateway: promise 1 and every error. */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import {
  DuplicateOrderError,
  InvalidOrderError,
  PaymentNotFoundError,
  PaymentPendingError,
  PaymentsClient,
} from '../../src/client';
import { dataConverter } from '../../src/codec';
import { paymentWorkflowId } from '../../src/contract';
import { type DirectPayment, GatewayClient, newSealingKeys } from '../../src/gateway';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { connectTo } from '../../src/temporal/closed-connection';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { publishedOrder } from '../harness/orders';
import { problemsWith } from '../harness/schemas';
import { errorOf } from './support';

let stack: Stack;
let second: { client: Client; payments: PaymentsClient };
beforeAll(async () => {
  stack = await startStack();
  const connection = await connectTo({ address: stack.temporal.address });
  const client = new Client({ connection, dataConverter: dataConverter(stack.config) });
  second = { client, payments: clientOf({ client }) };
});
afterAll(async () => {
  await second?.client.connection.close();
  await stack?.close();
});

/** A client as in another process of the merchant. */
function clientOf(options: Partial<ConstructorParameters<typeof PaymentsClient>[0]> = {}): PaymentsClient {
  return new PaymentsClient({
    client: stack.client,
    app_id: APP.app_id,
    taskQueue: stack.taskQueue,
    sealingKey: stack.config.PAYMENTS_SEALING_PUBLIC_JWK,
    ...options,
  });
}

const tradesOf = ({ out_trade_no }: { out_trade_no: string }) => stack.simulator.trades({ out_trade_no });
const workflowOf = ({ out_trade_no }: { out_trade_no: string }) =>
  stack.temporal.client.workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no));

/** Pays an order at the gateway and waits until its payment has closed. */
async function paid(request: DirectPayment): Promise<void> {
  await stack.simulator.pay(request.out_trade_no);
  await stack.payments.outcome(request.out_trade_no);
}

describe('the same order again gets the same answer and makes no second trade', () => {
  test.each(['pix', 'checkout', 'credit-card'] as const)(
    'of %s: while it runs and after it has closed, from another process too, although each call seals a secret again',
    async (name) => {
      const request = publishedOrder(name);
      const ask = ({ payments }: { payments: PaymentsClient }): Promise<unknown> =>
        name === 'checkout' ? payments.createCheckout(request) : payments.pay(request);
      const data = await ask(stack);
      expect(await ask(second)).toEqual(data);
      await stack.simulator.pay(request.out_trade_no, name === 'checkout' ? { method: 'PIX' } : {});
      await stack.payments.outcome(request.out_trade_no);
      expect(await ask(second)).toEqual(data);
      expect(tradesOf(request)).toHaveLength(1);
      expect(
        stack.simulator.requests({ out_trade_no: request.out_trade_no }).filter(({ created }) => created),
      ).toHaveLength(1);
    },
  );

  test('from two processes at the same moment, twenty times', async () => {
    const orders = Array.from({ length: 20 }, () => publishedOrder('pix'));
    await Promise.all(
      orders.map(async (pix) => {
        const [one, other] = await Promise.all([stack.payments.pay(pix), second.payments.pay(pix)]);
        expect(other).toEqual(one);
        expect(tradesOf(pix)).toHaveLength(1);
      }),
    );
    const requests = stack.simulator.requests({ path: '/trade/pay' });
    for (const { out_trade_no } of orders) {
      expect(requests.filter((request) => request.out_trade_no === out_trade_no)).toHaveLength(1);
    }
  });

  test('from twenty callers at the same moment', async () => {
    const pix = publishedOrder('pix');
    const [first, ...others] = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? second.payments : stack.payments).pay(pix)),
    );
    for (const data of others) expect(data).toEqual(first);
    expect(stack.simulator.requests({ path: '/trade/pay', out_trade_no: pix.out_trade_no })).toHaveLength(1);
  });
});

test('the ledger of an order of which nothing was refunded is empty, and tells of the payment', async () => {
  const pix = publishedOrder('pix');
  await stack.payments.pay(pix);
  const open = await stack.payments.refunds(pix.out_trade_no);
  expect(open).toMatchObject({ trade_status: 'PROCESSING', payment: null, order_amount: null, refunds: [] });
  await paid(pix);
  const sold = await stack.payments.refunds(pix.out_trade_no);
  const { order_amount } = pix;
  expect(sold).toMatchObject({ payment: { outcome: 'SUCCESS' }, order_amount, refunded_amount: '0.00', refunds: [] });
  for (const ledger of [open, sold]) expect(problemsWith('AfterSaleState', ledger)).toBeNull();
  await expect(stack.payments.refunds('nobody-1')).rejects.toBeInstanceOf(PaymentNotFoundError);
});

// More: clients/cases.json, which every language runs.
describe('another order under the same number is refused with the names of the differing fields', () => {
  test('and without their values', async () => {
    const pix = publishedOrder('pix');
    await stack.payments.pay(pix);
    const other = { ...pix, order_amount: '9876.54', customer: { ...pix.customer, name: 'Somebody Else' } };
    const error = await errorOf(stack.payments.pay(other));
    expect(error).toBeInstanceOf(DuplicateOrderError);
    expect(error.details).toMatchObject({ fields: ['order_amount', 'customer.name'], order_amount: pix.order_amount });
    const told = `${error.message}${JSON.stringify(error)}`;
    for (const value of ['9876.54', 'Somebody Else', pix.customer?.name]) expect(told).not.toContain(value);
  });

  test('if one has a secret and the other has none', async () => {
    const { token, ...bare } = publishedOrder('credit-card');
    await stack.payments.pay({ ...bare, token });
    const error = await errorOf(stack.payments.pay(bare));
    expect(error).toBeInstanceOf(DuplicateOrderError);
    expect(error.details).toMatchObject({ fields: ['token'] });
    expect(tradesOf(bare)).toHaveLength(1);
  });

  test('if somebody else made the order at the gateway', async () => {
    const request = publishedOrder('pix');
    const gateway = new GatewayClient({ ...APP, base_url: stack.simulator.url });
    await gateway.pay({ ...request, notify_url: 'https://somebody.example/ipn' });
    await gateway.close();
    for (const _time of ['first', 'again']) {
      const error = await errorOf(stack.payments.pay(request));
      expect(error).toBeInstanceOf(DuplicateOrderError);
      expect(error.message).toContain('which was not made here');
    }
    expect(tradesOf(request)).toHaveLength(1);
  });
});

describe('an order with a secret', () => {
  test.each([
    ['credit-card', 'token'],
    ['wallet-card-number', 'account_verification_code'],
  ] as const)('%s is refused before anything is sent if the client has no sealing key', async (name, field) => {
    const request = publishedOrder(name);
    const error = await errorOf(clientOf({ sealingKey: undefined }).pay(request));
    expect(error).toBeInstanceOf(InvalidOrderError);
    expect(error.details).toEqual({
      issues: [{ field, rule: expect.stringContaining('PAYMENTS_SEALING_PUBLIC_JWK') }],
    });
    // Its random number may hold four digits of a code.
    expect(error.message.replaceAll(String(request.out_trade_no), '')).not.toContain(String(request[field]));
    await expect(workflowOf(request).describe()).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
    expect(tradesOf(request)).toEqual([]);
  });

  test('is refused with an unusable sealing key, and the error does not hold the secret', async () => {
    const request = publishedOrder('wallet-card-number');
    const call = clientOf({ sealingKey: { kty: 'oct', k: 'c2VjcmV0' } }).pay(request);
    await expect(call).rejects.toMatchObject({ message: expect.not.stringContaining('4821') });
    await expect(workflowOf(request).describe()).rejects.toMatchObject({ name: 'WorkflowNotFoundError' });
  });

  test('that is sealed for another key is refused by the worker and not sent', async () => {
    const request = publishedOrder('credit-card');
    const { publicJwk } = await newSealingKeys('somebody-elses');
    const { kid: _name, ...unnamed } = publicJwk;
    const error = await errorOf(clientOf({ sealingKey: unnamed }).pay(request));
    expect(error).toBeInstanceOf(InvalidOrderError);
    expect(error.message).toContain('cannot be opened');
    expect(tradesOf(request)).toEqual([]);
  });
});

describe('an unknown order number', () => {
  test('includes the numbers of other apps', async () => {
    const pix = publishedOrder('pix');
    await stack.payments.pay(pix);
    const other = clientOf({ app_id: 'other-app' });
    await expect(other.state(pix.out_trade_no)).rejects.toBeInstanceOf(PaymentNotFoundError);
  });
});

describe('a payment whose creation takes long', () => {
  test('without a worker is kept, the error names the task queue, and a later worker creates it; its end is told when that has stopped', async () => {
    const pix = publishedOrder('pix');
    const taskQueue = `nobody-works-here-${randomUUID()}`;
    const error = await errorOf(clientOf({ taskQueue, answerTimeoutMs: 1_500 }).pay(pix));
    expect(error).toBeInstanceOf(PaymentPendingError);
    expect(error.out_trade_no).toBe(pix.out_trade_no);
    expect(error.message).toContain(`task queue ${taskQueue}`);
    expect((await workflowOf(pix).describe()).status.name).toBe('RUNNING');
    expect(tradesOf(pix)).toEqual([]);

    const worker = await Worker.create({
      connection: stack.temporal.nativeConnection,
      taskQueue,
      workflowBundle: await workflowBundle(),
      plugins: [new PaymentGatewayPlugin(stack.config)],
    });
    await worker.runUntil(async () => {
      expect(await clientOf({ taskQueue }).pay(pix)).toMatchObject({ trade_status: 'PROCESSING', recovered: false });
      await paid(pix);
    });
    expect(tradesOf(pix)).toHaveLength(1);
    // The version of the worker that a payment was pinned to may have been stopped long ago.
    expect(await clientOf({ taskQueue }).state(pix.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  });

  test('with a slow gateway answers when it is asked again, and there is one trade', async () => {
    const pix = publishedOrder('pix');
    stack.simulator.addFault({ on: 'pay', fault: 'delay', ms: 4_000, out_trade_no: pix.out_trade_no });
    await expect(clientOf({ answerTimeoutMs: 1_000 }).pay(pix)).rejects.toBeInstanceOf(PaymentPendingError);
    expect(await stack.payments.pay(pix)).toMatchObject({ trade_status: 'PROCESSING', recovered: false });
    expect(tradesOf(pix)).toHaveLength(1);
  });
});
