/** What the alerts and the board ask for is there, and what an alert says to do is safe. */
import { ALERTS, type Alert, REASONS } from '../../deploy/monitoring/alerts';
import { board, ROWS } from '../../deploy/monitoring/board';
import { ruleTests } from '../../deploy/monitoring/rules';
import { ATTENTION_WORDS, JOB_RUNBOOK, METRIC, type Metric } from '../../src/contract';
import { anchorsOf } from '../docs/markdown';

const alerts: [string, Alert][] = Object.entries(ALERTS);
const panels = board().panels.flatMap((panel) => ('targets' in panel ? [panel] : []));
const queries = [
  ...alerts.map(([name, { expr }]) => ({ name, expr })),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: title, expr }))),
];

/** By the name of a series, the labels that it has: a histogram's are those of its buckets. */
const LABELS = new Map(
  Object.values<Metric>(METRIC).flatMap(({ name, kind, labels }): [string, string[]][] =>
    kind === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_count`, [...labels]],
        ]
      : [[name, [...labels]]],
  ),
);
/** What Prometheus adds to each, and what Temporal's own have. */
const OF_ALL = ['job', 'instance'];
const TEMPORALS = ['task_queue', 'poller_type', 'operation', 'le'];
const PROMETHEUS_OWN: Readonly<Record<string, string[]>> = { up: [], ALERTS: ['alertname', 'severity', 'alertstate'] };

test.each(queries)('$name asks for series and labels that there are', ({ expr }) => {
  const selected = [...expr.matchAll(/\b(payments_\w+|temporal_\w+|up|ALERTS)\b(?:\{(.*?)\})?/g)];
  expect(selected).not.toEqual([]);
  const labelsOf = (name: string) =>
    name.startsWith('temporal_') ? TEMPORALS : (LABELS.get(name) ?? PROMETHEUS_OWN[name]);
  for (const [, name = '', matchers = ''] of selected) {
    const labels = [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label);
    expect({ name, labels: [...(labelsOf(name) ?? [`there is no ${name}`]), ...OF_ALL] }).toEqual({
      name,
      labels: expect.arrayContaining(labels),
    });
  }
  const grouped = [...expr.matchAll(/\b(?:by|on) \((.*?)\)/g)].flatMap(([, by = '']) => by.split(', ').filter(Boolean));
  const known = selected.flatMap(([, name = '']) => labelsOf(name) ?? []);
  expect([...known, ...OF_ALL]).toEqual(expect.arrayContaining(grouped));
});

test('each metric has one panel, and each panel of a metric says what it means', () => {
  const listed = ROWS.flatMap(({ of }) => of);
  expect(listed.toSorted()).toEqual(Object.keys(METRIC).sort());
  for (const name of listed) {
    const { name: title, meaning }: Metric = METRIC[name];
    const found = panels.filter((panel) => panel.title === title);
    expect(found).toEqual([expect.objectContaining({ description: expect.stringContaining(meaning) })]);
  }
});

test('panels do not lie on one another', () => {
  const taken = board().panels.flatMap(({ gridPos }) => {
    const { x, y, w, h } = gridPos as { x: number; y: number; w: number; h: number };
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
  });
  expect(new Set(taken).size).toBe(taken.length);
});

test('each reason for attention is in one alert', () => {
  expect(Object.values(REASONS).flat().sort()).toEqual([...ATTENTION_WORDS, ...Object.keys(JOB_RUNBOOK)].sort());
});

test('each alert leads to a heading of the documents, whatever its reason', () => {
  const reasons: Readonly<Record<string, readonly string[]>> = REASONS;
  for (const [name, { runbook }] of alerts)
    for (const reason of reasons[name] ?? ['']) {
      const [file = '', anchor = ''] = runbook.replace('{{ $labels.reason }}', reason).split('#');
      expect([name, anchor, anchorsOf(`docs/${file}`).includes(anchor)]).toEqual([name, anchor, true]);
    }
});

test('each alert has its story, and no text of it has a label that the alert lacks', () => {
  const stories = ruleTests().tests;
  expect([...new Set(stories.map(({ name }) => name))]).toEqual(alerts.map(([name]) => name));
  for (const { alert_rule_test } of stories) {
    const fired = alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0);
    expect(fired).toHaveLength(1);
    expect(alert_rule_test.length - fired.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(fired)).not.toMatch(/\{\{|\(\)|: \./);
  }
});

/** What could charge, refund or lose something, in the words of an instruction. */
const DANGEROUS =
  /\b(again|anew|twice|repeat|retry|resend|terminate|reset|delete|cancel (?!accounts that nobody uses))/i;

test.each(alerts)(
  '%s says what to do in whole sentences, and nothing that could charge or refund twice',
  (_, alert) => {
    for (const text of [alert.summary, alert.act]) expect(text).toMatch(/^[A-Z`{].*\.$/);
    for (const sentence of alert.act.split(/(?<=[.:]) /))
      if (DANGEROUS.test(sentence)) expect(sentence).toMatch(/\b(none|nothing|never|no)\b/i);
  },
);

test.each([
  ['Create the order again.', true],
  ['Make none of them again elsewhere.', false],
])('a dangerous instruction is known: %s', (sentence, isDangerous) => {
  expect(DANGEROUS.test(sentence) && !/\b(none|nothing|never|no)\b/i.test(sentence)).toBe(isDangerous);
});
