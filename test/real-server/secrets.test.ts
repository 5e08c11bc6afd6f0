/**
 * Every order holds marked secrets, and every program is a process that logs all it can: no secret is in a history, in the
 * lists of Temporal, in anything printed, or in the metrics.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { freePort } from '../../src/cli/dev/temporal';
import { makeKeys } from '../../src/cli/keys';
import { PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { loadConfig } from '../../src/process/settings';
import { type Simulator, startSimulator } from '../../src/simulator';
import { devServer } from '../../src/testing/dev-server';
import { signTestNotification } from '../../src/testing/signed-notification';
import { built } from '../harness/built';
import { type PublishedOrder, publishedOrders } from '../harness/orders';
import { Terminal } from '../harness/terminal';

/** Found in clear text and in decoded base64. A PIN is not looked for: its four digits occur by chance. */
const MARK = 'zqxMarkedSecret';
const APP = { app_id: 'test-app', secret_key: `sk_${MARK}key` };
const marked = {
  name: `Mariana ${MARK}name Souza`,
  email: `${MARK}email@example.com`,
  phone: `55119${MARK}phone`,
  token: `tok_${MARK}token`,
  street: `Avenida ${MARK}street`,
  ip: '203.0.113.197',
};

const orders = publishedOrders().map((order) => ({ ...order, request: plant(order) }));

/** The order with a mark in each field about a person. */
function plant({ request }: PublishedOrder): PublishedOrder['request'] {
  const text = JSON.stringify(request, (field, value: unknown) =>
    typeof value === 'string' ? (new Map(Object.entries(marked)).get(field) ?? value) : value,
  );
  return JSON.parse(text);
}

/** Orders that hold all kinds of secrets, created by `payment-gateway pay`: a process for each of all orders takes long. */
const BY_COMMAND = ['pix', 'boleto', 'credit-card', 'wallet-card-number'];

let keys: Awaited<ReturnType<typeof makeKeys>>;
let temporal: TestWorkflowEnvironment;
let simulator: Simulator;
let folder: string;
let env: Record<string, string>;
let payments: PaymentsClient;
const metrics: string[] = [];
const terminals: Terminal[] = [];

beforeAll(async () => {
  await built();
  keys = await makeKeys();
  temporal = await devServer();
  simulator = await startSimulator({ apps: [APP] });
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const { port } = await freePort(0);
  env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    PAYMENTS_TASK_QUEUE: `secrets-${randomUUID()}`,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PORT: `${port}`,
    WEBHOOK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOK_STOP_DELAY: '0s',
    PAYMENTS_POLL_SCHEDULE: '500ms,1s,2s',
    PAYMENTS_POLL_EVERY: '1s',
    PAYMENTS_SETTLING: '2s',
    PAYMENTS_ENCRYPTION_KEYS: keys.encryption_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(keys.sealing_private_jwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(keys.sealing_public_jwk),
    LOG_LEVEL: 'trace',
  };
  const config = loadConfig(env);
  const client = new Client({ connection: temporal.connection, dataConverter: dataConverter(config) });
  const taskQueue = config.PAYMENTS_TASK_QUEUE;
  payments = new PaymentsClient({
    client,
    app_id: APP.app_id,
    taskQueue,
    sealingKey: config.PAYMENTS_SEALING_PUBLIC_JWK,
  });
  await Promise.all([measured('worker', /worker started/), measured('webhook', /webhook listens/)]);
});

afterAll(async () => {
  for (const terminal of terminals) await terminal.kill();
  await simulator?.close();
  await temporal?.teardown();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** `payment-gateway …` with every setting. */
function run(args: string[], changes: Record<string, string> = {}): Terminal {
  const terminal = new Terminal({ cwd: folder, env: { ...env, ...changes } }, ...args);
  terminals.push(terminal);
  return terminal;
}

/** Starts a program that keeps running, and serves its metrics. */
async function measured(program: string, hasStarted: RegExp): Promise<void> {
  const METRICS_ADDRESS = `127.0.0.1:${(await freePort(0)).port}`;
  metrics.push(`http://${METRICS_ADDRESS}/metrics`);
  await run([program], { METRICS_ADDRESS }).sees(hasStarted);
}

function file(content: unknown): string {
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;
const ipn = (body: string, headers: Record<string, string>) =>
  fetch(`${env.WEBHOOK_PUBLIC_URL}/ipn/${APP.app_id}`, { method: 'POST', body, headers });

/** Texts that must occur nowhere. */
function secrets(): string[] {
  const { identities } = z.object({ identities: z.array(z.string()) }).parse({
    identities: orders.flatMap(({ request }) =>
      [request.customer?.identify?.number ?? [], request.account_number ?? []].flat(),
    ),
  });
  const { d } = z.object({ keys: z.tuple([z.object({ d: z.string() })]) }).parse(keys.sealing_private_jwks).keys[0];
  const [, encryption = ''] = keys.encryption_key.split(':');
  return [MARK, marked.ip, ...identities, d, encryption].map((secret) => secret.toLowerCase());
}

/** The secrets that occur in a text, also in base64. */
function found(text: string): string[] {
  const opened = text
    .replace(/[A-Za-z0-9+/_-]{8,}={0,2}/g, (data) => `${data} ${Buffer.from(data, 'base64')}`)
    .toLowerCase();
  return secrets().filter((secret) => opened.includes(secret));
}

it('after every kind of order and every fault, secrets are only in the books of the gateway', async () => {
  const [lost, failing] = orders.filter(({ kind }) => kind === 'direct');
  simulator.addFault({ on: 'pay', fault: 'reset-after', out_trade_no: lost?.request.out_trade_no });
  simulator.addFault({ on: 'pay', fault: '5xx-after', out_trade_no: failing?.request.out_trade_no });
  for (const { name, kind, request } of orders) {
    const { out_trade_no } = request;
    if (kind === 'checkout') await payments.createCheckout(request);
    else if (!BY_COMMAND.includes(name)) await payments.pay(request);
    else expect([name, await run(['pay', file({ kind, request })]).ended]).toEqual([name, 0]);
    await simulator.pay(out_trade_no);
    expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  }

  const boleto = orders.find(({ name }) => name === 'boleto')?.request;
  const { name, email } = marked;
  const user_info = { name, email, identify: boleto?.customer?.identify };
  const out_trade_no = boleto?.out_trade_no ?? '';
  const refund = ['refund', out_trade_no, '--amount', '1.00', '--number', 'r1', '--with'];
  expect(await run([...refund, file({ user_info })]).ended).toBe(0);

  // What goes wrong: an invalid order, a secret that is not sealed, a forged notification, and an unreadable one.
  const wrong = { ...boleto, out_trade_no: 'wrong', order_amount: '0' };
  expect(await run(['pay', file({ kind: 'direct', request: wrong })]).ended).toBe(2);
  const bare = orders.find(({ request }) => request.token !== undefined)?.request;
  const input = { kind: 'direct', app_id: APP.app_id, request: { ...bare, out_trade_no: 'bare' } };
  const client = new Client({ connection: temporal.connection, dataConverter: dataConverter(loadConfig(env)) });
  await expect(
    client.workflow.execute('payment', {
      workflowId: idOf('bare'),
      taskQueue: `${env.PAYMENTS_TASK_QUEUE}`,
      args: [input],
    }),
  ).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
  const { body, headers } = signTestNotification(APP, { out_trade_no: 'forged', user: { ...marked } });
  expect((await ipn(`${body} `, headers)).status).toBe(401);
  const unreadable = signTestNotification(APP, { out_trade_no: 'unreadable', trade_no: '', user: { ...marked } });
  expect((await ipn(unreadable.body, unreadable.headers)).status).toBe(200);

  // The client of the test server has no key, so it sees what Temporal stores.
  const wanted = [...orders.map(({ request }) => idOf(request.out_trade_no)), idOf('bare'), 'stray-notification:'];
  const kept = await listed((ids) => wanted.every((each) => ids.some((id) => id.startsWith(each))));
  for (const workflowId of kept) {
    const handle = temporal.client.workflow.getHandle(workflowId);
    const text = JSON.stringify([await handle.fetchHistory(), (await handle.describe()).raw], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect({ workflowId, found: found(text) }).toEqual({ workflowId, found: [] });
  }

  const [ofWorker = '', ofWebhook = ''] = await Promise.all(metrics.map(async (url) => (await fetch(url)).text()));
  expect(ofWorker).toMatch(/^temporal_workflow_completed\b.*workflow_type="payment"/m);
  expect(ofWebhook).toMatch(/^payments_webhook_answer_seconds_count\{.*status="200"/m);
  expect(ofWebhook).toMatch(/^payments_webhook_answer_seconds_count\{.*status="401"\} 1$/m);
  expect({ ofWorker: found(ofWorker), ofWebhook: found(ofWebhook) }).toEqual({ ofWorker: [], ofWebhook: [] });

  const [worker, webhook, ...commands] = terminals;
  expect([await worker?.interrupt(), await webhook?.interrupt()]).toEqual([0, 0]);
  expect(worker?.printed).toContain('"level":"debug"');
  expect(webhook?.printed).toContain('a notification with a good signature could not be read');
  // With the refund and the refused order.
  expect(commands).toHaveLength(BY_COMMAND.length + 2);
  for (const { printed } of terminals) expect({ printed, found: found(printed) }).toEqual({ printed, found: [] });
});

/** The ids of all workflows, once the list, which is late, has those that it must have. */
async function listed(isAll: (ids: string[]) => boolean): Promise<string[]> {
  for (;;) {
    const ids: string[] = [];
    for await (const { workflowId } of temporal.client.workflow.list()) ids.push(workflowId);
    if (isAll(ids)) return ids;
    await delay(100);
  }
}
