/** The runnable webhook: `npm run webhook`, or `payment-gateway webhook`. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig, requireApps } from '../config';
import { connectClient } from '../connect';
import { createLogger } from '../log';
import { type WebhookServerOptions, webhookServer } from './server';
import { webhookSettings } from './settings';

type Environment = Record<string, string | undefined>;

export interface RunningWebhook {
  /** Where it listens. */
  url: string;
  /** Has `/readyz` say no from now on, while everything is still served, so that nothing new is sent here. */
  retire(): void;
  /** Takes no new connections, lets what was accepted end, then closes the connection to Temporal. */
  close(): Promise<void>;
}

/** What of the server its process decides; `alone` where that does nothing else. */
interface InProcess extends Pick<WebhookServerOptions, 'onAnswer'> {
  alone?: boolean;
}

/** Starts the endpoint. Throws ConfigError and TemporalUnreachableError. */
export async function startWebhook(
  config: Config,
  env: Environment,
  log: Logger,
  { alone = false, onAnswer }: InProcess = {},
): Promise<RunningWebhook> {
  requireApps(config);
  const client = await connectClient(env, config);
  const stopping = new AbortController();
  const settings = webhookSettings(config);
  const server = webhookServer({ ...settings, client, log, shedLoad: alone, onAnswer, stopping: stopping.signal });
  const url = await listen(server, config).catch(async (error) => {
    await client.connection.close();
    throw error;
  });
  return {
    url,
    retire: () => stopping.abort(),
    async close() {
      stopping.abort();
      await server.close();
      await client.connection.close();
    },
  };
}

/** Runs the endpoint until a signal ends it; a second signal ends the wait for others to look elsewhere. */
export async function runWebhook(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('webhook', config.LOG_LEVEL);
  const metrics = await startMetrics(config, log);
  const webhook = await startWebhook(config, env, log, { alone: true, onAnswer: metrics?.onAnswer });
  log.info({ url: webhook.url, apps: config.apps.map((app) => app.app_id) }, 'webhook listens at /ipn/{app_id}');
  await stopSignal();
  webhook.retire();
  log.info({ for_ms: config.WEBHOOK_STOP_DELAY }, 'webhook is not ready any more and serves on for a while');
  await Promise.race([delay(config.WEBHOOK_STOP_DELAY, undefined, { ref: false }), stopSignal()]);
  await webhook.close();
  await metrics?.close();
  log.info('webhook ended');
}

/** Serves how many notifications are answered in which way, where METRICS_ADDRESS asks for it. Throws ConfigError. */
async function startMetrics(config: Config, log: Logger) {
  if (config.METRICS_ADDRESS === undefined) return undefined;
  // Temporal's native runtime serves a worker's metrics too; without them the webhook does not need it.
  const { installRuntime } = await import('../runtime.js');
  const runtime = installRuntime({ ...config, log, shutdownSignals: [] });
  const answers = runtime.metricMeter.createHistogram(
    'payments_webhook_answers',
    'int',
    'ms',
    'answers to notifications, by status, and how long each took in ms',
  );
  return {
    onAnswer: (status: number, ms: number) => answers.record(Math.round(ms), { status: String(status) }),
    close: () => runtime.shutdown(),
  };
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  const { WEBHOOK_HOST: host, WEBHOOK_PORT: port } = config;
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE' || code === 'EACCES') {
      throw new ConfigError(
        `The webhook cannot listen on ${host}:${port} (${code}). Set WEBHOOK_PORT to another port.`,
      );
    }
    throw error;
  }
}
