/** The runnable worker: `npm run worker`, or `payment-gateway worker`. */
import { NativeConnection, Worker } from '@temporalio/worker';
import { type Config, ConfigError, loadConfig, requireApps } from './config';
import { temporalConfig, unreachable } from './connect';
import { reportAndExit } from './exit';
import { createLogger } from './log';
import { PaymentGatewayPlugin } from './plugin';
import { installRuntime } from './runtime';
import { missingSearchAttributes } from './search-attributes';

type Environment = Record<string, string | undefined>;

/** Longer than one exchange with the gateway: a creation under way when the worker stops still gets its answer. */
export const SHUTDOWN_GRACE = '60 seconds';

/** A worker with a connection of its own. */
export interface ConnectedWorker {
  /** Works until `shutdown` or a signal, then closes the connection. */
  run(): Promise<void>;
  shutdown(): void;
}

/**
 * A worker with everything that payments need, connected and checked; the caller runs it.
 * Throws ConfigError, also where search attributes are not registered, TemporalUnreachableError, SearchAttributeConflictError.
 */
export async function createWorker(config: Config, env: Environment): Promise<ConnectedWorker> {
  requireApps(config);
  const plugin = new PaymentGatewayPlugin(config);
  const { connectionOptions, namespace } = temporalConfig(env);
  const connection = await NativeConnection.connect(connectionOptions).catch((error: unknown) => {
    throw unreachable(connectionOptions.address, error);
  });
  try {
    await demandSearchAttributes(connection, namespace);
    const worker = await Worker.create({
      connection,
      namespace,
      taskQueue: config.PAYMENTS_TASK_QUEUE,
      plugins: [plugin],
      shutdownGraceTime: SHUTDOWN_GRACE,
    });
    return { run: () => worker.run().finally(() => connection.close()), shutdown: () => worker.shutdown() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function demandSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  throw new ConfigError(
    `The namespace ${namespace} lacks the search attributes ${missing.join(', ')}, without which no payment can run. Register them with: payment-gateway setup`,
  );
}

/** Runs a worker until a signal ends it. */
export async function runWorker(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('worker', config.LOG_LEVEL);
  installRuntime({ ...config, log, shutdownSignals: ['SIGINT', 'SIGTERM'] });
  const worker = await createWorker(config, env);
  log.info({ taskQueue: config.PAYMENTS_TASK_QUEUE, apps: config.apps.map((app) => app.app_id) }, 'worker started');
  await worker.run();
  log.info('worker ended');
}

if (require.main === module) runWorker(process.env).catch(reportAndExit);
