// Prometheus and Alertmanager with the files of deploy/, asking the processes of a check; and who hears of alerts.

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../packed.mjs';
import { answers, start, until } from './programs.mjs';

export const DEPLOY = join(root, 'deploy');
const read = (file) => parse(readFileSync(join(DEPLOY, 'prometheus', file), 'utf8'));

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
const shorter = (text, by) =>
  text.replace(/^(\d+)([smhd])$/, (_, n, unit) => `${Math.ceil((n * SECONDS[unit]) / by)}s`);

/** The rules with every wait and every look back so many times shorter. What they ask stays. */
function shortened({ groups }, by) {
  const rule = ({ expr, for: during, ...rest }) => ({
    ...{ expr: expr.replace(/(?<=\[)\d+[smhd](?=\])/g, (range) => shorter(range, by)) },
    ...(during ? { for: shorter(during, by) } : {}),
    ...rest,
  });
  return { groups: groups.map(({ rules, ...rest }) => ({ ...rest, rules: rules.map(rule) })) };
}

/** Starts Prometheus, which asks each process every second. `metrics`: their addresses by the name that the configuration has. */
export async function startPrometheus(folder, { address, alertmanager, metrics, by }) {
  const config = read('prometheus.yml');
  writeFileSync(join(folder, 'rules.yml'), stringify(shortened(read('rules.yml'), by)));
  const scrape_configs = config.scrape_configs.map(({ job_name, dns_sd_configs }) => ({
    job_name,
    static_configs: [{ targets: dns_sd_configs.flatMap(({ names }) => names.map((name) => metrics[name])) }],
  }));
  const ours = {
    ...config,
    ...{ global: { scrape_interval: '1s', evaluation_interval: '1s' }, scrape_configs },
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
  };
  writeFileSync(join(folder, 'prometheus.yml'), stringify(ours));
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=${address}`,
    // An alert whose Prometheus is gone ends soon after.
    '--rules.alert.resend-delay=1s',
    '--log.level=warn',
  ];
  const program = start(folder, 'prometheus', 'prometheus', args);
  await until('Prometheus is ready', () => answers(`http://${address}/-/ready`), { of: program });
  return {
    async query(expr) {
      const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(expr)}`);
      const { status, data, error } = await answer.json();
      return { status, error, series: data?.result ?? [] };
    },
    async targets() {
      const answer = await fetch(`http://${address}/api/v1/targets?state=active`);
      return (await answer.json()).data.activeTargets;
    },
    async rules() {
      const answer = await fetch(`http://${address}/api/v1/rules?type=alert`);
      return (await answer.json()).data.groups.flatMap(({ rules }) => rules);
    },
  };
}

/** Starts Alertmanager with the example's routes; its receivers are here. */
export async function startAlertmanager(folder, { address, program: file }) {
  const heard = [];
  const receiver = createServer(async (request, response) => {
    const { alerts } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    for (const { status, labels } of alerts) heard.push({ by: request.url.slice(1), status, name: labels.alertname });
    response.end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const quick = ({ routes, ...route }) => ({
    ...{ ...route, group_wait: '1s', group_interval: '1s' },
    ...(routes ? { routes: routes.map(quick) } : {}),
  });
  const { route, receivers, ...config } = read('alertmanager.yml');
  const here = receivers.map(({ name, webhook_configs }) => ({
    name,
    webhook_configs: webhook_configs.map((one) => ({
      ...one,
      url: `http://127.0.0.1:${receiver.address().port}/${name}`,
    })),
  }));
  writeFileSync(join(folder, 'alertmanager.yml'), stringify({ ...config, route: quick(route), receivers: here }));
  const args = [
    `--config.file=${join(folder, 'alertmanager.yml')}`,
    `--storage.path=${join(folder, 'alertmanager')}`,
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
    '--log.level=warn',
  ];
  const program = start(folder, 'alertmanager', file, args);
  await until('Alertmanager is ready', () => answers(`http://${address}/-/ready`), { of: program });
  const alerts = async (name) => {
    const filter = encodeURIComponent(`alertname="${name}"`);
    return (await fetch(`http://${address}/api/v2/alerts?filter=${filter}`)).json();
  };
  return {
    alerts,
    /** Who heard of an alert that fires, or is `resolved`, since the check began. */
    heard: (name, status) => heard.filter((one) => one.name === name && one.status === status).map(({ by }) => by),
    forget: () => heard.splice(0),
    close: () => receiver.close(),
  };
}
