/** The runnable webhook: `npm run webhook`, or `payment-gateway webhook`. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig, requireApps } from '../config';
import { connectClient } from '../connect';
import { createLogger } from '../log';
import { webhookServer } from './server';

type Environment = Record<string, string | undefined>;

export interface RunningWebhook {
  /** Where it listens. */
  url: string;
  /** Lets what is under way end, then closes the connection to Temporal. */
  close(): Promise<void>;
}

/** Starts the endpoint. Throws ConfigError and TemporalUnreachableError. */
export async function startWebhook(config: Config, env: Environment, log: Logger): Promise<RunningWebhook> {
  const apps = requireApps(config);
  const client = await connectClient(env, config);
  const server = webhookServer({
    client,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    apps,
    signature: { header: config.GATEWAY_SIGNATURE_HEADER, scheme: config.GATEWAY_SIGNATURE_SCHEME },
    log,
  });
  const url = await listen(server, config).catch(async (error) => {
    await client.connection.close();
    throw error;
  });
  return {
    url,
    async close() {
      await server.close();
      await client.connection.close();
    },
  };
}

/** Runs the endpoint until a signal ends it. */
export async function runWebhook(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('webhook', config.LOG_LEVEL);
  const webhook = await startWebhook(config, env, log);
  log.info({ url: webhook.url, apps: config.apps.map((app) => app.app_id) }, 'webhook listens at /ipn/{app_id}');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await webhook.close();
  log.info('webhook ended');
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
