/**
 * Workers that lack something, on a real server: an app, or an activity. Beside another worker that has it, each order goes on; alone, a
 * person hears what is lacking, in the list.
 */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { loadConfig, PaymentGatewayPlugin } from '../../src';
import { NotCreatedError, PaymentNotFoundError, PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { paymentWorkflowId } from '../../src/contract';
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
/** Long beside the moments that a busy machine loses. */
const SHORT = { PAYMENTS_PATIENCE: '6s', PAYMENTS_CREATE_WITHIN: '20s' };

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

/** What the lists have shown of the order, as its history tells: on a busy machine it may have ended before anybody looks. */
async function reasonsListed(out_trade_no: string): Promise<unknown[]> {
  const { events } = await clientWithKeys()
    .workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no))
    .fetchHistory();
  return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: shown }) => {
    const reason = shown?.searchAttributes?.indexedFields?.PaymentAttention;
    return reason?.data ? [JSON.parse(Buffer.from(reason.data).toString())] : [];
  });
}

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

test('with a worker alone that lacks the app, a person hears of it, and the order fails in its time with the true reason', async () => {
  const taskQueue = `lacking-${randomUUID()}`;
  const end = await working(taskQueue, 'the app', SHORT);
  const payments = paymentsOf(taskQueue);
  const out_trade_no = order(payments);
  const error = await until(
    () => endOf(payments, out_trade_no),
    (end) => !(end instanceof PaymentNotFoundError),
  );
  expect(error).toBeInstanceOf(NotCreatedError);
  const message = expect.stringMatching(/no such app.*GATEWAY_APPS_FILE/);
  expect(error).toMatchObject({ outcome: 'not-sent', message });
  expect(error).toMatchObject({ message: expect.not.stringContaining('could not be reached') });
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
  expect(await reasonsListed(out_trade_no)).toContain('settings');
  await end();
});

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
