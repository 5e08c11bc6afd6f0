/**
 * Somebody without a key writes to Temporal's database: each payload of one kind, in every history, is replaced by clear text.
 * Workers and clients must notice it in each lifecycle, and what was not touched must still be read.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { type DevServer, findTemporal, freePort, startDevServer } from '../../src/cli/dev/temporal';
import { PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { speiAccountWorkflowId } from '../../src/contract';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { type Config, loadConfig } from '../../src/process/settings';
import { type Simulator, startSimulator } from '../../src/simulator';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { quiet } from '../../src/testing/dev-server';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { type RunningWebhook, startWebhook } from '../../src/webhook';
import { orderOf } from '../client/support';
import { key, setting } from '../codec/support';
import { type HistoryEvent, rewriteHistories } from '../harness/history-database';
import { sign } from '../webhook/support';

const APP = { app_id: 'shop', secret_key: 'secret-of-the-shop' };
const KEYS = setting(key('k1'));

/** What the attacker writes: here it is the thief's QR code, and everywhere else something that is as wrong. */
const THIEFS = defaultPayloadConverter.toPayload({ qr_code: 'PIX-CODE-OF-THE-THIEF' });
const payloads: Payload[] = THIEFS ? [THIEFS] : [];

/** Each kind of payload, and how an event of it is rewritten. */
const KINDS: Record<string, (event: HistoryEvent) => boolean> = {
  'start input': ({ workflowExecutionStartedEventAttributes: started }) => put(started?.input),
  memo: ({ workflowExecutionStartedEventAttributes: started }) => {
    if (!started) return false;
    started.memo = { fields: { note: payloads[0] ?? {} } };
    return true;
  },
  'activity result': ({ activityTaskCompletedEventAttributes: completed }) => put(completed?.result),
  signal: ({ workflowExecutionSignaledEventAttributes: signaled }) => put(signaled?.input),
  'update request': ({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) =>
    put(accepted?.acceptedRequest?.input?.args),
  'update result': ({ workflowExecutionUpdateCompletedEventAttributes: completed }) => put(completed?.outcome?.success),
  'result of a child': ({ childWorkflowExecutionCompletedEventAttributes: completed }) => put(completed?.result),
  'result of a workflow': ({ workflowExecutionCompletedEventAttributes: completed }) => put(completed?.result),
};

function put(target: { payloads?: Payload[] | null } | null | undefined): boolean {
  if (!target?.payloads?.length) return false;
  target.payloads = payloads;
  return true;
}

let folder: string;
let temporal: DevServer;
let ports: { port: number; uiPort: number };
let simulator: Simulator;
let config: Config;
let bundle: Awaited<ReturnType<typeof workflowBundle>>;
const file = () => join(folder, 'temporal.db');
const original = () => join(folder, 'original.db');
/** The workflows by their type, after the lives below. */
const idsByType = new Map<string, string>();

async function startTemporal(): Promise<void> {
  const binary = await findTemporal();
  temporal = await startDevServer({ binary, dbFile: file(), host: '127.0.0.1', ...ports, namespace: 'default' });
}

/** A client and a worker, with keys, that remember nothing of before. */
async function connected<T>(act: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: temporal.address });
  const native = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection: native,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    workflowBundle: bundle,
    // Events that nobody takes go to the relay, a lifecycle of its own.
    plugins: [new PaymentGatewayPlugin(config, { onEvent: () => Promise.reject(new Error('the shop is closed')) })],
  });
  try {
    return await worker.runUntil(act(new Client({ connection, dataConverter: dataConverter(config) })));
  } finally {
    await native.close();
    await connection.close();
  }
}

beforeAll(async () => {
  quiet();
  folder = mkdtempSync(join(tmpdir(), 'rewritten-'));
  ports = { port: (await freePort(0)).port, uiPort: (await freePort(0)).port };
  await startTemporal();
  simulator = await startSimulator({ apps: [APP], refundTakes: '0s' });
  const { port } = await freePort(0);
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PORT: `${port}`,
    WEBHOOK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PAYMENTS_ENCRYPTION_KEYS: KEYS,
  };
  config = loadConfig(env);
  bundle = await workflowBundle(dataConverter(config).failureConverterPath);
  const connection = await Connection.connect({ address: temporal.address });
  await registerSearchAttributes(connection, 'default').finally(() => connection.close());
  const webhook = await startWebhook(config, env, pino({ level: 'silent' }));
  await connected((client) => live(client, webhook)).finally(() => webhook.close());
  await temporal.stop();
  copyFileSync(file(), original());
  // What the server had not yet moved into the file is beside it.
  if (existsSync(`${file()}-wal`)) copyFileSync(`${file()}-wal`, `${original()}-wal`);
});
afterAll(async () => {
  await simulator?.close();
  await temporal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One life of each lifecycle. */
async function live(client: Client, webhook: RunningWebhook): Promise<void> {
  const payments = new PaymentsClient({ client, app_id: APP.app_id, taskQueue: config.PAYMENTS_TASK_QUEUE });
  const sold = orderOf('pix');
  await payments.pay(sold);
  await simulator.pay(sold.out_trade_no);
  await payments.outcome(sold.out_trade_no);
  await payments.refund(sold.out_trade_no, {
    out_request_no: 'r-1',
    refund_amount: '1.00',
    refund_currency: sold.order_currency,
    refund_reason: 'too many',
    user_info: { email: 'maria@example.com', identify: { number: '50284414727', type: 'CPF' } },
    bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' },
  });
  const settled = orderOf('pix');
  await payments.pay(settled);
  const resolution = { outcome: 'CANCEL', by: 'ana', reason: 'the buyer came to the shop' };
  await client.workflow.getHandle(idOf(settled.out_trade_no)).executeUpdate('resolve', { args: [resolution] });
  const { account_id } = await payments.accounts.create({ customer: { buyer_id: 'b-1', ...CUSTOMER } });
  await simulator.deposit(account_id, '10.00');
  await payments.accounts.quantity();
  const body = Buffer.from('{ not JSON');
  const answer = await fetch(`${webhook.url}/ipn/${APP.app_id}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'service-signature': sign(body, APP) },
  });
  expect(await answer.text()).toBe('success');
  while (idsByType.size < LIFECYCLES.length) {
    for await (const { type, workflowId } of client.workflow.list()) idsByType.set(type, workflowId);
  }
  const account = speiAccountWorkflowId(APP.app_id, account_id);
  while (!(await hasReadChild(client, account)));
}

/** Whether the result of a child is in the history, and the workflow has read it: a replay reads no further than that. */
async function hasReadChild(client: Client, workflowId: string): Promise<boolean> {
  const events = await eventsOf(client, workflowId);
  const came = events.findIndex((event) => event.childWorkflowExecutionCompletedEventAttributes);
  return came >= 0 && events.slice(came).some((event) => event.workflowTaskCompletedEventAttributes);
}

const idOf = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;
const CUSTOMER = {
  email: 'sofia@example.com',
  name: 'Sofía Hernández',
  identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
};
const LIFECYCLES = [
  ...['payment', 'paymentFollowUp', 'afterSale', 'refund', 'strayNotification', 'paymentEvents'],
  ...['createSpeiAccount', 'speiAccount', 'speiAccountQuantity'],
];
/** Starts everything again on the file as it was, after `rewrite` had its way with it. */
async function onRewritten(rewrite: (event: HistoryEvent) => boolean, act: (client: Client) => Promise<void>) {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file()}${end}`, { force: true });
  for (const end of ['', '-wal']) {
    if (existsSync(`${original()}${end}`)) copyFileSync(`${original()}${end}`, `${file()}${end}`);
  }
  expect(rewriteHistories(file(), rewrite)).toBeGreaterThan(0);
  await startTemporal();
  const connection = await Connection.connect({ address: temporal.address });
  try {
    await act(new Client({ connection, dataConverter: dataConverter(config) }));
  } finally {
    await connection.close();
    await temporal.stop();
  }
}

async function eventsOf(client: Client, workflowId: string): Promise<HistoryEvent[]> {
  const request = { namespace: 'default', execution: { workflowId } };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request);
  return history?.events ?? [];
}

/** What a read says: its error, or nothing. */
const complaint = (read: Promise<unknown>) =>
  read.then(
    () => undefined,
    (error: unknown) => String(error),
  );

test('every lifecycle was lived', () => expect([...idsByType.keys()].sort()).toEqual([...LIFECYCLES].sort()));

test.each(Object.entries(KINDS))('%s in clear text is noticed wherever it is read', async (kind, rewrite) => {
  await onRewritten(rewrite, async (client) => {
    const seen: Record<string, string | undefined> = {};
    const due: string[] = [];
    for (const [type, workflowId] of idsByType) {
      const events = await eventsOf(client, workflowId);
      if (events.some((event) => rewrite(event))) due.push(type);
      seen[type] = await complaint(readOf(kind, client, workflowId, events));
    }
    expect(
      Object.keys(seen)
        .filter((type) => seen[type] !== undefined)
        .sort(),
    ).toEqual(due.sort());
    expect(due.length).toBeGreaterThan(0);
  });
});

/** As a real worker decodes, and not as a replay worker, which refuses nothing. */
const asWorker = () => dataConverter(config, {}, 'worker');

/** Reads what the kind is for: a worker replays the history, a client reads the results of updates and of the workflow. */
async function readOf(kind: string, client: Client, workflowId: string, events: HistoryEvent[]): Promise<unknown> {
  const handle = client.workflow.getHandle(workflowId);
  if (kind === 'update result') {
    const ids = events.flatMap(
      ({ workflowExecutionUpdateCompletedEventAttributes: done }) => done?.meta?.updateId ?? [],
    );
    return Promise.all(ids.map((id) => handle.getUpdateHandle(id).result()));
  }
  const hasEnded = events.some(({ workflowExecutionCompletedEventAttributes: completed }) => completed);
  if (kind === 'result of a workflow') return hasEnded ? handle.result() : undefined;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId },
  });
  return Worker.runReplayHistory({ workflowBundle: bundle, dataConverter: asWorker() }, history ?? {}, workflowId);
}
