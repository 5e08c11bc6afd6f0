/**
 * Somebody without a key writes to Temporal's database: each payload of one kind, in every history, is replaced by clear text or
 * by that of another workflow. Workers and clients must notice it in each lifecycle, and what was not touched must still be read.
 * A server's start is dear, so a file has several kinds rewritten at once: the reader of one kind does not read the others.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { type DevServer, findTemporal, freePort, startDevServer } from '../../src/cli/dev/temporal';
import { PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { afterSaleWorkflowId, type MerchantEvent, speiAccountWorkflowId, WORKFLOW } from '../../src/contract';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { type Config, loadConfig } from '../../src/process/settings';
import { type Simulator, startSimulator } from '../../src/simulator';
import { connectTo } from '../../src/temporal/closed-connection';
import { pendingWork } from '../../src/temporal/pending-work';
import { registerSearchAttributes } from '../../src/temporal/search-attributes';
import { quiet } from '../../src/testing/dev-server';
import { type RunningWebhook, startWebhook } from '../../src/webhook';
import { key, setting } from '../codec/support';
import { type HistoryEvent, rewriteHistories } from '../harness/history-database';
import { publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';
import { sign } from '../webhook/support';

const { History } = proto.api.history.v1;
const APP = { app_id: 'shop', secret_key: 'secret-of-the-shop' };
const KEYS = setting(key('k1'));

/** What the attacker writes: here it is the thief's QR code, and everywhere else something that is as wrong. */
const THIEFS = defaultPayloadConverter.toPayload({ qr_code: 'PIX-CODE-OF-THE-THIEF' });
const CLEAR: Payload[] = THIEFS ? [THIEFS] : [];

/** A kind of payload: where an event has it, and how it is replaced. */
interface Kind {
  find(event: HistoryEvent): Payload[] | undefined;
  /** What of another workflow is put in its place; the same kind where absent. */
  borrow?(event: HistoryEvent): Payload[] | undefined;
  /** Returns whether there was something to replace. */
  put(event: HistoryEvent, payloads: Payload[]): boolean;
}

function at(of: (event: HistoryEvent) => { payloads?: Payload[] | null } | null | undefined): Kind {
  return {
    find: (event) => (of(event)?.payloads?.length ? (of(event)?.payloads ?? undefined) : undefined),
    put(event, payloads) {
      const place = of(event);
      if (!place?.payloads?.length) return false;
      place.payloads = payloads;
      return true;
    },
  };
}

const START = at((event) => event.workflowExecutionStartedEventAttributes?.input);
const ACTIVITY_INPUT = at((event) => event.activityTaskScheduledEventAttributes?.input);
const UPDATE_REQUEST = at(
  (event) => event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input?.args,
);
const UPDATE_RESULT = at((event) => event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success);
const WORKFLOW_RESULT = at((event) => event.workflowExecutionCompletedEventAttributes?.result);

/** What workers read. */
const KINDS: Record<string, Kind> = {
  'start input': START,
  memo: {
    find: ({ workflowExecutionStartedEventAttributes: started }) => {
      const payloads = Object.values(started?.memo?.fields ?? {});
      return payloads.length > 0 ? payloads : undefined;
    },
    // Few workflows have one of their own.
    borrow: START.find,
    put({ workflowExecutionStartedEventAttributes: started }, [note = {}]) {
      if (started) started.memo = { fields: { note } };
      return started != null;
    },
  },
  'activity result': at((event) => event.activityTaskCompletedEventAttributes?.result),
  'result of a local activity': at((event) => event.markerRecordedEventAttributes?.details?.result),
  signal: at((event) => event.workflowExecutionSignaledEventAttributes?.input),
  'update request': UPDATE_REQUEST,
  'result of a child': at((event) => event.childWorkflowExecutionCompletedEventAttributes?.result),
};

let folder: string;
let temporal: DevServer;
let ports: { port: number; uiPort: number };
let simulator: Simulator;
let config: Config;
let bundle: { code: string };
/** The folders of a server's files: the one that has lived, and copies of it. */
const folderOf = (name: string) => join(folder, name);
const fileIn = (name: string) => join(folderOf(name), 'temporal.db');
/** What was lived, as Temporal gives it to workers. */
const lived: { type: string; workflowId: string; history: proto.api.history.v1.IHistory }[] = [];

async function startTemporal(name: string): Promise<void> {
  const binary = await findTemporal();
  temporal = await startDevServer({ binary, dbFile: fileIn(name), host: '127.0.0.1', ...ports, namespace: 'default' });
}

/** For a `describe`: writes clear text in the place of these kinds in a copy of the file, and has a server on it. */
function onFileWith(copy: string, kinds: Kind[]): void {
  beforeAll(async () => {
    cpSync(folderOf('lived'), folderOf(copy), { recursive: true });
    rewriteHistories(fileIn(copy), (event) => kinds.map((kind) => kind.put(event, CLEAR)).includes(true));
    await startTemporal(copy);
  });
  afterAll(() => temporal?.stop());
}

/** The order whose events are taken: an address that is down gets them. All others go to the relay, a lifecycle of its own. */
const told = publishedOrder('pix');
/** The buyer does not pay this one: it is polled. */
const unpaid = publishedOrder('pix');
async function onEvent(event: MerchantEvent): Promise<void> {
  if (!('payment' in event) || event.payment.out_trade_no !== told.out_trade_no) throw new Error('the shop is closed');
}

/** A client and a worker, with keys, that remember nothing of before. */
async function connected<T>(act: (client: Client) => Promise<T>): Promise<T> {
  const connection = await connectTo({ address: temporal.address });
  const native = await NativeConnection.connect({ address: temporal.address });
  const worker = await Worker.create({
    connection: native,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    workflowBundle: bundle,
    plugins: [new PaymentGatewayPlugin(config, { onEvent })],
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
  mkdirSync(folderOf('lived'));
  await startTemporal('lived');
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
    // The watch of an after-sale is an activity that waits.
    PAYMENTS_WATCH_WINDOW: '1h',
    PAYMENTS_EVENTS_URL: 'http://127.0.0.1:9',
    PAYMENTS_EVENTS_SECRETS: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  };
  config = loadConfig(env);
  const { failureConverterPath } = dataConverter(config);
  bundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('../calls/fixtures/shop'),
    preloadModules: [require.resolve('../../src/workflows')],
    workflowInterceptorModules: [require.resolve('../../src/workflows/interceptors')],
    logger: new DefaultLogger('ERROR'),
    ...(failureConverterPath ? { failureConverterPath } : {}),
  });
  const connection = await connectTo({ address: temporal.address });
  await registerSearchAttributes(connection, 'default').finally(() => connection.close());
  const webhook = await startWebhook(config, env, pino({ level: 'silent' }));
  await connected((client) => live(client, webhook)).finally(() => webhook.close());
  await temporal.stop();
});
afterAll(async () => {
  await simulator?.close();
  await temporal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One life of each lifecycle. */
async function live(client: Client, webhook: RunningWebhook): Promise<void> {
  const taskQueue = config.PAYMENTS_TASK_QUEUE;
  const payments = new PaymentsClient({ client, app_id: APP.app_id, taskQueue });
  const sold = told;
  await payments.pay(sold);
  await simulator.pay(sold.out_trade_no);
  await payments.outcome(sold.out_trade_no);
  await payments.refund(sold.out_trade_no, {
    out_request_no: 'r-1',
    amount: '1.00',
    refund_reason: 'too many',
    user_info: { email: 'maria@example.com', identify: { number: '50284414727', type: 'CPF' } },
    bank_info: { bank_id: '341', agency: '1234', type: 'CHECKING', number: '123456-7' },
  });
  const settled = publishedOrder('pix');
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
  await payments.banks({ method: 'BankTransfer', type: '1' });
  await payments.installments({ currency: 'BRL', amount: '300.00' });
  await payments.walletToken();
  await payments.pay(unpaid);
  const start = (type: string, ...args: object[]) =>
    client.workflow.start(type, { taskQueue, workflowId: `${type}:${APP.app_id}:1`, args });
  await (await start(WORKFLOW.stuckSweep, { stuck_ms: 3_600_000 })).result();
  await start(WORKFLOW.appAttention, { app_id: APP.app_id, attention: 'credentials' });
  await start(WORKFLOW.reconciliation, {
    app_id: APP.app_id,
    rows: [{ out_trade_no: 'x', order_amount: '1.00', status: 'paid' }],
  });
  const shops = publishedOrder('pix');
  const shop = await start('sell', { app_id: APP.app_id, ...shops });
  // Who starts the payment first is its parent.
  const hasChild = (events: Awaited<ReturnType<typeof eventsOf>>) =>
    events.some((event) => event.childWorkflowExecutionStartedEventAttributes);
  await until(() => eventsOf(client, shop.workflowId), hasChild);
  await payments.pay(shops);
  await simulator.pay(shops.out_trade_no);
  expect(await shop.result()).toBe('SUCCESS');
  const typesListed = async () => {
    const types = new Set<string>();
    for await (const { type } of client.workflow.list()) types.add(type);
    return types;
  };
  await until(typesListed, ({ size }) => size >= LIFECYCLES.length);
  // Two parents with the result of a child each: one of them gets that of the other.
  const parents = [speiAccountWorkflowId(APP.app_id, account_id), shop.workflowId];
  for (const parent of parents) await until(() => hasReadChild(client, parent), Boolean);
  // Each ended order is watched: what is kept of it must not grow after it was read.
  const isWatching = (events: Awaited<ReturnType<typeof eventsOf>>) =>
    events.some(({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'gateway.watch');
  const watched = [sold, shops, settled].map(({ out_trade_no }) => afterSaleWorkflowId(APP.app_id, out_trade_no));
  for (const id of watched) await until(() => eventsOf(client, id), isWatching);
  for await (const { type, workflowId } of client.workflow.list()) {
    lived.push({ type, workflowId, history: await client.workflow.getHandle(workflowId).fetchHistory() });
  }
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
  ...['payment', 'afterSale', 'appAttention', 'strayNotification'],
  ...[
    'createSpeiAccount',
    'speiAccount',
    'speiAccountQuantity',
    'eventDelivery',
    'bankList',
    'installments',
    'walletToken',
    'stuckSweep',
    'reconciliation',
  ],
  // A merchant's own workflow, which calls `startPayment`.
  'sell',
];
async function eventsOf(client: Client, workflowId: string): Promise<HistoryEvent[]> {
  const request = { namespace: 'default', execution: { workflowId } };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request);
  return history?.events ?? [];
}

/** Whether a read fails. What was not changed is read: the first test says so. */
const fails = (read: Promise<unknown>) =>
  read.then(
    () => false,
    () => true,
  );

/** As a real worker decodes, and not as a replay worker, which refuses nothing. */
const asWorker = () => dataConverter(config, {}, 'worker');

interface Told {
  workflowId: string;
  history: proto.api.history.v1.IHistory;
}

/** Of each list, the ids of the histories that no worker can read. One worker replays all: its start takes far longer than a replay. */
async function unreadable(...lists: Told[][]): Promise<string[][]> {
  const found: string[][] = lists.map(() => []);
  const lineOf = lists.flatMap((list, i) => list.map(() => i));
  const options = { workflowBundle: bundle, dataConverter: asWorker() };
  // One after the other: the answers come in the order of the histories.
  let answers = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories(options, lists.flat())) {
    const line = lineOf[answers++] ?? -1;
    if (error) found[line]?.push(workflowId);
  }
  expect(answers).toBe(lineOf.length);
  return found;
}

test('every lifecycle was lived, and its histories are read as they are', async () => {
  expect([...new Set(lived.map(({ type }) => type))].sort()).toEqual([...LIFECYCLES].sort());
  expect(await unreadable(lived)).toEqual([[]]);
});

/** Whether a worker reads this event of a history, or one after it: what comes before its last word, and the request that this accepts. */
const isRead = (events: readonly HistoryEvent[], from: number, kind: Kind) =>
  kind === UPDATE_REQUEST || events.slice(from).some((event) => event.workflowTaskCompletedEventAttributes);

const copyOf = (history: proto.api.history.v1.IHistory) => History.decode(History.encode(history).finish()).events;

/** Histories with one kind of payload replaced, and the workers that must notice it. */
interface Attack {
  rewritten: Told[];
  due: string[];
}

/**
 * Puts others in the place of the payloads of one kind, in the first event of each history that has it. Exactly the workers that
 * read this event must notice it.
 */
function attackOn(kind: Kind, payloadsFor: (workflowId: string, event: HistoryEvent) => Payload[] | undefined): Attack {
  const due: string[] = [];
  const rewritten: Told[] = [];
  for (const { workflowId, history } of lived) {
    const events = copyOf(history);
    const changed = events.findIndex((event) => {
      const payloads = payloadsFor(workflowId, event) ?? [];
      return payloads.length > 0 && kind.put(event, payloads);
    });
    if (changed < 0) continue;
    if (isRead(events, changed, kind)) due.push(workflowId);
    rewritten.push({ workflowId, history: { events } });
  }
  return { due, rewritten };
}

/** For a `describe`: a test for each kind, of which one worker replays all attacks. */
function eachIsNoticed(title: string, attack: (kind: Kind) => Attack): void {
  const attacks = new Map<string, Attack & { noticed: string[] }>();
  beforeAll(async () => {
    const made = Object.entries(KINDS).map(([name, kind]) => ({ name, ...attack(kind) }));
    const noticed = await unreadable(...made.map(({ rewritten }) => rewritten));
    for (const [i, { name, ...one }] of made.entries()) attacks.set(name, { ...one, noticed: noticed[i] ?? [] });
  });

  test.each(Object.keys(KINDS))(title, (name) => {
    const { due = [], noticed } = attacks.get(name) ?? {};
    expect(due.length).toBeGreaterThan(0);
    expect(noticed?.sort()).toEqual(due.sort());
  });
}

describe('with those of another workflow in the history', () => {
  eachIsNoticed('%s of another workflow is noticed wherever a worker reads it', (kind) => {
    const { find, borrow = find } = kind;
    const found = lived.flatMap(({ workflowId, history }) =>
      (history.events ?? []).map((event) => ({ workflowId, payloads: borrow(event) ?? [] })),
    );
    return attackOn(
      kind,
      (reader) => found.find(({ workflowId, payloads }) => workflowId !== reader && payloads.length > 0)?.payloads,
    );
  });
});

/** What clients read, and how: they must fail on each that was rewritten. */
const READ_BY_CLIENTS: Record<
  string,
  [kind: Kind, read: (client: Client, workflowId: string, events: readonly HistoryEvent[]) => Promise<unknown>[]]
> = {
  'update result': [
    UPDATE_RESULT,
    (client, workflowId, events) =>
      events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: done }) =>
        done?.outcome?.success && done.meta?.updateId
          ? [client.workflow.getHandle(workflowId).getUpdateHandle(done.meta.updateId).result()]
          : [],
      ),
  ],
  'workflow result': [
    WORKFLOW_RESULT,
    (client, workflowId, events) =>
      events.some((event) => WORKFLOW_RESULT.find(event)) ? [client.workflow.getHandle(workflowId).result()] : [],
  ],
};

describe('with all that workers read in clear text in the file itself', () => {
  let connection: Awaited<ReturnType<typeof connectTo>>;
  let client: Client;
  /** What the server reads in its file, by workflow and number of the event. */
  const served = new Map<string, HistoryEvent>();
  const place = (workflowId: string, { eventId }: HistoryEvent) => `${eventId} ${workflowId}`;
  onFileWith('read-by-workers', Object.values(KINDS));
  beforeAll(async () => {
    connection = await connectTo({ address: temporal.address });
    client = new Client({ connection, dataConverter: dataConverter(config) });
    for (const { workflowId } of lived)
      for (const event of await eventsOf(client, workflowId)) served.set(place(workflowId, event), event);
  });
  afterAll(() => connection?.close());

  // All else is as it was lived: the others that were written must not be what is noticed.
  eachIsNoticed('%s alone is noticed wherever a worker reads it', (kind) =>
    attackOn(kind, (workflowId, event) => kind.find(served.get(place(workflowId, event)) ?? {})),
  );

  // What was not rewritten is read: otherwise a failure would say nothing.
  test.each(Object.entries(READ_BY_CLIENTS))('%s is read by each client', async (_, [, read]) => {
    await readAll(client, read, false);
  });
});

describe('with all that clients read, and activity input, in clear text in the file itself', () => {
  onFileWith('read-by-clients', [...Object.values(READ_BY_CLIENTS).map(([kind]) => kind), ACTIVITY_INPUT]);

  test.each(Object.entries(READ_BY_CLIENTS))('%s is noticed by each client that reads it', async (_, [, read]) => {
    const connection = await connectTo({ address: temporal.address });
    const client = new Client({ connection, dataConverter: dataConverter(config) });
    await readAll(client, read, true).finally(() => connection.close());
  });

  test('activity input is noticed by the worker that is to do the activity', async () => {
    await connected(refusesActivities);
  });
});

async function readAll(client: Client, read: (typeof READ_BY_CLIENTS)[string][1], isRewritten: boolean): Promise<void> {
  const types = new Set<string>();
  for (const { type, workflowId } of lived) {
    const results = await Promise.all(read(client, workflowId, await eventsOf(client, workflowId)).map(fails));
    if (results.length > 0) types.add(type);
    expect([workflowId, results]).toEqual([workflowId, results.map(() => isRewritten)]);
  }
  expect(types.size).toBeGreaterThan(2);
}

/** Whose activities wait: polls of an unpaid order, the watch of a sold trade, the delivery to an address that is down. */
const WITH_WAITING_ACTIVITIES = ['payment', 'afterSale', 'eventDelivery'];
const waits = ({ type, workflowId }: { type: string; workflowId: string }) =>
  type === 'payment' ? workflowId === idOf(unpaid.out_trade_no) : WITH_WAITING_ACTIVITIES.includes(type);

/** Each activity that waits is called again at once, and its worker says why it does not do it. */
async function refusesActivities(client: Client): Promise<void> {
  const refused = new Set<string>();
  for (const { type, workflowId } of lived.filter(waits)) {
    const handle = client.workflow.getHandle(workflowId);
    const waiting = (await handle.describe()).raw.pendingActivities ?? [];
    for (const { activityType } of waiting) {
      const activity = { namespace: 'default', execution: { workflowId }, type: activityType?.name ?? '' };
      await client.workflowService.resetActivity(activity);
      await untilRefused(client, workflowId);
      refused.add(type);
    }
  }
  expect([...refused].sort()).toEqual([...WITH_WAITING_ACTIVITIES].sort());
}

async function untilRefused(client: Client, workflowId: string): Promise<void> {
  const said = async () =>
    JSON.stringify(await pendingWork(client, await client.workflow.getHandle(workflowId).describe()));
  await until(said, (seen) => seen.includes('in clear text'));
}
