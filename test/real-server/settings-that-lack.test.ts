/**
 * Workers that lack something, on a real server: an app, or an activity. Beside another worker that has it, each order goes on.
 */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { loadConfig, PaymentGatewayPlugin } from '../../src';
import { PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { APP } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { key, setting } from '../codec/support';
import { publishedOrder } from '../harness/orders';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { until } from '../harness/runs';

const KEYS = setting(key('settings-that-lack'));
const QUICK = {
  PAYMENTS_POLL_SCHEDULE: '500ms',
  PAYMENTS_POLL_EVERY: '1s',
  PAYMENTS_SETTLING: '1s',
  PAYMENTS_ENCRYPTION_KEYS: KEYS,
  WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
  GATEWAY_CHECK_AT_START: 'false',
};

let stack: OutsideStack;
beforeAll(async () => {
  stack = await outsideStack({ settings: QUICK });
});
afterAll(() => stack?.close());

type Lacking = 'the app' | 'gateway.policy' | 'gateway.refund';

type Activities = Map<string, (...args: never[]) => Promise<unknown>>;

/** A worker of the task queue that lacks something. Returns what ends it. */
async function working(taskQueue: string, lacks: Lacking, env: Record<string, string> = {}) {
  const config = loadConfig({
    ...QUICK,
    PAYMENTS_TASK_QUEUE: taskQueue,
    GATEWAY_BASE_URL: stack.simulator.url,
    GATEWAY_APP_ID: lacks === 'the app' ? 'another-app' : APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    ...env,
  });
  const without = {
    name: 'without something',
    configureWorker({ activities, ...options }: WorkerOptions): WorkerOptions {
      const left: Activities = new Map(activities instanceof Map ? activities : Object.entries(activities ?? {}));
      left.delete(lacks);
      return { ...options, activities: Object.fromEntries(left) };
    },
  };
  const worker = await Worker.create({
    connection: stack.temporal.nativeConnection,
    namespace: stack.temporal.namespace ?? 'default',
    taskQueue,
    workflowBundle: await workflowBundle(dataConverter(config).failureConverterPath),
    plugins: [new PaymentGatewayPlugin(config), without],
  });
  const run = worker.run();
  return async () => {
    worker.shutdown();
    await run;
  };
}

function clientWithKeys(): Client {
  const { connection, namespace = 'default' } = stack.temporal;
  const converter = dataConverter(loadConfig({ PAYMENTS_ENCRYPTION_KEYS: KEYS }));
  return new Client({ connection, namespace, dataConverter: converter });
}

const paymentsOf = (taskQueue: string) =>
  new PaymentsClient({ client: clientWithKeys(), app_id: APP.app_id, taskQueue });

/** How the merchant's wait for the order ends. */
const endOf = (payments: PaymentsClient, out_trade_no: string): Promise<unknown> =>
  payments.outcome(out_trade_no).catch((error: unknown) => error);

const REFUND = {
  amount: '1.00',
  user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
  bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
};

/** Starts an order, and waits for no answer. */
function order(payments: PaymentsClient): string {
  const request = publishedOrder('pix', { out_trade_no: `lacking-${randomUUID()}` });
  payments.pay(request).catch(() => undefined);
  return request.out_trade_no;
}

// It is a process of its own: one process has one worker of a task queue.
describe('beside a worker that has all', () => {
  const made = (out_trade_no: string) =>
    until(
      async () => stack.simulator.trades({ out_trade_no }),
      (trades) => trades.length > 0,
    );
  beforeAll(async () => {
    await stack.startWorker();
  });

  test.each<Lacking>(['the app', 'gateway.policy'])(
    'one that lacks %s keeps no order: each is made once, and paid',
    async (lacks) => {
      const end = await working(stack.taskQueue, lacks);
      const payments = paymentsOf(stack.taskQueue);
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const out_trade_no = order(payments);
          await made(out_trade_no);
          await stack.simulator.pay(out_trade_no);
          expect(await endOf(payments, out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
          expect(stack.simulator.trades({ out_trade_no })).toHaveLength(1);
        }),
      );
      await end();
    },
  );

  test('one that lacks gateway.refund keeps no refund: it is made once', async () => {
    const end = await working(stack.taskQueue, 'gateway.refund');
    const payments = paymentsOf(stack.taskQueue);
    const out_trade_no = order(payments);
    await made(out_trade_no);
    await stack.simulator.pay(out_trade_no);
    expect(await endOf(payments, out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
    const refund = { ...REFUND, out_request_no: 'r-1' };
    await until(
      () => payments.refund(out_trade_no, refund).catch(() => undefined),
      (answer) => answer !== undefined,
    );
    expect(stack.simulator.requests({ out_trade_no, path: '/trade/refund' })).toHaveLength(1);
    await end();
  });
});
