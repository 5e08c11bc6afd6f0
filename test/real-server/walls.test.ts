/**
 * What stopped new users in their first hour, done as they did it: a namespace of one's own with keys, one plugin object for all,
 * a plain start from another language, the button Cancel of Temporal UI, a replay of production's histories.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { type BundleOptions, bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { loadConfig, PaymentGatewayPlugin } from '../../src';
import { connectPayments, PaymentsClient, UnknownNamespaceError } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { newSealingKeys } from '../../src/gateway';
import { type Simulator, startSimulator } from '../../src/simulator';
import { devServer } from '../../src/testing/dev-server';
import { APP } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { Commands, started } from '../harness/commands';
import { publishedOrder } from '../harness/orders';

const NAMESPACE = 'payments';
const folder = mkdtempSync(join(tmpdir(), 'walls-'));

let temporal: TestWorkflowEnvironment;
let simulator: Simulator;
let settings: Record<string, string>;
let plugin: PaymentGatewayPlugin;
let connection: NativeConnection;
let client: Client;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  await built();
  temporal = await devServer(['--namespace', NAMESPACE]);
  simulator = await startSimulator({ apps: [APP] });
  const sealing = await newSealingKeys('walls');
  settings = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    PAYMENTS_ENCRYPTION_KEYS: setting(key('walls')),
    PAYMENTS_SEALING_JWKS: JSON.stringify(sealing.privateJwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(sealing.publicJwk),
    // No notification comes: polls find what is paid.
    WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
    PAYMENTS_POLL_SCHEDULE: '500ms,1s,2s',
    PAYMENTS_POLL_EVERY: '1s',
  };
  const { code, printed } = await commands.run(settings, 'setup');
  expect([code, printed]).toEqual([0, expect.stringContaining(NAMESPACE)]);
  plugin = new PaymentGatewayPlugin(loadConfig(settings));
  connection = await NativeConnection.connect({ address: temporal.address, plugins: [plugin] });
  client = new Client({ connection: temporal.connection, namespace: NAMESPACE, plugins: [plugin] });
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await connection?.close();
  await simulator?.close();
  await temporal?.teardown();
  rmSync(folder, { recursive: true });
});

const commands = new Commands(folder);
ends.push(() => commands.end());
const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;

/** A worker with the one plugin, and the client of its queue. */
async function running(taskQueue: string, workflowBundle: { code: string }) {
  const worker = await Worker.create({
    connection,
    namespace: NAMESPACE,
    taskQueue,
    workflowBundle,
    plugins: [plugin],
  });
  const run = worker.run();
  let hasEnded = false;
  const end = async () => {
    if (hasEnded) return;
    hasEnded = true;
    worker.shutdown();
    await run;
  };
  ends.push(end);
  return { payments: new PaymentsClient({ client, app_id: APP.app_id, taskQueue }), end };
}

/** Our workflows bundled before: to bundle takes far longer than all else of a worker's start. */
const madeBefore = () => workflowBundle(dataConverter(loadConfig(settings)).failureConverterPath);

/** Bundled with the plugin alone, as users do, once for all tests. JavaScript has no types that ask for a path. */
const madeByThePlugin = () => {
  made ??= bundleWorkflowCode(z.custom<BundleOptions>().parse({ plugins: [plugin] }));
  return made;
};
let made: ReturnType<typeof bundleWorkflowCode> | undefined;

/** A paid order, and its history. */
async function sell(payments: PaymentsClient) {
  const order = publishedOrder('pix');
  await payments.pay(order);
  await simulator.pay(order.out_trade_no);
  expect(await payments.outcome(order.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  return { order, history: await client.workflow.getHandle(idOf(order.out_trade_no)).fetchHistory() };
}

test('one plugin object serves two workers, and a replay beside them: the end of one does not cut the other off', async () => {
  const bundle = await madeBefore();
  const [one, two] = [await running('q1', await madeByThePlugin()), await running('q2', bundle)];
  const { order, history } = await sell(two.payments);
  const workflowId = idOf(order.out_trade_no);
  await two.end();
  await sell(one.payments);
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: bundle, plugins: [plugin] }, [
    { workflowId, history },
  ]))
    expect(error).toBeUndefined();
  await sell(one.payments);
  await one.end();
  // Also where all had ended before.
  await sell((await running('q3', bundle)).payments);
});

describe('with a worker', () => {
  let payments: PaymentsClient;
  beforeAll(async () => {
    ({ payments } = await running('payments', await madeBefore()));
  });

  test('encrypted histories of another namespace than default replay with the plugin alone', async () => {
    const { order, history } = await sell(payments);
    await Worker.runReplayHistory({ plugins: [plugin] }, history, idOf(order.out_trade_no));
    const workflowBundle = await madeByThePlugin();
    await Worker.runReplayHistory({ workflowBundle, plugins: [plugin] }, history, idOf(order.out_trade_no));
  });

  test('the button Cancel of Temporal UI does not end a payment that the buyer can still pay', async () => {
    const order = publishedOrder('pix');
    const { out_trade_no } = order;
    const data = await payments.pay(order);
    await client.workflow.getHandle(idOf(out_trade_no)).cancel();
    expect(await payments.pay(order)).toEqual(data);
    await simulator.pay(out_trade_no);
    expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  });
});

describe('in surroundings that are wrong', () => {
  const SERVING = new Set(['worker', 'webhook']);

  test.each(['worker', 'webhook', 'setup', 'pay'])(
    '%s in a namespace that does not exist says so in a sentence, without a stack',
    async (name) => {
      const order = join(__dirname, '../../examples/orders/pix.json');
      const env = { ...settings, TEMPORAL_NAMESPACE: `nowhere-${randomUUID()}`, WEBHOOK_PORT: '0' };
      const args = [name, ...(name === 'pay' ? [order] : [])];
      // A process that serves must also end by itself.
      const run = SERVING.has(name) ? await started(folder, env, ...args) : await commands.run(env, ...args);
      expect(run.code).toBe(2);
      expect(run.printed).toContain(`payment-gateway setup --namespace ${env.TEMPORAL_NAMESPACE}`);
      expect(run.printed).not.toMatch(/undefined|^ +at /m);
    },
  );

  test('a backend that connects to a namespace that does not exist is told so by a typed error', async () => {
    const TEMPORAL_NAMESPACE = `nowhere-${randomUUID()}`;
    await expect(connectPayments({ ...settings, TEMPORAL_NAMESPACE })).rejects.toThrow(UnknownNamespaceError);
    await expect(connectPayments({ ...settings, TEMPORAL_NAMESPACE })).rejects.toThrow(TEMPORAL_NAMESPACE);
  });
});
