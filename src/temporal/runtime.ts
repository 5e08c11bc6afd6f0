/** Temporal's native runtime, one for each process. It logs in our format and serves metrics, ours among them. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { METRIC } from '../contract';
import type { Config } from '../process/settings';
import { ConfigError } from '../process/user-error';

interface RuntimeSettings extends Pick<Config, 'METRICS_ADDRESS'> {
  log: Logger;
  /** The signals that end the Workers of this process. */
  shutdownSignals: NodeJS.Signals[];
}

/** In ms: a notification is usually answered in a few, and Temporal's own buckets begin at 50. */
const BUCKETS = { [METRIC.webhookAnswers.name]: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] };

/** Installs it. If METRICS_ADDRESS is set, it serves Prometheus at `/metrics` there. Throws ConfigError if it cannot. */
export function installRuntime({ METRICS_ADDRESS: bindAddress, log, shutdownSignals }: RuntimeSettings): Runtime {
  const options = { logger: temporalLogger(log), shutdownSignals };
  if (bindAddress === undefined) return Runtime.install(options);
  try {
    const prometheus = { bindAddress, histogramBucketOverrides: BUCKETS };
    return Runtime.install({ ...options, telemetryOptions: { metrics: { prometheus } } });
  } catch (error) {
    throw new ConfigError(
      `Metrics cannot be served at METRICS_ADDRESS=${bindAddress} (${error instanceof Error ? error.message : String(error)}). Set another address, or none.`,
    );
  }
}

/** Logs Temporal's own lines: warnings and errors, and everything at our log level debug. */
function temporalLogger(log: Logger): DefaultLogger {
  const write = ({ level, message, meta }: LogEntry) => {
    const { taskToken: _token, ...rest } = { ...meta } as Record<string, unknown>;
    log[LEVELS[level]](rest, message);
  };
  return new DefaultLogger(log.isLevelEnabled('debug') ? 'TRACE' : 'WARN', write);
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
