/**
 * Workers that lack something, on a real server: an app, an activity, an encryption key. Beside another worker that has it, each
 * order goes on; alone, a person hears what is lacking, in the list and in `show`.
 */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { loadConfig, PaymentGatewayPlugin } from '../../src';
import { readCase } from '../../src/cli/operator/case';
import { caseText } from '../../src/cli/operator/show';
import { NotCreatedError, PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { paymentWorkflowId } from '../../src/contract';
import { paymentQuery } from '../../src/temporal/payment-query';
import { listWorkflows } from '../../src/temporal/workflow-list';
import { APP } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { key, setting } from '../codec/support';
import { publishedOrder } from '../harness/orders';
import { type OutsideStack, outsideStack } from '../harness/outside-worker';
import { until } from '../harness/runs';

const { TimeoutType } = temporal.api.enums.v1;
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

type Lacking =
  | 'the app'
  | 'gateway.create'
  | 'gateway.look'
  | 'gateway.policy'
  | 'gateway.refund'
  | 'a gateway.policy that answers'
  | 'a poll for activities'
  | 'the keys';

type Activities = Map<string, (...args: never[]) => Promise<unknown>>;

function lose(activities: Activities, lacks: Lacking): void {
  activities.delete(lacks);
  if (lacks !== 'a gateway.policy that answers') return;
  activities.set('gateway.policy', async () => {
    throw new Error('gateway.policy fails here each time');
  });
}

/** A worker of the task queue that lacks something. Returns what ends it. */
async function working(taskQueue: string, lacks: Lacking, env: Record<string, string> = {}) {
  const { PAYMENTS_ENCRYPTION_KEYS: _, ...withoutKeys } = QUICK;
  const config = loadConfig({
    ...(lacks === 'the keys' ? { ...withoutKeys, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' } : QUICK),
    PAYMENTS_TASK_QUEUE: taskQueue,
    GATEWAY_BASE_URL: stack.simulator.url,
    GATEWAY_APP_ID: lacks === 'the app' ? 'another-app' : APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    ...env,
  });
  const without = {
    name: 'without something',
    configureWorker({ activities, ...options }: WorkerOptions): WorkerOptions {
      const all: Activities = activities instanceof Map ? activities : new Map(Object.entries(activities ?? {}));
      const left = new Map(all);
      lose(left, lacks);
      const enableNonLocalActivities = lacks !== 'a poll for activities';
      return { ...options, activities: Object.fromEntries(left), enableNonLocalActivities };
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

const queue = () => `lacking-${randomUUID()}`;

/** Why `list --attention` has the order; undefined while it has it not. */
async function reasonListed(out_trade_no: string): Promise<string | undefined> {
  for await (const row of listWorkflows(clientWithKeys(), paymentQuery({ attention: true }, new Date())))
    if (row.out_trade_no === out_trade_no) return row.attention ?? undefined;
  return undefined;
}

/** What `show` says of the order. */
const shown = async (out_trade_no: string) =>
  caseText(await readCase(clientWithKeys(), { app_id: APP.app_id, out_trade_no, workflow_id: null }), {});

/** How the merchant's wait for the order ends. */
const endOf = (payments: PaymentsClient, out_trade_no: string): Promise<unknown> =>
  payments.outcome(out_trade_no).catch((error: unknown) => error);

const REFUND = {
  refund_amount: '1.00',
  refund_currency: 'BRL',
  user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
  bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
};

/** Starts an order, and waits for no answer. */
function order(payments: PaymentsClient): string {
  const request = publishedOrder('pix', { out_trade_no: `lacking-${randomUUID()}` });
  payments.pay(request).catch(() => undefined);
  return request.out_trade_no;
}

test.each<[Lacking, attention: string, says: RegExp]>([
  ['the app', 'settings', /no such app.*GATEWAY_APPS_FILE/],
  ['gateway.create', 'missing-activity', /gateway\.create/],
])(
  'with a worker alone that lacks %s, a person hears of it, and the order fails in its time with the true reason',
  async (lacks, attention, says) => {
    const taskQueue = queue();
    const end = await working(taskQueue, lacks, SHORT);
    const payments = paymentsOf(taskQueue);
    const out_trade_no = order(payments);
    await until(
      () => reasonListed(out_trade_no),
      (reason) => reason === attention,
    );
    const error = await endOf(payments, out_trade_no);
    expect(error).toBeInstanceOf(NotCreatedError);
    expect(error).toMatchObject({ outcome: 'not-sent', message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.not.stringContaining('could not be reached') });
    expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
    await end();
  },
);

test('the server ends an activity that no worker takes once, at the end of its time to be taken: it does not try it again', async () => {
  const taskQueue = queue();
  const end = await working(taskQueue, 'a poll for activities', SHORT);
  const payments = paymentsOf(taskQueue);
  const out_trade_no = order(payments);
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'missing-activity',
  );
  const handle = clientWithKeys().workflow.getHandle(paymentWorkflowId(APP.app_id, out_trade_no));
  const { events } = await handle.fetchHistory();
  const first = (events ?? []).find(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'gateway.create',
  );
  const ends = (events ?? []).flatMap(({ activityTaskTimedOutEventAttributes: ended }) => (ended ? [ended] : []));
  expect(first).toBeDefined();
  expect(ends.filter(({ scheduledEventId }) => String(scheduledEventId) === String(first?.eventId))).toMatchObject([
    { failure: { timeoutFailureInfo: { timeoutType: TimeoutType.TIMEOUT_TYPE_SCHEDULE_TO_START } } },
  ]);
  await end();
});

test.each<[Lacking, says: RegExp]>([
  ['gateway.policy', /'gateway\.policy' not registered on worker/],
  ['a gateway.policy that answers', /gateway\.policy fails here each time/],
])('with a worker alone that lacks %s, a person finds the order and why, and nothing is sent', async (lacks, says) => {
  const taskQueue = queue();
  const end = await working(taskQueue, lacks, SHORT);
  const out_trade_no = order(paymentsOf(taskQueue));
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'failing-tasks',
  );
  expect(await shown(out_trade_no)).toMatch(says);
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
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

  test.each<Lacking>(['the app', 'gateway.create', 'gateway.look', 'gateway.policy', 'the keys'])(
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
