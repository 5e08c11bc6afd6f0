// `npm run monitoring:check`: the alerts and the board, on a real Prometheus that asks our real processes. Then the alerts that matter
// most are brought about: each reaches Alertmanager and whoever it is for, and falls silent once it is mended.
// `--no-alerts` leaves these out; `--shorter 20` (the default) makes each wait and look back of the rules so many times shorter.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopPrograms, until } from './monitoring/programs.mjs';
import { DEPLOY, startAlertmanager, startPrometheus } from './monitoring/prometheus.mjs';
import { root } from './packed.mjs';

const { values } = parseArgs({
  options: { 'no-alerts': { type: 'boolean', default: false }, shorter: { type: 'string', default: '20' } },
});
const by = Number(values.shorter);

const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
// Debian gives Alertmanager a name of its own.
const alertmanagerProgram = ['prometheus-alertmanager', 'alertmanager'].find(has);
const missing = [
  ...(has('promtool') && has('prometheus') ? [] : ['prometheus']),
  ...(values['no-alerts'] || alertmanagerProgram ? [] : ['prometheus-alertmanager']),
];
if (missing.length > 0) {
  console.error(`The check needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`);
  process.exit(1);
}

// The rest needs the built package, for which whoever lacks a program need not wait.
execFileSync(process.execPath, [join(root, 'scripts/build-if-changed.cjs')], { stdio: 'inherit' });
const { freeAddress, live, openShop } = await import('./monitoring/shop.mjs');

let failures = 0;
function say(isGood, what) {
  if (!isGood) failures += 1;
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}`);
}

/** Says how a program ended that should print no complaint. */
function checked(what, file, args, input) {
  try {
    execFileSync(file, args, { cwd: join(DEPLOY, 'prometheus'), input, stdio: 'pipe' });
    say(true, what);
  } catch ({ stdout, stderr }) {
    say(false, `${what}\n${stdout}${stderr}`);
  }
}

checked('promtool check rules', 'promtool', ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yml']);
checked('promtool check config', 'promtool', ['check', 'config', 'prometheus.yml']);
checked('promtool test rules', 'promtool', ['test', 'rules', 'rules.test.yml']);
if (has('amtool')) checked('amtool check-config', 'amtool', ['check-config', 'alertmanager.yml']);

const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
let shop;
let alertmanager;
try {
  shop = await openShop(folder);
  const [address, alertmanagerAddress] = [await freeAddress(), await freeAddress()];
  const prometheus = await startPrometheus(folder, {
    ...{ address, alertmanager: alertmanagerAddress, metrics: shop.metrics, by },
  });
  await live(shop);
  await lintMetrics();
  await askAll(prometheus);
  if (!values['no-alerts']) {
    alertmanager = await startAlertmanager(folder, { address: alertmanagerAddress, program: alertmanagerProgram });
    await bringAbout(prometheus);
  }
} catch (error) {
  say(false, String(error.stack));
} finally {
  alertmanager?.close();
  await stopPrograms();
  await shop?.close();
  if (failures === 0) rmSync(folder, { recursive: true, maxRetries: 5 });
  else console.log(`What the programs said is in ${folder}.`);
}
console.log(failures === 0 ? 'All of it holds.' : `${failures} failed.`);
process.exit(failures === 0 ? 0 : 1);

/** Our names, as Prometheus wants them. Temporal's own keep the names that its published boards read. */
async function lintMetrics() {
  for (const [name, address] of Object.entries(shop.metrics)) {
    const text = await (await fetch(`http://${address}/metrics`)).text();
    const ours = text.split('\n').filter((line) => /^(# (HELP|TYPE) )?payments_/.test(line));
    checked(
      `promtool check metrics: ${ours.length} lines of ours from the ${name}`,
      'promtool',
      ['check', 'metrics'],
      `${ours.join('\n')}\n`,
    );
  }
}

/** Each query of the board and of the alerts is answered; a panel shows something where its metric exists. */
async function askAll(prometheus) {
  await until('each process is asked', async () => (await prometheus.targets()).every(({ health }) => health === 'up'));
  // So long that each look back of the board holds several values.
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/payments.json'), 'utf8'));
  const asked = (expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$app', '.*');
  const shown = [];
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const { status, error, series } = await prometheus.query(asked(expr));
      if (status !== 'success') say(false, `the panel ${title}: ${error}`);
      const there = await prometheus.query(`count({__name__=~"${title}(_bucket)?"})`);
      if (there.series.length > 0 && series.length === 0) say(false, `the panel ${title} is empty: ${expr}`);
      if (series.length > 0) shown.push(title);
    }
  }
  const titles = panels.flatMap(({ title, targets }) => (targets ? [title] : []));
  const empty = titles.filter((title) => !shown.includes(title));
  const said = empty.length > 0 ? `; of a metric that was not told yet: ${empty.join(', ')}` : '';
  say(true, `${titles.length} panels are answered, ${titles.length - empty.length} show something${said}`);
  const rules = await prometheus.rules();
  for (const { name, query } of rules) {
    const { status, error } = await prometheus.query(query);
    if (status !== 'success') say(false, `the alert ${name}: ${error}`);
  }
  say(
    rules.every(({ health }) => health === 'ok'),
    `${rules.length} alerts are answered`,
  );
  const isQuiet = async () => (await prometheus.rules()).every(({ state }) => state !== 'firing');
  const quiet = await until('no alert fires', isQuiet, { seconds: 60 }).catch(() => undefined);
  const firing = (await prometheus.rules()).filter(({ state }) => state === 'firing').map(({ name }) => name);
  say(quiet !== undefined, `no alert fires while all is well${firing.length > 0 ? `: ${firing.join(', ')}` : ''}`);
}

/** Brings alerts about, each with what mends it. */
async function bringAbout() {
  await story({
    ...{ alert: 'PaymentsGatewayDown', to: 'on-call', begin: 'the gateway is killed', end: 'it runs again' },
    breaks: () => shop.stop('simulator', 'SIGKILL'),
    mends: () => shop.run('simulator'),
    // The circuit opens, too; one outage is told once.
    ...{ beside: 'PaymentsCircuitOpen', isInhibited: true },
  });
  const [one, two, three] = await Promise.all([shop.order(), shop.order(), shop.order()]);
  await story({
    ...{
      alert: 'PaymentsCallsUnanswered',
      to: 'tickets',
      begin: 'queries of some orders get a 502',
      end: 'they are answered',
    },
    breaks: async () => {
      for (const out_trade_no of [one, two, three])
        await shop.simulated('faults', { on: 'query', fault: '5xx-before', out_trade_no, times: 1_000 });
    },
    mends: () => shop.clearFaults(),
  });
  let forging;
  await story({
    ...{ alert: 'PaymentsNotificationsRefused', to: 'tickets', begin: 'unsigned posts come', end: 'no more come' },
    breaks: async () => {
      forging = setInterval(forge, 250);
    },
    mends: async () => clearInterval(forging),
  });
  clearInterval(forging);
  await story({
    ...{ alert: 'PaymentsNoPoller', to: 'on-call', begin: 'the only worker is stopped', end: 'it runs again' },
    breaks: () => shop.stop('worker'),
    mends: () => shop.run('worker'),
    beside: 'PaymentsNotScraped',
  });
  await story({
    ...{ alert: 'PaymentsTemporalUnanswered', to: 'on-call', begin: 'Temporal is stopped', end: 'it goes on' },
    breaks: async () => shop.temporal('SIGSTOP'),
    mends: async () => shop.temporal('SIGCONT'),
  });
  const sold = await shop.paid();
  await story({
    ...{ alert: 'PaymentsNeedPerson', to: 'tickets', begin: 'a chargeback is swept', end: 'it is resolved, and swept' },
    breaks: async () => {
      await shop.simulated(`trades/${sold}/chargeback`);
      const isListed = async () => (await shop.client.workflow.count("PaymentAttention = 'chargeback'")).count === 1;
      await until('the chargeback is listed', isListed);
      await shop.work('sweep');
    },
    mends: async () => {
      await shop.command('resolve', sold, '--by', 'check', '--reason', 'seen');
      const isListed = async () => (await shop.client.workflow.count("PaymentAttention = 'chargeback'")).count === 0;
      await until('the chargeback is no longer listed', isListed);
      await shop.work('sweep');
    },
  });
}

/** Posts a notification that nobody signed, to whom nothing is answered but a refusal. */
async function forge() {
  const { status } = await fetch(shop.webhook, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'service-signature': '0'.repeat(64) },
    body: JSON.stringify({ out_trade_no: 'order-1', trade_status: 'SUCCESS' }),
  });
  if (status !== 401 && status !== 429) say(false, `a forged notification got ${status}`);
}

/** Breaks something, waits until the alert has reached Alertmanager and its receiver, mends it, and waits for the end of both. */
async function story({ alert, to, begin, end, breaks, mends, beside, isInhibited = false }) {
  const active = async (name) => (await alertmanager.alerts(name)).length > 0;
  const others = beside ? [beside] : [];
  alertmanager.forget();
  try {
    await breaks();
    const { seconds: after } = await until(`${alert} is in Alertmanager`, () => active(alert));
    await until(`${alert} was told`, () => alertmanager.heard(alert, 'firing').length > 0);
    for (const name of others) await until(`${name} is in Alertmanager`, () => active(name));
    const [other] = beside ? await alertmanager.alerts(beside) : [];
    const state = other?.status.state;
    if (isInhibited && state !== 'suppressed') throw new Error(`${beside} is told beside ${alert}: ${state}`);
    const hearers = new Set(alertmanager.heard(alert, 'firing'));
    if (hearers.size !== 1 || !hearers.has(to)) throw new Error(`${alert} was told to ${[...hearers]}, not ${to}`);
    await mends();
    const { seconds: silent } = await until(`${alert} has ended`, async () => !(await active(alert)));
    await until(`the end of ${alert} was told`, () => alertmanager.heard(alert, 'resolved').length > 0);
    for (const name of others) await until(`${name} has ended`, async () => !(await active(name)));
    const with_ = beside ? `, with ${beside}${isInhibited ? ' (inhibited)' : ''}` : '';
    say(true, `${alert}: fires ${after} s after ${begin}${with_}; told to ${to}; silent ${silent} s after ${end}`);
  } catch (error) {
    say(false, `${alert}: ${error.message}`);
  }
}
