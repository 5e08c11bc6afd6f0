/**
 * With keys, nothing that Temporal stores of a payment holds a secret or personal data in clear text. The test reads it by
 * Temporal's own API. Temporal, worker, webhook and simulator are real; the worker caches no workflow, so that each history is
 * replayed for every task.
 */
import { Client, type WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { PaymentsClient } from '../../src/client';
import { dataConverter, EncryptionCodec } from '../../src/codec';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { loadConfig } from '../../src/process/settings';
import { readStart } from '../../src/temporal/workflow-history';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { publishedOrder } from '../harness/orders';
import { key, payload, setting } from './support';

const COMPLETED =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED;

const KEY = key('k1');
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_ENCRYPTION_KEYS: setting(KEY) },
    worker: { maxCachedWorkflows: 0 },
  });
});
afterAll(() => stack?.close());

/** Personal data that appears nowhere else. */
const MARKED = {
  subject: 'canary subject',
  content: 'canary content',
  buyer_id: 'canary-buyer',
  customer: {
    name: 'Canaria Souza Lima',
    email: 'canary@example.com',
    phone: '11987654321',
    identify: { number: '50284414727', type: 'CPF' },
  },
  address: { zip_code: '01310-930', state: 'SP', city: 'Canary City', street: 'Canary Street', street_number: '1578' },
  ip: '203.0.113.77',
};
const MARKS = [
  ...['canary', 'Canary', 'Canaria', 'Souza', '11987654321', '50284414727', '01310-930', '203.0.113.77'],
  ...[APP.secret_key, 'tok_'],
];
const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;

/** All that Temporal returns of a workflow without a key, as text: history, description, list. */
async function stored(workflowId: string): Promise<string> {
  const { client, connection } = { client: stack.temporal.client, connection: stack.temporal.connection };
  const namespace = client.options.namespace;
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const described = await connection.workflowService.describeWorkflowExecution({
    namespace,
    execution: { workflowId },
  });
  const listed: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) listed.push(info);
  return inClear([history, described.toJSON(), listed.map(({ raw }) => raw)]);
}

/** The value as JSON with its bytes as text, followed by everything in it that can be decoded as base64. */
function inClear(value: unknown): string {
  const json = JSON.stringify(value, (_, inner) =>
    inner instanceof Uint8Array ? Buffer.from(inner).toString('latin1') : inner,
  );
  const decoded = [...json.matchAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g)].map(([text]) =>
    Buffer.from(text, 'base64').toString('latin1'),
  );
  return [json, ...decoded].join('\n');
}

const marksIn = (text: string) => MARKS.filter((mark) => text.includes(mark));

test('a paid card payment, with its updates and query, stores nothing in clear text', async () => {
  const order = { ...publishedOrder('credit-card'), ...MARKED };
  const { out_trade_no } = order;
  const handle = stack.client.workflow.getHandle(idOf(out_trade_no));
  await stack.payments.pay(order);
  await stack.payments.pay(order);
  await expect(stack.payments.pay({ ...order, subject: 'another canary' })).rejects.toThrow('subject differs');
  expect(await stack.payments.state(out_trade_no)).toMatchObject({ out_trade_no, outcome: null });
  expect(await handle.executeUpdate('recheck')).toMatchObject({ outcome: null });
  await stack.simulator.pay(out_trade_no);
  expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query' });
  // After its end, the same answer, by the input in the history.
  expect(await stack.payments.pay(order)).toMatchObject({ out_trade_no });

  const text = await stored(idOf(out_trade_no));
  expect(text).toContain('WORKFLOW_EXECUTION_SIGNALED');
  expect(marksIn(text)).toEqual([]);
  const clear = await stack.client.workflow.getHandle(idOf(out_trade_no)).fetchHistory();
  expect(JSON.stringify(clear)).not.toContain('json/plain');
});

test('a resolved payment and a refused order store no reason, no person and no failure’s text', async () => {
  const resolved = { ...publishedOrder('pix'), ...MARKED };
  await stack.payments.pay(resolved);
  await stack.client.workflow.getHandle(idOf(resolved.out_trade_no)).executeUpdate('resolve', {
    args: [{ outcome: 'CANCEL', reason: 'canary called', by: 'Canary Operator' }],
  });
  expect(await stack.payments.outcome(resolved.out_trade_no)).toMatchObject({ outcome: 'CANCEL' });

  const wrong = { ...publishedOrder('pix'), ...MARKED, order_amount: '0.00' };
  const workflowId = idOf(wrong.out_trade_no);
  const failed: unknown = await stack.client.workflow
    .execute('payment', {
      workflowId,
      taskQueue: stack.taskQueue,
      args: [{ kind: 'direct', app_id: APP.app_id, request: wrong }],
    })
    .catch((error: { cause: unknown }) => error.cause);
  expect(failed).toBeInstanceOf(ApplicationFailure);
  expect(failed).toMatchObject({ type: 'InvalidRequest', message: expect.stringContaining('order_amount') });

  const text = `${await stored(idOf(resolved.out_trade_no))}\n${await stored(workflowId)}`;
  expect(marksIn(text)).toEqual([]);
  expect(text).toContain('Encoded failure');
  expect(text).not.toContain('order_amount');
});

test('a waiting payment stores no failure’s text, details or summaries', async () => {
  const order = { ...publishedOrder('pix'), ...MARKED };
  await stack.payments.pay(order);
  const workflowId = idOf(order.out_trade_no);
  const namespace = stack.client.options.namespace;
  const waiting = async () => {
    const { pendingActivities } = await stack.temporal.connection.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    return pendingActivities?.[0];
  };
  while (!(await waiting())?.lastFailure) await stack.payments.state(order.out_trade_no);
  expect((await waiting())?.lastFailure?.message).toBe('Encoded failure');
  expect(marksIn(await stored(workflowId))).toEqual([]);
});

test('a person’s update that is refused says why without a key, and nothing of the order or of what was typed', async () => {
  const order = { ...publishedOrder('pix'), ...MARKED };
  await stack.payments.pay(order);
  const { connection, client } = stack.temporal;
  const { namespace } = client.options;
  const workflowExecution = { workflowId: idOf(order.out_trade_no) };
  const codec = new EncryptionCodec([KEY]);
  /** As Temporal UI sends it and shows its answer: encrypted by the codec server, for the namespace. */
  const refusedAs = async (name: string, value: unknown) => {
    const payloads = await codec.encode([payload(value)], { type: 'workflow', namespace });
    const { outcome } = await connection.workflowService.updateWorkflowExecution({
      namespace,
      workflowExecution,
      request: { meta: { updateId: `typed-${name}` }, input: { name, args: { payloads } } },
      waitPolicy: { lifecycleStage: COMPLETED },
    });
    return outcome?.failure;
  };
  const resolution = { outcome: 'CANCELED', by: 'Canary Operator', reason: 'canary called' };
  const refused = await refusedAs('resolve', resolution);
  expect(refused?.message).toBe('Nothing was changed. outcome: one of SUCCESS, CANCEL, REFUSED, EXPIRED');
  expect((await refusedAs('take', { by: 'ana', note: 'canary' }))?.message).toMatch(/nothing of it waits for a person/);
  expect(marksIn(inClear(refused))).toEqual([]);
});

describe('a client without the key', () => {
  const strangers = () => [
    new Client({ connection: stack.temporal.connection, namespace: stack.client.options.namespace }),
    new Client({
      connection: stack.temporal.connection,
      namespace: stack.client.options.namespace,
      dataConverter: dataConverter(loadConfig({ PAYMENTS_ENCRYPTION_KEYS: setting(key('another')) })),
    }),
  ];

  test('cannot read a state, an input or an outcome', async () => {
    const order = { ...publishedOrder('pix'), ...MARKED };
    await stack.payments.pay(order);
    await stack.simulator.pay(order.out_trade_no);
    await stack.payments.outcome(order.out_trade_no);
    for (const client of strangers()) {
      const payments = new PaymentsClient({ client, app_id: APP.app_id, taskQueue: stack.taskQueue });
      for (const ask of [
        () => payments.state(order.out_trade_no),
        () => payments.outcome(order.out_trade_no),
        () => readStart(client, idOf(order.out_trade_no)),
      ]) {
        const answer: unknown = await ask().catch((error: unknown) => String(error));
        expect(marksIn(String(answer))).toEqual([]);
        expect(answer).toEqual(expect.stringMatching(/decrypt|encoding|encrypted|PAYMENTS_ENCRYPTION_KEYS/i));
      }
    }
  });

  test('cannot start a payment: its clear text is refused, and nothing is sent', async () => {
    const [plain] = strangers();
    const order = { ...publishedOrder('pix'), ...MARKED };
    const { out_trade_no } = order;
    const args = [{ kind: 'direct', app_id: APP.app_id, request: order }];
    const workflowId = idOf(out_trade_no);
    await plain?.workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args });
    expect(await failureOf(workflowId)).toMatchObject({ type: 'InvalidRequest' });
    expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
    // What it sent stays in clear. This also shows that these tests would find clear text.
    expect(marksIn(await stored(workflowId))).toEqual(expect.arrayContaining(['canary', '50284414727']));
  });

  test('cannot decide: its update is rejected, in words that need no key, and the payment goes on', async () => {
    const [plain] = strangers();
    const order = publishedOrder('pix');
    const { out_trade_no } = order;
    await stack.payments.pay(order);
    const resolution = { outcome: 'CANCEL', by: 'nobody', reason: 'none' };
    const said = plain?.workflow.getHandle(idOf(out_trade_no)).executeUpdate('resolve', { args: [resolution] });
    await expect(said).rejects.toMatchObject({
      cause: { type: 'InvalidRequest', message: expect.stringMatching(/in clear text.*PAYMENTS_ENCRYPTION_KEYS/) },
    });
    await stack.simulator.pay(out_trade_no);
    expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  });
});

/** What a run has failed with. */
const failureOf = (workflowId: string): Promise<unknown> =>
  stack.client.workflow
    .getHandle(workflowId)
    .result()
    .catch((error: { cause: unknown }) => error.cause);

test('an encrypted history replays, and so does one from before there were keys', async () => {
  const order = publishedOrder('pix');
  await stack.payments.pay(order);
  await stack.simulator.pay(order.out_trade_no);
  await stack.payments.outcome(order.out_trade_no);
  const workflowId = idOf(order.out_trade_no);
  const history = await stack.client.workflow.getHandle(workflowId).fetchHistory();
  const { failureConverterPath } = dataConverter(stack.config);
  const byPlugin = {
    workflowBundle: await workflowBundle(failureConverterPath),
    plugins: [new PaymentGatewayPlugin(stack.config)],
  };
  await Worker.runReplayHistory(byPlugin, history, workflowId);
  const before = await import('../histories/kept/without-handler/paid-told-by-notification.json');
  await Worker.runReplayHistory(byPlugin, before.default, 'payment:test-app:h-paid');
  const strict = { ...byPlugin, plugins: [], dataConverter: dataConverter(stack.config, {}, 'worker') };
  await Worker.runReplayHistory(strict, history, workflowId);
  await expect(Worker.runReplayHistory(strict, history, idOf('another'))).rejects.toThrow();
});
