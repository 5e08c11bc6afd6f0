/**
 * `payment-gateway dev`, which `npm start` runs: Temporal with its UI, a simulated gateway, webhook, worker and codec server
 * on this machine, and a first payment to watch. Payloads are encrypted, as in production. Everything is kept in one folder,
 * so that a restart loses nothing. Ctrl-C ends what was started here and nothing else.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { startCodecServer } from '../../codec';
import { RETENTION_MS, scheduledJobs } from '../../contract';
import { saveDevSettings } from '../../process/dev-settings';
import type { Environment } from '../../process/environment';
import { createLogger } from '../../process/log';
import { messageOf } from '../../process/message-of';
import { appIdsOf, type Config, loadConfig } from '../../process/settings';
import { stopSignal } from '../../process/signals';
import { UserError } from '../../process/user-error';
import { startSimulator } from '../../simulator';
import { connect } from '../../temporal/connection';
import { prepareNamespace, retentionOf } from '../../temporal/namespaces';
import { installRuntime } from '../../temporal/runtime';
import { makeSchedule } from '../../temporal/schedules';
import { registerSearchAttributes } from '../../temporal/search-attributes';
import { startWebhook } from '../../webhook';
import { createWorker } from '../../worker';
import { complain, say } from '../print';
import { startFirstPayment } from './first-payment';
import { makePrivateFolder } from './private-folder';
import { HOST, readStackFile, type StackFile, saveStackFile, takenPorts } from './stack-file';
import { ignoredSettings, takenSettings } from './taken-settings';
import { type DevServer, findTemporal, startDevServer } from './temporal';

export interface DevOptions {
  dataDir: string;
}

const APP_ID = 'demo-app';
const NAMESPACE = 'default';
const MOST_STARTS = 5;

/** What was started, and how each part is stopped: the last one first. */
class StartedParts {
  private readonly parts: { name: string; stop: () => Promise<unknown> }[] = [];
  private readonly losses = new AbortController();

  /** Rejects once a part is lost without which the others would do harm. */
  readonly lost = once(this.losses.signal, 'abort').then(() => Promise.reject(this.losses.signal.reason));

  lose(reason: UserError): void {
    this.losses.abort(reason);
  }

  add(name: string, stop: () => Promise<unknown>): void {
    this.parts.push({ name, stop });
  }

  /** Ends every part once, even if another one fails to end. */
  async stopAll(): Promise<void> {
    for (const { name, stop } of this.parts.splice(0).reverse()) {
      await stop().catch((error: unknown) => say(`  ${name} did not end cleanly: ${messageOf(error)}`));
    }
  }
}

/** Runs the stack until a signal, and ends the process. */
export async function runStack({ dataDir }: DevOptions): Promise<void> {
  const started = new StartedParts();
  const stopping = stopSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
  try {
    await Promise.race([startOnFreePorts(dataDir, started), stopping, started.lost]);
    await Promise.race([stopping, started.lost]);
    say('\nEnding what was started here …');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    complain(error.message);
    process.exitCode = 2;
  } finally {
    await started.stopAll();
  }
  process.exit();
}

/** Ports are chosen before they are used. If another program takes one in between, the start is repeated with other ports. */
async function startOnFreePorts(dataDir: string, started: StartedParts): Promise<void> {
  say('A payment gateway and Temporal, on this machine\n');
  await makePrivateFolder(dataDir);
  for (let starts = 1; ; starts += 1) {
    const file = await readStackFile(dataDir);
    try {
      return await start(dataDir, file, started);
    } catch (error) {
      await started.stopAll();
      if (starts === MOST_STARTS || (await takenPorts(file)).length === 0) throw error;
      say('  Another program has taken a port meanwhile; starting again.');
    }
  }
}

async function start(dataDir: string, file: StackFile, started: StartedParts): Promise<void> {
  const env = settingsOf(file);
  const ignored = ignoredSettings(process.env);
  if (ignored.length > 0) say(`  ! not used here, the stack has its own: ${ignored.join(', ')}`);
  // Before anything starts, and with the names that are no settings, so that a misspelt one is refused.
  const unused = Object.fromEntries(ignored.map((name) => [name, undefined]));
  const config = loadConfig({ ...process.env, ...unused, ...env });
  const temporal = await startTemporal(dataDir, file, started);
  await startGateway(dataDir, file, started);
  await prepareTemporal(config, env);
  await startProcesses(config, env, createLogger('payments', config.LOG_LEVEL), started);
  step('settings and keys', `${await saveDevSettings(dataDir, env)}, for programs of your own; keep it to yourself`);
  await startFirstPayment(APP_ID, env, temporal);
}

/** Starts Temporal. The folder's file is saved once no other stack can be running in it. */
async function startTemporal(dataDir: string, file: StackFile, started: StartedParts): Promise<DevServer> {
  const binary = await findTemporal({ log: progress });
  progress(`Starting Temporal's development server on port ${file.ports.temporal} …`);
  const temporal = await startDevServer({
    binary,
    dbFile: join(dataDir, 'temporal.sqlite'),
    host: HOST,
    port: file.ports.temporal,
    uiPort: file.ports.ui,
    namespace: NAMESPACE,
    uiCodecEndpoint: `http://${HOST}:${file.ports.codec}`,
  });
  let isStopping = false;
  started.add('Temporal', () => {
    isStopping = true;
    return temporal.stop();
  });
  await saveStackFile(dataDir, file);
  // Otherwise the worker would go on with whatever takes the port next: another stack, whose payments it cannot read.
  temporal.ended.then(({ code }) => isStopping || started.lose(new UserError(temporalIsGone(code))));
  step('Temporal', temporal.uiUrl);
  return temporal;
}

/**
 * Search attributes, jobs and retention, as `payment-gateway setup` makes them. The development server keeps what is closed for a day, unless
 * told otherwise.
 */
async function prepareTemporal(config: Config, env: Environment): Promise<void> {
  const { connection, namespace } = await connect(env);
  try {
    await registerSearchAttributes(connection, namespace);
    const kept_ms = (await retentionOf(connection, namespace)) ?? 0;
    if (kept_ms < RETENTION_MS) await prepareNamespace(connection, namespace, RETENTION_MS);
    const client = new Client({ connection, namespace });
    for (const job of scheduledJobs(appIdsOf(config))) await makeSchedule(client, job, config.PAYMENTS_TASK_QUEUE);
  } finally {
    await connection.close();
  }
}

async function startGateway(dataDir: string, file: StackFile, started: StartedParts): Promise<void> {
  const simulator = await startSimulator({
    host: HOST,
    port: file.ports.simulator,
    apps: [{ app_id: APP_ID, secret_key: file.secret_key }],
    dataFile: join(dataDir, 'simulator.json'),
  });
  started.add('the simulated gateway', () => simulator.close());
  step('simulated gateway', simulator.url);
  step("Operator's desk", simulator.deskUrl);
}

/** Starts webhook, codec server and worker. */
async function startProcesses(config: Config, env: Environment, log: Logger, started: StartedParts): Promise<void> {
  const webhook = await startWebhook(config, env, log);
  started.add('the webhook', () => webhook.close());
  step('webhook', `${webhook.url}/ipn/${APP_ID}`);

  // There is no log-in here: anyone who reaches Temporal UI on this machine sees what a viewer may see.
  const codec = await startCodecServer(config, log, async () => 'viewer');
  started.add('the codec server', () => codec.close());
  step('codec server', `${codec.url}, for Temporal UI`);

  installRuntime({ ...config, log, shutdownSignals: [] });
  const worker = await createWorker(config, env);
  const running = worker.run().catch((error: unknown) => say(`The worker has ended: ${messageOf(error)}`));
  started.add('the worker', async () => {
    worker.shutdown();
    await running;
  });
  step('worker', `task queue ${config.PAYMENTS_TASK_QUEUE}`);
}

/** The settings of this stack, as any other process on this machine needs them. */
function settingsOf(file: StackFile): Record<string, string> {
  const { ports } = file;
  return {
    TEMPORAL_ADDRESS: `${HOST}:${ports.temporal}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    TEMPORAL_UI_URL: `http://${HOST}:${ports.ui}`,
    GATEWAY_BASE_URL: `http://${HOST}:${ports.simulator}`,
    GATEWAY_APP_ID: APP_ID,
    GATEWAY_SECRET_KEY: file.secret_key,
    WEBHOOK_HOST: HOST,
    WEBHOOK_PORT: String(ports.webhook),
    WEBHOOK_PUBLIC_URL: `http://${HOST}:${ports.webhook}`,
    CODEC_SERVER_HOST: HOST,
    CODEC_SERVER_PORT: String(ports.codec),
    CODEC_SERVER_UI_ORIGINS: [HOST, 'localhost'].map((host) => `http://${host}:${ports.ui}`).join(','),
    PAYMENTS_ENCRYPTION_KEYS: file.encryption_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(file.sealing_private_jwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(file.sealing_public_jwk),
    PAYMENTS_EVENTS_SECRETS: file.events_secret,
    LOG_LEVEL: 'warn',
    ...takenSettings(process.env),
  };
}

const temporalIsGone = (code: number | null) =>
  `Temporal has ended by itself (exit code ${code ?? 'none'}), so all of this stack ends. Nothing is lost: start it again.`;

const progress = (text: string) => say(`  … ${text}`);
const step = (name: string, where: string) => say(`  ✓ ${name.padEnd(18)} ${where}`);
