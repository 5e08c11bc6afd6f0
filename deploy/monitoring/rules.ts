/** The rules and rule tests of Prometheus, made from the alerts. */
import { ALERTS, type Alert, type AlertName } from './alerts';
import { type Labels, STORIES, type Story } from './stories';

const NAMES = Object.keys(ALERTS) as AlertName[];

/** Where the documents are, from the folder of the package. */
const DOCS = 'docs/';

const annotationsOf = ({ summary, act, runbook }: Alert) => ({
  summary,
  action: act,
  runbook_url: `${DOCS}${runbook}`,
});

/** deploy/prometheus/rules.yml. */
export const rules = () => ({
  groups: [
    {
      name: 'payments',
      rules: NAMES.map((alert) => {
        const { expr, for: during, severity }: Alert = ALERTS[alert];
        const annotations = annotationsOf(ALERTS[alert]);
        return { alert, expr, ...(during ? { for: during } : {}), labels: { severity }, annotations };
      }),
    },
  ],
});

/** A text as Prometheus shows it, with the values of the labels that it names. */
const shown = (text: string, labels: Labels) =>
  text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '');

function alertIn(name: AlertName, labels: Labels) {
  const { severity }: Alert = ALERTS[name];
  const annotations = Object.entries(annotationsOf(ALERTS[name])).map(([key, text]) => [key, shown(text, labels)]);
  return { exp_labels: { severity, ...labels }, exp_annotations: Object.fromEntries(annotations) };
}

function testOf(name: AlertName, { tells, fires, silent, labels = {} }: Story) {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(tells).map(([series, values]) => ({ series, values })),
    alert_rule_test: [
      ...silent.map((eval_time) => ({ alertname: name, eval_time, exp_alerts: [] })),
      { alertname: name, eval_time: fires, exp_alerts: [labels].flat().map((one) => alertIn(name, one)) },
    ],
  };
}

/** deploy/prometheus/rules.test.yml: each alert fires, and is silent before and after. */
export const ruleTests = () => ({
  rule_files: ['rules.yml'],
  evaluation_interval: '1m',
  tests: NAMES.flatMap((name) => [STORIES[name]].flat().map((story) => testOf(name, story))),
});
