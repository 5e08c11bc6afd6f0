/**
 * `payment-gateway dev`, which `npm start` runs: Temporal with its UI, a simulated gateway, webhook, worker and codec server
 * on this machine, and a first payment to watch. Payloads are encrypted, as they are to be in production. Everything is kept in one folder, so that a restart loses nothing; Ctrl-C ends
 * what was started here and nothing else.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PaymentsClient } from '../client';
import { startCodecServer } from '../codec';
import { type Config, ConfigError, loadConfig } from '../config';
import { connect, connectClient } from '../connect';
import { type DevServer, defaultCacheDir, freePort, resolveBinary, startDevServer } from '../embedded';
import { isForPeople } from '../exit';
import { parseDirectPayment } from '../gateway';
import { parseExact } from '../gateway/json';
import { createLogger } from '../log';
import { installRuntime } from '../runtime';
import { registerSearchAttributes } from '../search-attributes';
import { type Simulator, startSimulator } from '../simulator';
import { startWebhook } from '../webhook';
import { type ConnectedWorker, createWorker } from '../worker';
import { paymentWorkflowId } from '../workflows/contract';
import { type Environment, saveDevSettings, writePrivately } from './dev-settings';
import { makeKeys } from './keys';
import * as print from './print';

interface DevOptions {
  dataDir: string;
  order: string;
}

const HOST = '127.0.0.1';
const APP_ID = 'demo-app';
/** Wanted, not demanded: a taken one is replaced by another, which is then kept. */
const PORTS = { temporal: 7_233, ui: 8_233, simulator: 8_470, webhook: 8_480, codec: 8_490 };
const SERVERS = ['temporal', 'ui', 'simulator', 'webhook', 'codec'] as const;

const KEPT_FILE = 'stack.json';

/** What a stack keeps beside Temporal's and the simulator's own files. */
const kept = z.object({
  // A folder of an earlier version lacks the newer ones.
  ports: z.partialRecord(z.enum(SERVERS), z.number()),
  secret_key: z.string(),
  encryption_key: z.string().exactOptional(),
  sealing_private_jwks: z.unknown(),
  sealing_public_jwk: z.unknown(),
});
type Kept = z.infer<typeof kept> & { ports: typeof PORTS; encryption_key: string };

/** Stops run last in, first out, each once, whatever the ones before it threw. */
class Started {
  private readonly stops: { what: string; stop: () => Promise<unknown> }[] = [];

  add(what: string, stop: () => Promise<unknown>): void {
    this.stops.push({ what, stop });
  }

  async stopAll(): Promise<void> {
    for (const { what, stop } of this.stops.splice(0).reverse()) {
      await stop().catch((error: unknown) => say(`  ${what} did not end cleanly: ${messageOf(error)}`));
    }
  }
}

export async function dev({ dataDir, order }: DevOptions): Promise<void> {
  const started = new Started();
  const stopping = untilStopped();
  try {
    await Promise.race([start(dataDir, order, started), stopping.then(() => undefined)]);
    await stopping;
    say('\nEnding what was started here …');
  } catch (error) {
    if (!isForPeople(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } finally {
    await started.stopAll();
  }
  process.exit();
}

async function start(dataDir: string, orderFile: string, started: Started): Promise<void> {
  say('A payment gateway and Temporal, on this machine\n');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const own = await loadKept(join(dataDir, KEPT_FILE));

  const temporal = await startTemporal(dataDir, own);
  started.add('Temporal', () => temporal.stop());
  // Only now is it sure that no other stack runs in this folder.
  await writePrivately(join(dataDir, KEPT_FILE), `${JSON.stringify(own, null, 2)}\n`);
  temporal.ended.then(({ code }) => code && say(`Temporal has ended by itself (exit code ${code}).`));
  await register(temporal);
  step('Temporal', temporal.uiUrl);

  const simulator = await startSimulator({
    host: HOST,
    port: own.ports.simulator,
    apps: [{ app_id: APP_ID, secret_key: own.secret_key }],
    dataFile: join(dataDir, 'simulator.json'),
  });
  started.add('the simulated gateway', () => simulator.close());
  step('simulated gateway', simulator.url);
  step("Operator's desk", simulator.deskUrl);

  const env = settingsOf(own, temporal, simulator);
  const config = loadConfig(env);
  const log = createLogger('payments', config.LOG_LEVEL);
  const webhook = await startWebhook(config, env, log);
  started.add('the webhook', () => webhook.close());
  step('webhook', `${webhook.url}/ipn/${APP_ID}`);

  // Whoever reaches this machine's Temporal UI may look, and sees what a viewer may: nobody logs in here.
  const codec = await startCodecServer(config, log, async () => 'viewer');
  started.add('the codec server', () => codec.close());
  step('codec server', `${codec.url}, for Temporal UI`);

  installRuntime({ ...config, log, shutdownSignals: [] });
  const worker = await createWorker(config, env);
  const running = runInBackground(worker);
  started.add('the worker', async () => {
    worker.shutdown();
    await running;
  });
  step('worker', `task queue ${config.PAYMENTS_TASK_QUEUE}`);
  step('settings and keys', `${await saveDevSettings(dataDir, env)}, for programs of your own; keep it to yourself`);
  await firstPayment({ orderFile, env, config, temporal });
}

async function startTemporal(dataDir: string, own: Kept): Promise<DevServer> {
  const binary = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir(), log: progress });
  return startDevServer({
    binary,
    dbFile: join(dataDir, 'temporal.sqlite'),
    host: HOST,
    port: own.ports.temporal,
    uiPort: own.ports.ui,
    namespace: 'default',
    uiCodecEndpoint: `http://${HOST}:${own.ports.codec}`,
    log: progress,
  });
}

/** A folder's first start, or one of a newer version with more of them, needs search attributes registered. */
async function register({ address, namespace }: DevServer): Promise<void> {
  const { connection } = await connect({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  try {
    await registerSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}

/** Settings of this stack, as any other process on this machine would have to be given them. */
function settingsOf(own: Kept, temporal: DevServer, simulator: Simulator): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP_ID,
    GATEWAY_SECRET_KEY: own.secret_key,
    WEBHOOK_HOST: HOST,
    WEBHOOK_PORT: String(own.ports.webhook),
    WEBHOOK_PUBLIC_URL: `http://${HOST}:${own.ports.webhook}`,
    CODEC_SERVER_HOST: HOST,
    CODEC_SERVER_PORT: String(own.ports.codec),
    CODEC_SERVER_UI_ORIGINS: [HOST, 'localhost'].map((host) => `http://${host}:${own.ports.ui}`).join(','),
    PAYMENTS_ENCRYPTION_KEYS: own.encryption_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(own.sealing_private_jwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(own.sealing_public_jwk),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  };
}

/** Starts a payment of its own at each start, and shows where to look at it. */
async function firstPayment(on: {
  orderFile: string;
  env: Environment;
  config: Config;
  temporal: DevServer;
}): Promise<void> {
  // Never closed: somebody waits on it for the outcome until the process ends.
  const client = await connectClient(on.env, on.config);
  const payments = new PaymentsClient({
    client,
    app_id: APP_ID,
    taskQueue: on.config.PAYMENTS_TASK_QUEUE,
    sealingKey: on.config.PAYMENTS_SEALING_PUBLIC_JWK,
  });
  const order = parseDirectPayment(
    z
      .object({ request: z.record(z.string(), z.unknown()).optional() })
      .safeParse(jsonOf(await readOrderFile(on.orderFile))).data?.request,
  );
  const out_trade_no = `first-${new Date().toISOString().slice(0, 19).replace(/\D/g, '')}`;
  const data = await payments.pay({ ...order, out_trade_no });
  const workflow = encodeURIComponent(paymentWorkflowId(APP_ID, out_trade_no));
  say(
    [
      '',
      `A first order waits for its buyer: ${order.method} ${order.order_amount} ${order.order_currency}`,
      `  Buyer's page  ${data.pay_url}`,
      `  Temporal UI   ${on.temporal.uiUrl}/namespaces/${on.temporal.namespace}/workflows/${workflow}`,
      '',
      'Next: press Pay on the buyer’s page, or in another terminal:',
      `  npx payment-gateway pay ${on.orderFile} --wait`,
      '',
      'Ctrl-C ends everything that was started here.',
    ].join('\n'),
  );
  payments.outcome(out_trade_no).then(
    (state) => say(`\n${print.ending(state)}`),
    () => {},
  );
}

/** Keys and ports of this folder's stack: made at the first start, kept from then on. */
async function loadKept(file: string): Promise<Kept> {
  const before = existsSync(file) ? kept.safeParse(jsonOf(await readFile(file, 'utf8'))) : undefined;
  if (before && !before.success) throw new ConfigError(`${file} is not a stack's file; move it away to start afresh.`);
  const fresh = { ports: PORTS, secret_key: randomBytes(24).toString('hex'), ...(await makeKeys()) };
  const keys = { ...fresh, ...before?.data };
  const ports = { ...PORTS, ...keys.ports };
  for (const name of SERVERS) {
    const { port, taken } = await freePort(ports[name], HOST);
    if (taken !== null) say(`  Port ${taken} is taken; ${name} uses ${port}.`);
    ports[name] = port;
  }
  return { ...keys, ports };
}

/** Undefined for what is no JSON: the parser's own error would quote it, and there are keys and cards in such files. */
function jsonOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

async function readOrderFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`The first order ${file} cannot be read (${error.code}); name another with --order.`);
  });
}

function runInBackground(worker: ConnectedWorker): Promise<void> {
  return worker.run().catch((error: unknown) => say(`The worker has ended: ${messageOf(error)}`));
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const progress = (text: string) => say(`  … ${text}`);
const step = (what: string, where: string) => say(`  ✓ ${what.padEnd(18)} ${where}`);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
