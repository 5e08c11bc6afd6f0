/**
 * Temporal is killed and started again at random moments while the gateway sends notifications. Each acknowledged notification
 * must be in a history, and each refused one must be sent again and arrive. The test counts them in the histories.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import { Client } from '@temporalio/client';
import * as fc from 'fast-check';
import pino from 'pino';
import { type DevServer, findTemporal, freePort, startDevServer } from '../../../src/cli/dev/temporal';
import { loadConfig } from '../../../src/process/settings';
import { type Simulator, startSimulator } from '../../../src/simulator';
import { GRPC_STATUS } from '../../../src/temporal/call-errors';
import { connectTo } from '../../../src/temporal/closed-connection';
import { type RunningWebhook, startWebhook } from '../../../src/webhook';
import { publishedOrders } from '../../harness/orders';

const APP = { app_id: 'outage-app', secret_key: 'outage-secret' };
/** The pause between two orders, in ms, so that the load stays moderate. */
const PACE = 10;
const OUTAGES = 4;

let folder: string;
let ports: { port: number; uiPort: number };
let temporal: DevServer;
let simulator: Simulator;
let webhook: RunningWebhook;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outages-'));
  ports = { port: (await freePort(0)).port, uiPort: (await freePort(0)).port };
  await startTemporal();
  simulator = await startSimulator({ apps: [APP], clock: { speed: 0 } });
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PORT: '0',
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
    WEBHOOK_ACK_TIMEOUT: '2s',
    WEBHOOK_LIMIT_ADOPTIONS: '100000',
    WEBHOOK_LIMIT_PER_ADDRESS: '1000000',
    // The simulator sends everything that was refused at the same moment.
    WEBHOOK_LIMIT_CONNECTIONS_PER_ADDRESS: '10000',
  };
  webhook = await startWebhook(loadConfig(env), env, pino({ level: 'silent' }));
});
afterAll(async () => {
  await webhook?.close();
  await simulator?.close();
  await temporal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startTemporal(): Promise<void> {
  const binary = await findTemporal();
  const dbFile = join(folder, 'temporal.db');
  temporal = await startDevServer({ binary, dbFile, host: '127.0.0.1', ...ports, namespace: 'default' });
}

/** With SIGKILL, as a machine that fails: the server cannot finish anything. */
async function killTemporal(): Promise<void> {
  process.kill(-temporal.processGroup, 'SIGKILL');
  await temporal.ended;
}

const pix = publishedOrders().find(({ name }) => name === 'pix');

/** Makes an order and pays it. The gateway notifies at once. */
async function sell(out_trade_no: string): Promise<void> {
  const order = { ...pix?.request, ...APP, secret_key: undefined, out_trade_no, timestamp: '2026-03-02 12:00:00' };
  const response = await fetch(`${simulator.url}/trade/pay`, {
    method: 'POST',
    body: JSON.stringify({ ...order, notify_url: `${webhook.url}/ipn/${APP.app_id}` }),
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${APP.app_id}:${APP.secret_key}`).toString('base64')}`,
    },
  });
  if (response.status !== 200) throw new Error(`The simulator refused: ${await response.text()}`);
  await simulator.pay(out_trade_no);
}

/** The number of signals in each order's history. */
async function signalsIn(orders: string[]): Promise<Map<string, number>> {
  const connection = await connectTo({ address: temporal.address });
  try {
    const client = new Client({ connection });
    const counted = new Map<string, number>();
    for (const order of orders) {
      const handle = client.workflow.getHandle(`payment:${APP.app_id}:${order}`);
      const { events } = await handle.fetchHistory().catch((error: unknown) => {
        if (types.isNativeError(error) && 'code' in error && error.code === GRPC_STATUS.NOT_FOUND)
          return { events: [] };
        throw error;
      });
      counted.set(order, (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length);
    }
    return counted;
  } finally {
    await connection.close();
  }
}

let sold = 0;

/**
 * How many orders an outage, or the start after it, may leave unacknowledged: the simulator sends all of them again at the same moment, and a slow machine
 * must answer the last of them in its time, too.
 */
const MOST_UNACKNOWLEDGED = 60;

/** Sells orders, a few ms apart, until `isEnough`; pauses while `most` or more are unacknowledged. */
async function sellUntil(isEnough: () => boolean, most: number): Promise<void> {
  while (!isEnough()) {
    if (unacknowledgedCount() < most) {
      sold += 1;
      await sell(`order-${sold}`);
    }
    await delay(PACE);
  }
}

/** Sells orders while `work` takes its time. */
async function sellDuring(work: Promise<void>, most: number): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  await Promise.all([over, sellUntil(() => isOver, most)]);
}

const unacknowledgedCount = () => simulator.notifications().filter((one) => !one.acknowledged).length;
const acknowledgedCount = () => simulator.notifications().filter((one) => one.acknowledged).length;
const refusedCount = () =>
  simulator.notifications().filter((one) => !one.acknowledged && one.attempts.length > 0).length;
const attemptCount = () => simulator.notifications().reduce((sum, { attempts }) => sum + attempts.length, 0);

/** Kills Temporal after so many acknowledgements, and starts it again after so many refusals. Orders are sold all the time. */
async function outageUnderLoad({ acknowledged, refused }: { acknowledged: number; refused: number }): Promise<void> {
  const before = acknowledgedCount();
  const slow = unacknowledgedCount() + MOST_UNACKNOWLEDGED;
  // A server that has just started may refuse many: then this outage comes early.
  await sellUntil(() => acknowledgedCount() >= before + acknowledged || unacknowledgedCount() >= slow, slow);
  const most = unacknowledgedCount() + MOST_UNACKNOWLEDGED;
  const refusedBefore = refusedCount();
  await sellDuring(killTemporal(), most);
  await sellUntil(() => refusedCount() >= refusedBefore + refused, most);
  await sellDuring(startTemporal(), most);
}

test('with outages of Temporal, each acknowledged notification is in a history once, and each refused one arrives later', async () => {
  const seed = Number(process.env.OUTAGE_SEED ?? Date.now() % 1_000_000);
  const outages = fc.record({
    acknowledged: fc.integer({ min: 20, max: 150 }),
    refused: fc.integer({ min: 1, max: 30 }),
  });
  for (const each of fc.sample(outages, { seed, numRuns: OUTAGES - 1 })) {
    await outageUnderLoad(each);
  }
  await simulator.settled();

  const early = simulator.notifications();
  const refused = early.filter(({ acknowledged }) => !acknowledged);
  expect(early).toHaveLength(sold);
  const acknowledgedEarly = early.filter(({ acknowledged }) => acknowledged).map(({ out_trade_no }) => out_trade_no);
  const kept = await signalsIn(acknowledgedEarly);
  expect(acknowledgedEarly.filter((order) => kept.get(order) !== 1)).toEqual([]);
  // The outages hit some notifications, and not all.
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(sold);

  // The first retries come ten minutes later, and Temporal is killed during them. The next ones come 20 minutes after that.
  const attemptsBefore = attemptCount();
  const retries = simulator.advance('10m');
  while (attemptCount() < attemptsBefore + Math.ceil(refused.length / 2)) await new Promise(setImmediate);
  await killTemporal();
  await retries;
  await startTemporal();
  for (let tries = 0; tries < 5 && simulator.notifications().some((one) => !one.acknowledged); tries += 1) {
    await simulator.advance('3h');
  }
  const late = simulator.notifications();
  expect(late.filter(({ acknowledged }) => !acknowledged)).toEqual([]);

  // After another restart, the histories are read from the database file.
  await killTemporal();
  await startTemporal();
  const signals = await signalsIn(late.map(({ out_trade_no }) => out_trade_no));
  console.log(
    `seed ${seed}: ${sold} notifications, ${refused.length} not acknowledged at first, ${attemptCount()} attempts, ${OUTAGES + 1} kills; ` +
      `${[...signals.values()].filter((n) => n === 1).length} in histories, once each`,
  );
  expect([...signals].filter(([, n]) => n !== 1)).toEqual([]);
  expect(signals.size).toBe(sold);
});
