/**
 * Temporal is killed and started again, at random, while the gateway notifies: every notification that was acknowledged is
 * in a history, and every one that was not has been sent again and arrived. Counted, not believed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { types } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import * as fc from 'fast-check';
import pino from 'pino';
import { loadConfig } from '../../src/config';
import { type DevServer, defaultCacheDir, freePort, resolveBinary, startDevServer } from '../../src/embedded';
import { type Simulator, startSimulator } from '../../src/simulator';
import { type RunningWebhook, startWebhook } from '../../src/webhook';
import { publishedOrders } from '../harness/orders';

const APP = { app_id: 'outage-app', secret_key: 'outage-secret' };
/** Notifications come about so far apart, in ms. */
const PACE = 10;
const OUTAGES = 4;
/** gRPC's code. */
const NOT_FOUND = 5;

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
    WEBHOOK_ACK_TIMEOUT: '2s',
    WEBHOOK_LIMIT_ADOPTIONS: '100000',
    WEBHOOK_LIMIT_PER_ADDRESS: '1000000',
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
  const binary = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  const dbFile = join(folder, 'temporal.db');
  temporal = await startDevServer({ binary, dbFile, host: '127.0.0.1', ...ports, namespace: 'default' });
}

/** As a machine would lose it: without a moment to finish anything. */
async function killTemporal(): Promise<void> {
  process.kill(temporal.pid, 'SIGKILL');
  await temporal.ended;
}

/** Kills and starts it again, after so long a life and for so long a time. */
async function outage({ after, lasts }: { after: number; lasts: number }): Promise<void> {
  await delay(after);
  await killTemporal();
  await delay(lasts);
  await startTemporal();
}

const pix = publishedOrders().find(({ name }) => name === 'pix');

/** One more order, paid by its buyer: the gateway notifies at once. */
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

/** How often each order was signalled, by its history. */
async function signalsIn(orders: string[]): Promise<Map<string, number>> {
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const client = new Client({ connection });
    const counted = new Map<string, number>();
    for (const order of orders) {
      const handle = client.workflow.getHandle(`payment:${APP.app_id}:${order}`);
      const { events } = await handle.fetchHistory().catch((error: unknown) => {
        if (types.isNativeError(error) && 'code' in error && error.code === NOT_FOUND) return { events: [] };
        throw error;
      });
      counted.set(order, (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length);
    }
    return counted;
  } finally {
    await connection.close();
  }
}

test('nothing that was acknowledged is lost, and nothing that was not is forgotten', async () => {
  const seed = Number(process.env.OUTAGE_SEED ?? Date.now() % 1_000_000);
  const lives = fc.record({ after: fc.integer({ min: 300, max: 1_500 }), lasts: fc.integer({ min: 0, max: 1_500 }) });
  const [first, ...others] = fc.sample(lives, { seed, numRuns: OUTAGES });

  // Load, for as long as outages come.
  let sold = 0;
  const outages = others.reduce((before, each) => before.then(() => outage(each)), Promise.resolve());
  let over = false;
  outages.finally(() => {
    over = true;
  });
  while (!over) {
    sold += 1;
    await sell(`order-${sold}`);
    await delay(PACE);
  }
  await outages;
  await simulator.settled();

  const early = simulator.notifications();
  const refused = early.filter(({ acknowledged }) => !acknowledged);
  expect(early).toHaveLength(sold);
  const acknowledgedEarly = early.filter(({ acknowledged }) => acknowledged).map(({ out_trade_no }) => out_trade_no);
  const kept = await signalsIn(acknowledgedEarly);
  expect(acknowledgedEarly.filter((order) => kept.get(order) !== 1)).toEqual([]);
  // The faults struck, and did not strike all.
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(sold);

  // The first retry comes ten minutes later, into another outage; the next one after 20 minutes more.
  await Promise.all([simulator.advance('10m'), outage(first ?? { after: 300, lasts: 500 })]);
  for (let tries = 0; tries < 5 && simulator.notifications().some((one) => !one.acknowledged); tries += 1) {
    await simulator.advance('3h');
  }
  const late = simulator.notifications();
  expect(late.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
  const attempts = late.reduce((sum, one) => sum + one.attempts.length, 0);

  // Once more: what counts is what the file holds.
  await killTemporal();
  await startTemporal();
  const signals = await signalsIn(late.map(({ out_trade_no }) => out_trade_no));
  console.log(
    `seed ${seed}: ${sold} notifications, ${refused.length} not acknowledged at first, ${attempts} attempts, ${OUTAGES + 1} kills; ` +
      `${[...signals.values()].filter((n) => n === 1).length} in histories, once each`,
  );
  expect([...signals].filter(([, n]) => n !== 1)).toEqual([]);
  expect(signals.size).toBe(sold);
}, 280_000);
