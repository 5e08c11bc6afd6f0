/**
 * Metrics of a process without Temporal's native core, by OpenTelemetry's packages. They are optional peers, imported only if a
 * setting asks for metrics, so that a backend that only pays does not install them.
 */
import { randomUUID } from 'node:crypto';
import {
  type Instrument,
  type MeasuredProcess,
  type Metric,
  madeOnce,
  metricRecorder,
  type Recorder,
} from '../../contract';
import { placeOf } from '../listen';
import { messageOf } from '../message-of';
import { peer } from '../peers';
import type { Config } from '../settings';
import { ConfigError } from '../user-error';
import { measureNode } from './node';

const needed = <T>(load: () => Promise<T>) => peer('METRICS_ADDRESS and METRICS_OTLP_URL', load);

/** Names the process that pushes: receivers use it as `job` and `instance`. Without the second, two processes would write the same series. */
export const pushedBy = (of: MeasuredProcess) => ({
  'service.name': `payments-${of.replace(' ', '-')}`,
  'service.instance.id': randomUUID(),
});

/** How often metrics are pushed, in ms. */
const PUSH_EVERY_MS = 10_000;

type MetricsSettings = Pick<Config, 'METRICS_ADDRESS' | 'METRICS_OTLP_URL'>;

export interface ServedMetrics {
  readonly record: Recorder;
  close(): Promise<void>;
}

/**
 * Serves metrics at METRICS_ADDRESS, or pushes them to METRICS_OTLP_URL, with those of Node.js itself. Undefined if neither is set.
 * Throws ConfigError if a package is missing or the address is taken.
 */
export async function serveMetrics(of: MeasuredProcess, settings: MetricsSettings): Promise<ServedMetrics | undefined> {
  const { METRICS_ADDRESS: address, METRICS_OTLP_URL: url } = settings;
  if (address === undefined && url === undefined) return undefined;
  const [{ MeterProvider }, { resourceFromAttributes }] = await Promise.all([
    needed(() => import('@opentelemetry/sdk-metrics')),
    needed(() => import('@opentelemetry/resources')),
  ]);
  const reader = address === undefined ? await pushing(url) : await served(address);
  const resource = resourceFromAttributes(pushedBy(of));
  const provider = new MeterProvider({ readers: [reader], resource });
  const meter = provider.getMeter('temporal-payment-gateway');
  const instrument = ({ name, kind, meaning: description, buckets }: Metric): Instrument => {
    if (kind === 'counter') {
      const counter = meter.createCounter(name, { description });
      return (value, labels) => counter.add(value, labels);
    }
    const advice = buckets ? { explicitBucketBoundaries: [...buckets] } : {};
    const one =
      kind === 'gauge'
        ? meter.createGauge(name, { description })
        : meter.createHistogram(name, { description, advice });
    return (value, labels) => one.record(value, labels);
  };
  const record = metricRecorder(madeOnce(instrument), []);
  const node = measureNode(record);
  return {
    record,
    async close() {
      node.close();
      await provider.shutdown();
    },
  };
}

async function pushing(url: string | undefined) {
  const [{ PeriodicExportingMetricReader }, { OTLPMetricExporter }] = await Promise.all([
    needed(() => import('@opentelemetry/sdk-metrics')),
    needed(() => import('@opentelemetry/exporter-metrics-otlp-proto')),
  ]);
  const exporter = new OTLPMetricExporter(url === undefined ? {} : { url });
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: PUSH_EVERY_MS });
}

async function served(address: string) {
  const { PrometheusExporter } = await needed(() => import('@opentelemetry/exporter-prometheus'));
  const exporter = new PrometheusExporter({
    ...placeOf(address),
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  await exporter.startServer().catch((error: unknown) => {
    throw notServed(address, error);
  });
  return exporter;
}

/** The error if METRICS_ADDRESS cannot be used, whichever library finds out. */
export const notServed = (address: string, error: unknown): ConfigError =>
  new ConfigError(
    `Metrics cannot be served at METRICS_ADDRESS=${address} (${messageOf(error)}). Set another address, or none.`,
  );
