/** The webhook as a program: `npm run webhook`, or `payment-gateway webhook`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Environment } from '../process/environment';
import { serveHealth } from '../process/health';
import { listen } from '../process/listen';
import { createLogger } from '../process/log';
import { serveMetrics } from '../process/metrics/serve';
import { type Config, loadConfig, requireApps, warnOfRisks } from '../process/settings';
import { stopSignal } from '../process/signals';
import { connectClient } from '../temporal/connection';
import { telemetryOf } from '../temporal/telemetry/from-settings';
import { webhookSettings } from './options';
import { webhookReadiness } from './readiness';
import { type WebhookServerOptions, webhookServer } from './server';

export interface RunningWebhook {
  /** Its address, such as `http://127.0.0.1:8480`. */
  url: string;
  /** From now on `/readyz` says no, so that load balancers send new requests elsewhere. Everything is still served. */
  retire(): void;
  /** Takes no new connections, finishes accepted requests, then closes the connection to Temporal. */
  close(): Promise<void>;
}

/** Options that depend on the process. `alone`: it runs nothing else, so an overloaded process may refuse requests. */
interface InProcess extends Pick<WebhookServerOptions, 'onAnswer' | 'telemetry'> {
  alone?: boolean;
}

/** Starts the endpoint. Throws ConfigError, TemporalUnreachableError and UnknownNamespaceError. */
export async function startWebhook(
  config: Config,
  env: Environment,
  log: Logger,
  { alone = false, onAnswer, telemetry }: InProcess = {},
): Promise<RunningWebhook> {
  requireApps(config);
  const client = await connectClient(env, config, { telemetry });
  const stopping = new AbortController();
  const settings = webhookSettings(config);
  const { WEBHOOK_HOST: host, WEBHOOK_PORT: port, HEALTH_ADDRESS } = config;
  const base = { client, log, stopping: stopping.signal };
  const where = HEALTH_ADDRESS === undefined ? 'here' : 'elsewhere';
  const server = webhookServer({ ...settings, ...base, shedLoad: alone, onAnswer, telemetry, health: where });
  let health: Awaited<ReturnType<typeof serveHealth>>;
  const closeAll = async () => {
    await server.close();
    await health?.close();
    await client.connection.close();
  };
  const place = { what: 'The webhook', host, port, settings: { host: 'WEBHOOK_HOST', port: 'WEBHOOK_PORT' } };
  const url = await listen(place, () => server.listen({ host, port }))
    .then(async (address) => {
      health = await serveHealth(config, webhookReadiness(client, stopping.signal), log);
      return address;
    })
    .catch(async (error) => {
      await closeAll();
      throw error;
    });
  return {
    url,
    retire: () => stopping.abort(),
    async close() {
      stopping.abort();
      await closeAll();
    },
  };
}

/** Runs the endpoint until SIGINT or SIGTERM. It then serves for WEBHOOK_STOP_DELAY, or until a second signal. */
export async function runWebhook(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('webhook', config.LOG_LEVEL);
  warnOfRisks(config, 'webhook', log);
  const metrics = await serveMetrics('webhook', config);
  const onAnswer = (status: number, ms: number) =>
    metrics?.record('webhookAnswers', ms / 1_000, { status: String(status) });
  const telemetry = await telemetryOf('payments-webhook', config);
  const webhook = await startWebhook(config, env, log, { alone: true, onAnswer, telemetry });
  log.info({ url: webhook.url, apps: config.apps.map((app) => app.app_id) }, 'webhook listens at /ipn/{app_id}');
  await stopSignal();
  webhook.retire();
  log.info({ for_ms: config.WEBHOOK_STOP_DELAY }, 'webhook is no longer ready; it still serves for a while');
  await Promise.race([delay(config.WEBHOOK_STOP_DELAY, undefined, { ref: false }), stopSignal()]);
  await webhook.close();
  await metrics?.close();
  await telemetry?.close();
  log.info('webhook ended');
}
