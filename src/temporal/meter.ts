/** Our metrics on a meter of Temporal's SDK: that of the process, or that of the activity that runs. */
import type { MetricMeter } from '@temporalio/common';
import type { Instrument, Metric } from '../contract';

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
