/**
 * Workers that lack something, on a real server with keys: an app, or an activity. Beside another worker that has it, each order goes on. What
 * people are shown of one alone: test/workflows/payment/settings-that-lack.test.ts.
 */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { loadConfig, PaymentGatewayPlugin } from '../../src';
import { PaymentNotFoundError, PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { APP } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { key, setting } from '../codec/support';
import { publishedOrder } from '../harness/orders';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { until } from '../harness/runs';
import { part, USER } from '../harness/sold';

const QUICK = {
  PAYMENTS_POLL_SCHEDULE: '500ms',
  PAYMENTS_POLL_EVERY: '1s',
  PAYMENTS_SETTLING: '1s',
  PAYMENTS_ENCRYPTION_KEYS: setting(key('settings-that-lack')),
  WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
};

let stack: OutsideStack;
let payments: PaymentsClient;
beforeAll(async () => {
  // It is a process of its own: one process has one worker of a task queue.
  stack = await outsideStack({ settings: QUICK });
  await stack.startWorker();
  payments = paymentsOf(stack.taskQueue);
});
afterAll(() => stack?.close());

function paymentsOf(taskQueue: string): PaymentsClient {
  const { connection, namespace = 'default' } = stack.temporal;
  const client = new Client({ connection, namespace, dataConverter: dataConverter(loadConfig(QUICK)) });
  return new PaymentsClient({ client, app_id: APP.app_id, taskQueue });
}

type Lacking = 'the app' | 'gateway.policy' | 'gateway.refund';
type Activities = Map<string, (...args: never[]) => Promise<unknown>>;

/** Acts while a worker of the task queue lacks something. */
async function whileOneLacks(lacks: Lacking, act: () => Promise<void>, settings: object = {}): Promise<void> {
  const { temporal, simulator } = stack;
  const config = loadConfig({
    ...{ ...QUICK, PAYMENTS_TASK_QUEUE: stack.taskQueue, ...settings },
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: lacks === 'the app' ? 'another-app' : APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
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
    connection: temporal.nativeConnection,
    namespace: temporal.namespace ?? 'default',
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    workflowBundle: await workflowBundle(dataConverter(config).failureConverterPath),
    plugins: [new PaymentGatewayPlugin(config), without],
  });
  await worker.runUntil(act);
}

/** An order that its buyer pays as soon as it is there, and that is sold. */
async function sold(): Promise<string> {
  const { simulator } = stack;
  const request = publishedOrder('pix', { out_trade_no: `lacking-${randomUUID()}` });
  const { out_trade_no } = request;
  payments.pay(request).catch(() => undefined);
  await until(
    async () => simulator.trades({ out_trade_no }),
    (trades) => trades.length > 0,
  );
  await simulator.pay(out_trade_no);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  expect(simulator.trades({ out_trade_no })).toHaveLength(1);
  return out_trade_no;
}

test.each<Lacking>(['the app', 'gateway.policy'])(
  'one that lacks %s keeps no order: each is made once, and paid',
  (lacks) => whileOneLacks(lacks, async () => void (await Promise.all(Array.from({ length: 4 }, sold)))),
);

test('one that lacks gateway.refund keeps no refund: it is made once', () =>
  whileOneLacks('gateway.refund', async () => {
    const out_trade_no = await sold();
    const bank_info = { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' };
    await until(
      () =>
        payments.refund(out_trade_no, { ...part('1.00', 'r-1'), user_info: USER, bank_info }).catch(() => undefined),
      (answer) => answer !== undefined,
    );
    expect(stack.simulator.requests({ out_trade_no, path: '/trade/refund' })).toHaveLength(1);
  }));

test('with a worker alone that lacks the app, the order fails in its time with the true reason', async () => {
  const PAYMENTS_TASK_QUEUE = `lacking-${randomUUID()}`;
  const alone = paymentsOf(PAYMENTS_TASK_QUEUE);
  const request = publishedOrder('pix', { out_trade_no: PAYMENTS_TASK_QUEUE });
  const end = (): Promise<unknown> => alone.outcome(request.out_trade_no).catch((error: unknown) => error);
  const failed = async () => {
    alone.pay(request).catch(() => undefined);
    const error = await until(end, (one) => !(one instanceof PaymentNotFoundError));
    // As a text, because jest does not print the message of an error that another was expected for.
    expect(String(error)).toMatch(/^NotCreatedError: .*no such app.*GATEWAY_APPS_FILE/);
    expect(error).toMatchObject({ outcome: 'not-sent' });
  };
  // Long beside the moments that a busy machine loses.
  const settings = { PAYMENTS_TASK_QUEUE, PAYMENTS_PATIENCE: '6s', PAYMENTS_CREATE_WITHIN: '20s' };
  await whileOneLacks('the app', failed, settings);
  expect(stack.simulator.requests({ out_trade_no: request.out_trade_no })).toEqual([]);
});
