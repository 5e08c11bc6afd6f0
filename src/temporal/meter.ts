/** Our metrics on a meter of Temporal's SDK, of the process or of a running activity, and the metrics of workflows. */
import type { MetricMeter } from '@temporalio/common';
import type { InjectedSinks } from '@temporalio/worker';
import type { AnyRecorder, Instrument, Metric, MetricSinks } from '../contract';

/** The instrument of a metric. The meter decides what becomes of its values. */
export function temporalInstrument(meter: MetricMeter, { name, kind, meaning }: Metric): Instrument {
  if (kind === 'counter') {
    const counter = meter.createCounter(name, undefined, meaning);
    return (value, labels) => counter.add(value, labels);
  }
  if (kind === 'gauge') {
    const gauge = meter.createGauge(name, 'float', undefined, meaning);
    return (value, labels) => gauge.set(value, labels);
  }
  const histogram = meter.createHistogram(name, 'float', undefined, meaning);
  return (value, labels) => histogram.record(value, labels);
}

/** How many measurements are remembered: enough for the tasks that this worker soon repeats. */
const REMEMBERED = 10_000;

/**
 * Records what a workflow measures once: not again in a replay, and not again for a task that the server has not taken. If a signal arrives
 * at the end of a run, the run's last task is repeated.
 */
export function metricSinks(record: AnyRecorder): InjectedSinks<MetricSinks> {
  const taken = new Set<string>();
  function isNew(measured: string): boolean {
    if (taken.has(measured)) return false;
    taken.add(measured);
    const [oldest] = taken;
    if (taken.size > REMEMBERED && oldest !== undefined) taken.delete(oldest);
    return true;
  }
  return {
    paymentMetrics: {
      record: {
        fn({ runId }, name, value, labels, of) {
          if (isNew(JSON.stringify([runId, name, labels, of]))) record(name, value, labels);
        },
        callDuringReplay: false,
      },
    },
  };
}
