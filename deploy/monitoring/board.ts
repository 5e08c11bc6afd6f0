/** The board for Grafana, made from the metrics' own table: a panel for each metric, in rows by topic. */
import { METRIC, type Metric, type MetricName } from '../../src/contract';
import { lastSwept } from './alerts';

/** Each metric is in one row: the compiler sees names that there are not, a test those that are left out. */
export const ROWS: readonly { readonly title: string; readonly of: readonly MetricName[] }[] = [
  { title: 'Payments', of: ['started', 'ended', 'dataAfter', 'outcomeAfter'] },
  { title: 'Gateway', of: ['gatewayCall', 'circuit', 'heldBack'] },
  { title: 'Notifications and events', of: ['webhookAnswers', 'notificationEffect', 'events'] },
  { title: 'What needs a person', of: ['underAttention', 'overdue', 'stuck', 'sweptAt', 'jobStopped'] },
  { title: 'Refunds and deposits', of: ['refundsRequested', 'refunds', 'deposits', 'accountsAvailable'] },
  { title: 'Books', of: ['differences', 'reconciledAt'] },
  { title: 'Processes', of: ['heap', 'eventLoop', 'ramped'] },
];

interface Query {
  readonly expr: string;
  readonly legend: string;
}

const RATE = '[$__rate_interval]';
const QUANTILES = [0.5, 0.95, 0.99];

/** The panels of the app that is chosen above the board show that one's. */
const filterOf = ({ labels }: Metric) => (labels.includes('app_id') ? '{app_id=~"$app"}' : '');

function quantile(q: number, name: string, labels: readonly string[], filter: string): string {
  const by = ['le', ...labels].join(', ');
  return `histogram_quantile(${q}, sum by (${by}) (rate(${name}_bucket${filter}${RATE})))`;
}

/** Of Temporal's own, what the alerts look at. Its published board for the SDK has the others. */
const TEMPORALS = [
  { title: 'temporal_num_pollers', expr: 'sum by (task_queue, poller_type) (temporal_num_pollers)', unit: 'short' },
  {
    ...{ title: 'temporal_long_request_failure', unit: 'cps' },
    expr: `sum by (task_queue, operation) (rate(temporal_long_request_failure${RATE}))`,
  },
  ...(['workflow_task', 'activity'] as const).map((kind) => ({
    title: `temporal_${kind}_schedule_to_start_latency`,
    expr: quantile(0.95, `temporal_${kind}_schedule_to_start_latency`, ['task_queue'], ''),
    unit: 'ms',
  })),
];

const isTime = ({ name }: Metric) => name.endsWith('_timestamp_seconds');
/** Every worker has it, and only the one that swept last is up to date. */
const isOfSweep = ({ meaning }: Metric) => meaning.endsWith('as the last sweep counted them');

function queriesOf(metric: Metric): Query[] {
  const { name, kind, of } = metric;
  // What each process has of its own is shown for each.
  const labels = metric.labels.length > 0 || of.length === 1 ? metric.labels : ['job', 'instance'];
  const by = labels.length > 0 ? ` by (${labels.join(', ')}) ` : '';
  const legend = labels.map((label) => `{{${label}}}`).join(' ');
  const one = `${name}${filterOf(metric)}`;
  if (kind === 'counter') return [{ expr: `sum${by}(rate(${one}${RATE}))`, legend }];
  if (kind === 'histogram') {
    // By all labels there would be too many lines: the last says what became of it.
    const shown = metric.labels.slice(-1);
    const words = shown.map((label) => `{{${label}}}`).join(' ');
    return QUANTILES.map((q) => ({
      expr: quantile(q, name, shown, filterOf(metric)),
      legend: `p${q * 100} ${words}`,
    }));
  }
  if (isTime(metric)) return [{ expr: `time() - max${by}(${one})`, legend }];
  return [{ expr: `max${by}(${isOfSweep(metric) ? lastSwept(one) : one})`, legend }];
}

function unitOf({ name, kind }: Metric): string {
  if (kind === 'counter') return 'cps';
  if (name.endsWith('_seconds')) return 's';
  return name.endsWith('_bytes') ? 'bytes' : 'short';
}

const SOURCE = { type: 'prometheus', uid: '$source' };
const [WIDTH, HEIGHT, IN_A_ROW] = [24, 8, 3];

interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly unit: string;
  readonly queries: readonly Query[];
}

const panelOf = (name: MetricName): Panel => {
  const metric: Metric = METRIC[name];
  const age = isTime(metric) ? '; shown: how long ago' : '';
  return {
    ...{ title: metric.name, description: `${metric.meaning}${age}`, unit: unitOf(metric) },
    queries: queriesOf(metric),
  };
};

const FIRING: Panel = {
  title: 'Alerts that fire',
  unit: 'short',
  queries: [
    {
      expr: 'count by (alertname, severity) (ALERTS{alertname=~"Payments.*", alertstate="firing"})',
      legend: '{{alertname}} {{severity}}',
    },
  ],
};

function timeseries({ title, description = '', unit, queries }: Panel, id: number, gridPos: object) {
  return {
    ...{ id, type: 'timeseries', title, description, datasource: SOURCE, gridPos },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queries.map(({ expr, legend }, at) => ({
      ...{ refId: String.fromCharCode(65 + at), datasource: SOURCE, expr, legendFormat: legend },
    })),
  };
}

/** Rows below one another, with up to three panels side by side. */
function laidOut(rows: readonly { title: string; panels: readonly Panel[] }[]) {
  let [y, id] = [0, 0];
  return rows.flatMap(({ title, panels }) => {
    const row = { id: ++id, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: WIDTH, h: 1 } };
    const w = WIDTH / Math.min(IN_A_ROW, panels.length);
    const top = y + 1;
    const placed = panels.map((panel, at) => {
      const line = Math.floor(at / IN_A_ROW);
      return timeseries(panel, ++id, { x: (at % IN_A_ROW) * w, y: top + line * HEIGHT, w, h: HEIGHT });
    });
    y = top + Math.ceil(panels.length / IN_A_ROW) * HEIGHT;
    return [row, ...placed];
  });
}

/** deploy/grafana/payments.json. */
export const board = () => ({
  ...{ uid: 'payments', title: 'Payments', tags: ['payments'], schemaVersion: 39, editable: true, version: 1 },
  ...{ refresh: '30s', timezone: 'utc', time: { from: 'now-6h', to: 'now' } },
  annotations: { list: [] },
  templating: {
    list: [
      { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus', current: {} },
      {
        ...{ name: 'app', label: 'app', type: 'query', datasource: SOURCE, refresh: 2, sort: 1 },
        ...{ query: `label_values(${METRIC.circuit.name}, app_id)`, multi: true, includeAll: true, allValue: '.*' },
        current: { text: 'All', value: '$__all' },
      },
    ],
  },
  panels: laidOut([
    { title: 'Alerts', panels: [FIRING] },
    ...ROWS.map(({ title, of }) => ({ title, panels: of.map(panelOf) })),
    {
      title: 'Temporal’s workers',
      panels: TEMPORALS.map(({ title, expr, unit }) => ({
        title,
        unit,
        queries: [{ expr, legend: '{{task_queue}}' }],
      })),
    },
  ]),
});
