/** Temporal's native runtime, one for each process. It logs in our format and serves metrics, ours among them. */
import { DefaultLogger, type LogEntry, Runtime, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import {
  type AnyRecorder,
  isOwnFailureType,
  METRIC,
  type Metric,
  madeOnce,
  metricRecorder,
  namedByWorkflowId,
} from '../contract';
import { notServed, pushedBy } from '../process/metrics/serve';
import type { Config } from '../process/settings';
import { temporalInstrument } from './meter';

interface RuntimeSettings extends Pick<Config, 'METRICS_ADDRESS'>, Partial<Pick<Config, 'METRICS_OTLP_URL'>> {
  log: Logger;
  shutdownSignals: NodeJS.Signals[];
}

/** Only for our metrics: Temporal's own keep its buckets, its names and ms, which its published boards read. */
const BUCKETS = Object.fromEntries(
  Object.values<Metric>(METRIC).flatMap(({ name, buckets }) => (buckets ? [[name, [...buckets]]] : [])),
);

/**
 * Installs the runtime. With METRICS_ADDRESS it serves Prometheus there at `/metrics`; with METRICS_OTLP_URL it pushes there. Throws
 * ConfigError if it cannot serve.
 */
export function installRuntime({ log, shutdownSignals, ...settings }: RuntimeSettings): Runtime {
  const options = { logger: temporalLogger(log), shutdownSignals };
  const metrics = exporter(settings);
  // Otherwise the native core prints lines in its own format.
  const telemetryOptions: TelemetryOptions = { logging: { forward: {} }, ...(metrics ? { metrics } : {}) };
  try {
    return Runtime.install({ ...options, telemetryOptions });
  } catch (error) {
    const { METRICS_ADDRESS: address } = settings;
    throw address === undefined ? error : notServed(address, error);
  }
}

function exporter({
  METRICS_ADDRESS: bindAddress,
  METRICS_OTLP_URL: url,
}: Pick<RuntimeSettings, 'METRICS_ADDRESS' | 'METRICS_OTLP_URL'>): TelemetryOptions['metrics'] {
  if (bindAddress !== undefined) return { prometheus: { bindAddress, histogramBucketOverrides: BUCKETS } };
  if (url === undefined) return undefined;
  // These tags name the sender of pushed metrics; they are not labels.
  return {
    globalTags: pushedBy('worker'),
    otel: { url, http: true, metricsExportInterval: '10 seconds', histogramBucketOverrides: BUCKETS },
  };
}

/**
 * Asks for the runtime once, when there is a Worker. Asking again after the last Worker has ended would make a new runtime, which takes the
 * signals of the process and keeps it alive.
 */
export function runtimeOnce(): () => Runtime {
  let runtime: Runtime | undefined;
  return () => (runtime ??= Runtime.instance());
}

/** Records what this process measures; nothing once its runtime has ended. */
export const runtimeRecorder = (app_ids: readonly string[], runtime: () => Runtime): AnyRecorder =>
  metricRecorder(
    madeOnce((metric) => temporalInstrument(runtime().metricMeter, metric)),
    app_ids,
  );

/** Logs Temporal's own lines: warnings and errors, and everything at our log level debug. Ours name no part of the SDK. */
function temporalLogger(log: Logger): DefaultLogger {
  const isDebug = log.isLevelEnabled('debug');
  const write = ({ level, message, meta }: LogEntry) => {
    if (level === 'INFO' && meta?.sdkComponent !== undefined && !isDebug) return;
    log[LEVELS[level]](logFields({ ...meta }), message);
  };
  return new DefaultLogger(isDebug ? 'TRACE' : 'INFO', write);
}

/** These fields hold decoded payloads as text. */
const DECODED: ReadonlySet<string> = new Set(['task', 'taskEncoded', 'taskToken']);

/**
 * The fields of Temporal's log line in our own form, with the order of its workflow. Only plain values, lists of them and errors are kept: at
 * the level trace, the SDK logs each task with its decoded payloads.
 */
export function logFields({ out_trade_no, ...meta }: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.fromEntries(
    Object.entries(meta).flatMap(([name, value]) => {
      const isShown = value instanceof Error || (Array.isArray(value) ? value.every(isPlain) : isPlain(value));
      if (!isShown || DECODED.has(name)) return [];
      const ours = name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
      return [[ours, value instanceof Error ? causeOf(value) : value]];
    }),
  );
  const { workflow_id } = fields;
  const order = out_trade_no ?? (typeof workflow_id === 'string' ? namedByWorkflowId(workflow_id)?.out_trade_no : null);
  return order == null ? fields : { ...fields, order };
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The type of an error, and its text if the text is ours: others may quote a buyer. */
function causeOf(error: Error): object {
  const type = 'type' in error && typeof error.type === 'string' ? error.type : error.name;
  const cause = error.cause instanceof Error ? { cause: causeOf(error.cause) } : {};
  return isOwnFailureType(type) ? { type, message: error.message, ...cause } : { type, ...cause };
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
