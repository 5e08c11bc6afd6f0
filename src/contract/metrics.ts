/**
 * Our metrics, besides Temporal's own: the one place that names them. Alerts, the board and docs/operations.md are made from this table. No
 * label says anything about a person, and each has few values: values that callers invent become `other`.
 */
import { METHOD_NAMES } from '../gateway/pure/names';

/** Our long-running processes. */
export type MeasuredProcess = 'worker' | 'webhook' | 'codec server';

export interface Metric {
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly labels: readonly string[];
  /** The processes that serve it. */
  readonly of: readonly MeasuredProcess[];
  readonly meaning: string;
  /** The upper ends of a histogram's buckets, in the unit of its name. */
  readonly buckets?: readonly number[];
}

const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400];
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60];
const DATA_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, MINUTE_S, 5 * MINUTE_S, HOUR_S, DAY_S];
const EFFECT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, MINUTE_S, 5 * MINUTE_S, 30 * MINUTE_S, 6 * HOUR_S, DAY_S];
const OUTCOME_BUCKETS = [
  ...[MINUTE_S, 2 * MINUTE_S, 5 * MINUTE_S, 15 * MINUTE_S, 30 * MINUTE_S],
  ...[HOUR_S, 3 * HOUR_S, 12 * HOUR_S, DAY_S, 3 * DAY_S, 7 * DAY_S],
];
const ANSWER_BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export const METRIC = {
  started: {
    ...{ name: 'payments_started_total', kind: 'counter', labels: ['app_id', 'method'], of: ['worker'] },
    meaning: 'payments that began, here or at the gateway; method `none`: the buyer chooses it later',
  },
  ended: {
    ...{ name: 'payments_ended_total', kind: 'counter', labels: ['app_id', 'method', 'outcome'], of: ['worker'] },
    meaning: 'payments that ended, by outcome; `NOT_CREATED`: there is no order',
  },
  dataAfter: {
    ...{ name: 'payments_data_seconds', kind: 'histogram', labels: ['app_id', 'method'], of: ['worker'] },
    ...{ buckets: DATA_BUCKETS, meaning: 'from the start of a payment to the data that the buyer pays with' },
  },
  outcomeAfter: {
    ...{ name: 'payments_outcome_seconds', kind: 'histogram', labels: ['app_id', 'outcome'], of: ['worker'] },
    ...{ buckets: OUTCOME_BUCKETS, meaning: 'from the start of a payment to its outcome' },
  },
  gatewayCall: {
    ...{ name: 'payments_gateway_call_seconds', kind: 'histogram', of: ['worker'] },
    ...{ labels: ['app_id', 'operation', 'result'], buckets: CALL_BUCKETS },
    meaning: 'calls: `done`, `refused`, `busy`, `unanswered` (or unreadable), `not_sent` (not reached)',
  },
  circuit: {
    ...{ name: 'payments_gateway_circuit_open', kind: 'gauge', labels: ['app_id'], of: ['worker'] },
    meaning: '1 while this worker makes no calls because the gateway keeps failing, else 0',
  },
  heldBack: {
    ...{
      name: 'payments_gateway_calls_held_back_total',
      kind: 'counter',
      labels: ['app_id', 'urgency'],
      of: ['worker'],
    },
    meaning: 'calls that were not made yet, for the limit of calls a second or for the circuit, by urgency',
  },
  refundsRequested: {
    ...{ name: 'payments_refunds_requested_total', kind: 'counter', labels: ['app_id'], of: ['worker'] },
    meaning: 'refunds that merchants asked for, and that were granted',
  },
  refunds: {
    ...{ name: 'payments_refunds_total', kind: 'counter', labels: ['app_id', 'outcome'], of: ['worker'] },
    meaning: 'what became of refunds: each outcome that one had, `ACCEPTED` first',
  },
  deposits: {
    ...{ name: 'payments_deposits_total', kind: 'counter', labels: ['app_id', 'result'], of: ['worker'] },
    meaning: 'deposits into virtual accounts: `counted`, or the reason for which one was set aside',
  },
  events: {
    ...{ name: 'payments_events_total', kind: 'counter', labels: ['to', 'result'], of: ['worker'] },
    meaning: 'attempts to deliver an event to the `handler` or an `address`: `taken`, or `failed`, which is repeated',
  },
  stuck: {
    ...{ name: 'payments_stuck', kind: 'gauge', labels: [], of: ['worker'] },
    meaning: 'open payments past their time, unsent, or without a worker, as the last sweep counted them',
  },
  underAttention: {
    ...{ name: 'payments_under_attention', kind: 'gauge', labels: ['reason'], of: ['worker'] },
    meaning: 'workflows that need a person, by each reason of the runbook, as the last sweep counted them',
  },
  overdue: {
    ...{ name: 'payments_attention_overdue', kind: 'gauge', labels: [], of: ['worker'] },
    meaning:
      'workflows that have waited for a person for longer than `PAYMENTS_OVERDUE`, as the last sweep counted them',
  },
  sweptAt: {
    ...{ name: 'payments_swept_timestamp_seconds', kind: 'gauge', labels: [], of: ['worker'] },
    meaning: 'when this worker made its last sweep, in seconds since 1970',
  },
  reconciledAt: {
    ...{ name: 'payments_reconciled_timestamp_seconds', kind: 'gauge', labels: ['app_id'], of: ['worker'] },
    meaning: 'the end of the period whose books of an app this worker compared last, in seconds since 1970',
  },
  jobStopped: {
    ...{ name: 'payments_job_stopped', kind: 'gauge', labels: ['schedule_id'], of: ['worker'] },
    meaning: '1 while a job that Temporal starts by itself does not do its work, as this worker last looked, else 0',
  },
  ramped: {
    ...{ name: 'payments_worker_ramp_seconds', kind: 'gauge', labels: [], of: ['worker'] },
    meaning:
      'for how long a part of new work has gone to another version of the worker than the rest, as it last looked',
  },
  differences: {
    ...{
      name: 'payments_reconciliation_differences_total',
      kind: 'counter',
      labels: ['app_id', 'kind'],
      of: ['worker'],
    },
    meaning: 'orders that are not the same here, at the gateway or in the merchant’s list',
  },
  accountsAvailable: {
    ...{ name: 'payments_spei_accounts_available', kind: 'gauge', labels: ['app_id'], of: ['worker'] },
    meaning: 'virtual accounts that are left to create',
  },
  webhookAnswers: {
    ...{ name: 'payments_webhook_answer_seconds', kind: 'histogram', labels: ['status'], of: ['webhook'] },
    ...{ buckets: ANSWER_BUCKETS, meaning: 'answers to notifications, by HTTP status' },
  },
  notificationEffect: {
    ...{ name: 'payments_notification_effect_seconds', kind: 'histogram', labels: ['app_id'], of: ['worker'] },
    ...{
      buckets: EFFECT_BUCKETS,
      meaning: 'from a notification’s arrival at its payment until a look has settled it',
    },
  },
  heap: {
    ...{ name: 'payments_node_heap_used_bytes', kind: 'gauge', labels: [], of: ['worker', 'webhook', 'codec server'] },
    meaning: 'what Node.js uses of its heap',
  },
  eventLoop: {
    ...{ name: 'payments_node_event_loop_delay_seconds', kind: 'gauge', labels: [] },
    ...{ of: ['worker', 'webhook', 'codec server'] },
    meaning: 'how late Node.js took up work in the last 10 seconds: the 99th percentile',
  },
} as const satisfies Record<string, Metric>;

/** The metrics that a process serves. */
export const metricsOf = (process: MeasuredProcess): Metric[] =>
  Object.values<Metric>(METRIC).filter(({ of }) => of.includes(process));

export type MetricName = keyof typeof METRIC;
type LabelsOf<Name extends MetricName> = Record<(typeof METRIC)[Name]['labels'][number], string>;

/** Counts one more, records a duration, or sets a gauge. */
export type Recorder = <Name extends MetricName>(name: Name, value: number, labels: LabelsOf<Name>) => void;

/** A recorder in a workflow. A run records a value once for each `of`, such as a refund number. */
export type WorkflowRecorder = <Name extends MetricName>(
  name: Name,
  value: number,
  labels: LabelsOf<Name>,
  of?: string,
) => void;

/** What takes the values of one metric. */
export type Instrument = (value: number, labels: Record<string, string>) => void;

/** A recorder without the types of each metric's labels. */
export type AnyRecorder = (name: MetricName, value: number, labels: Record<string, string>) => void;

/**
 * The recorder for workflows, by the sink that the plugin adds to a Worker. Temporal drops calls of a replay, but not of a workflow task
 * that is repeated: so the worker takes each `of` of a run once.
 */
export type MetricSink = {
  record(name: MetricName, value: number, labels: Record<string, string>, of: string): void;
};

/** Sinks by name, as Temporal's SDK wants them. */
export type MetricSinks = { paymentMetrics: MetricSink };

/**
 * A recorder on the instruments that `make` gives. An unknown method becomes `other`, and so does an app that is not among `app_ids`:
 * callers cannot add series.
 */
export function metricRecorder(make: (metric: Metric) => Instrument, app_ids: readonly string[]): AnyRecorder {
  const known: Readonly<Record<string, ReadonlySet<string>>> = {
    method: new Set(['none', ...METHOD_NAMES]),
    app_id: new Set(app_ids),
  };
  const bounded = (label: string, value: string) => (known[label]?.has(value) === false ? 'other' : value);
  return (name, value, labels) => {
    const given = Object.entries(labels).map(([label, said]) => [label, bounded(label, said)]);
    make(METRIC[name])(value, Object.fromEntries(given));
  };
}

/** Makes each instrument only once. */
export function madeOnce(make: (metric: Metric) => Instrument): (metric: Metric) => Instrument {
  const made = new Map<string, Instrument>();
  return (metric) => {
    const instrument = made.get(metric.name) ?? make(metric);
    made.set(metric.name, instrument);
    return instrument;
  };
}
