/** Temporal's native runtime, one a process: its log lines in our format, and the metrics that it serves, ours among them. */
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type Config, ConfigError } from './config';

interface RuntimeSettings extends Pick<Config, 'METRICS_ADDRESS'> {
  log: Logger;
  /** On which Workers of this process end by themselves. */
  shutdownSignals: NodeJS.Signals[];
}

/** Installs it. Serves Prometheus at `/metrics` of METRICS_ADDRESS where that is set; throws ConfigError where it cannot. */
export function installRuntime({ METRICS_ADDRESS: bindAddress, log, shutdownSignals }: RuntimeSettings): Runtime {
  const options = { logger: temporalLogger(log), shutdownSignals };
  if (bindAddress === undefined) return Runtime.install(options);
  try {
    return Runtime.install({ ...options, telemetryOptions: { metrics: { prometheus: { bindAddress } } } });
  } catch (error) {
    throw new ConfigError(
      `Metrics cannot be served at METRICS_ADDRESS=${bindAddress} (${error instanceof Error ? error.message : String(error)}). Set another address, or none.`,
    );
  }
}

/** Temporal's own lines: what goes wrong, and everything where our own log is to tell everything. */
function temporalLogger(log: Logger): DefaultLogger {
  const write = ({ level, message, meta }: LogEntry) => {
    const { taskToken: _token, ...rest } = { ...meta } as Record<string, unknown>;
    log[LEVELS[level]](rest, message);
  };
  return new DefaultLogger(log.isLevelEnabled('debug') ? 'TRACE' : 'WARN', write);
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
