/** The codec server as a program: `payment-gateway codec-server`. */
import type { FastifyBaseLogger } from 'fastify';
import type { Environment } from '../process/environment';
import { Readiness, serveHealth, unlessStopping } from '../process/health';
import { listen } from '../process/listen';
import { createLogger } from '../process/log';
import { serveMetrics } from '../process/metrics/serve';
import { type Config, loadConfig, warnOfRisks } from '../process/settings';
import { stopSignal } from '../process/signals';
import { ConfigError } from '../process/user-error';
import { type Access, accessFrom } from './access';
import { codecServer } from './server';

export interface RunningCodecServer {
  /** Its address, such as `http://127.0.0.1:8490`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts the codec server. `access` replaces the access that the settings describe. Throws ConfigError if there are no keys, if the
 * settings let nobody in, or if the port is taken.
 */
export async function startCodecServer(
  config: Config,
  log: FastifyBaseLogger,
  access?: Access,
): Promise<RunningCodecServer> {
  const { PAYMENTS_ENCRYPTION_KEYS: keys, CODEC_SERVER_HOST: host, CODEC_SERVER_PORT: port } = config;
  if (keys === undefined) {
    throw new ConfigError('The codec server has no keys to decrypt with. Set PAYMENTS_ENCRYPTION_KEYS.');
  }
  const stopping = new AbortController();
  // It needs no other server, so it is ready from when it listens until it stops.
  const readiness = new Readiness(unlessStopping(stopping.signal));
  const server = codecServer({
    keys,
    access: access ?? accessFrom(config, (err) => log.warn({ err }, 'the keys of the log-in cannot be read')),
    origins: config.CODEC_SERVER_UI_ORIGINS ?? [],
    log,
    readiness: config.HEALTH_ADDRESS === undefined ? readiness : undefined,
  });
  const place = {
    what: 'The codec server',
    host,
    port,
    settings: { host: 'CODEC_SERVER_HOST', port: 'CODEC_SERVER_PORT' },
  };
  const url = await listen(place, () => server.listen({ host, port }));
  const health = await serveHealth(config, readiness, log).catch(async (error) => {
    await server.close();
    throw error;
  });
  return {
    url,
    async close() {
      stopping.abort();
      await server.close();
      await health?.close();
    },
  };
}

/** Runs it until SIGINT or SIGTERM. */
export async function runCodecServer(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('codec-server', config.LOG_LEVEL);
  warnOfRisks(config, 'codec server', log);
  const metrics = await serveMetrics('codec server', config);
  const server = await startCodecServer(config, log);
  log.info({ url: server.url, origins: config.CODEC_SERVER_UI_ORIGINS ?? [] }, 'the codec server listens');
  await stopSignal();
  await server.close();
  await metrics?.close();
  log.info('the codec server ended');
}
