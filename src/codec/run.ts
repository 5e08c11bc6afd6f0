/** The runnable codec server: `payment-gateway codec-server`. */
import type { FastifyBaseLogger } from 'fastify';
import { type Config, ConfigError, loadConfig } from '../config';
import { createLogger } from '../log';
import { type Access, accessBy } from './access';
import { codecServer } from './server';

export interface RunningCodecServer {
  /** Where it listens. */
  url: string;
  close(): Promise<void>;
}

/** Starts it. `access` stands in for the settings' own. Throws ConfigError without keys, or where nobody may ask. */
export async function startCodecServer(
  config: Config,
  log: FastifyBaseLogger,
  access?: Access,
): Promise<RunningCodecServer> {
  const { PAYMENTS_ENCRYPTION_KEYS: keys, CODEC_SERVER_HOST: host, CODEC_SERVER_PORT: port } = config;
  if (keys === undefined)
    throw new ConfigError('The codec server has nothing to decrypt with: set PAYMENTS_ENCRYPTION_KEYS.');
  const server = codecServer({
    keys,
    access: access ?? accessBy(config),
    origins: config.CODEC_SERVER_UI_ORIGINS ?? [],
    log,
  });
  try {
    const url = await server.listen({ host, port });
    return { url, close: () => server.close() };
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new ConfigError(
      `The codec server cannot listen on ${host}:${port} (${code}). Set CODEC_SERVER_PORT to another.`,
    );
  }
}

/** Runs it until a signal ends it. */
export async function runCodecServer(env: Record<string, string | undefined>): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('codec-server', config.LOG_LEVEL);
  const server = await startCodecServer(config, log);
  log.info({ url: server.url, origins: config.CODEC_SERVER_UI_ORIGINS ?? [] }, 'the codec server listens');
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
  log.info('the codec server ended');
}
