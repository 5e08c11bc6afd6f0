// A shop whose processes tell metrics: Temporal's development server, the simulated gateway, worker, webhook and codec server.

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../packed.mjs';
import { answers, start, until } from './programs.mjs';

const require = createRequire(import.meta.url);
const { findTemporal, freePort, startDevServer } = require('../../lib/cli/dev/temporal');
const { makeKeys } = require('../../lib/cli/keys');
const { connectPayments } = require('../../lib/client');
const { scheduledJobs } = require('../../lib/contract');

const HOST = '127.0.0.1';
export const APP = 'test-app';
const MAIN = join(root, 'lib/cli/main.js');
const order = (name) => require(join(root, 'examples/orders', `${name}.json`)).request;
const account = require(join(root, 'examples/accounts/spei.json'));
const refund = require(join(root, 'examples/refunds/pix.json'));

export const freeAddress = async () => `${HOST}:${(await freePort(0)).port}`;

/** Starts everything in `folder` and pays some orders, so that each metric has a value. */
export async function openShop(folder) {
  const events = await eventReceiver();
  const [temporal, ui, simulatorPort, webhookPort, codecPort] = await Promise.all(
    Array.from({ length: 5 }, async () => (await freePort(0)).port),
  );
  const server = await startDevServer({
    ...{ binary: await findTemporal(), dbFile: join(folder, 'temporal.sqlite'), namespace: 'default' },
    ...{ host: HOST, port: temporal, uiPort: ui },
  });
  const keys = await makeKeys();
  const gateway = `http://${HOST}:${simulatorPort}`;
  const webhookUrl = `http://${HOST}:${webhookPort}`;
  const settings = {
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: server.namespace,
    GATEWAY_BASE_URL: gateway,
    GATEWAY_APP_ID: APP,
    GATEWAY_SECRET_KEY: 'secret-of-a-check',
    WEBHOOK_HOST: HOST,
    WEBHOOK_PORT: String(webhookPort),
    WEBHOOK_PUBLIC_URL: webhookUrl,
    CODEC_SERVER_HOST: HOST,
    CODEC_SERVER_PORT: String(codecPort),
    CODEC_SERVER_TOKEN: 'token-of-a-check-'.repeat(3),
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DATA_FILE: join(folder, 'simulator.json'),
    PAYMENTS_ENCRYPTION_KEYS: keys.encryption_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(keys.sealing_private_jwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(keys.sealing_public_jwk),
    PAYMENTS_EVENTS_URL: events.url,
    PAYMENTS_EVENTS_SECRETS: keys.events_secret,
    // Polls come soon, so that a gateway that is down is noticed in seconds; few calls a second, so that some are held back.
    PAYMENTS_POLL_SCHEDULE: '1s',
    PAYMENTS_POLL_EVERY: '1s',
    GATEWAY_CALLS_PER_SECOND: '10',
    GATEWAY_CIRCUIT_FAILURES: '5',
    GATEWAY_CIRCUIT_PAUSE: '1s',
    LOG_LEVEL: 'warn',
  };

  const places = {};
  for (const name of ['worker', 'webhook', 'codec-server'])
    places[name] = { metrics: await freeAddress(), health: await freeAddress() };
  const programs = {};
  async function run(name) {
    const { metrics, health } = places[name] ?? {};
    const own = metrics ? { METRICS_ADDRESS: metrics, HEALTH_ADDRESS: health } : {};
    const program = start(folder, name, process.execPath, [MAIN, name], { ...settings, ...own });
    programs[name] = program;
    const url = health ? `http://${health}/readyz` : `${gateway}/healthz`;
    await until(`${name} is ready`, () => answers(url), { of: program });
  }
  async function command(...args) {
    const program = start(folder, 'command', process.execPath, [MAIN, ...args], settings);
    await until(args.join(' '), () => program.isGone());
    return program.said();
  }

  await command('setup');
  for (const name of ['simulator', 'worker', 'webhook', 'codec-server']) await run(name);
  const connected = await connectPayments(settings);
  const { payments, client } = connected;
  let orders = 0;
  const shop = {
    metrics: Object.fromEntries(Object.entries(places).map(([name, { metrics }]) => [name, metrics])),
    webhook: `${webhookUrl}/ipn/${APP}`,
    run,
    command,
    stop: (name, signal) => programs[name].stop(signal),
    simulated: (path, body = {}) =>
      fetch(`${gateway}/simulator/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then(async (answer) => {
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        return answer.json();
      }),
    clearFaults: () => fetch(`${gateway}/simulator/faults`, { method: 'DELETE' }),
    /** An order that waits for its buyer. */
    async order() {
      orders += 1;
      const out_trade_no = `order-${orders}`;
      await payments.pay({ ...order('pix'), out_trade_no });
      return out_trade_no;
    },
    async paid() {
      const no = await shop.order();
      await shop.simulated(`trades/${no}/pay`);
      await payments.outcome(no);
      return no;
    },
    /** Has a job do its work now. */
    async work(job) {
      const { schedule_id } = scheduledJobs([APP]).find((one) => one.schedule_id.includes(job));
      const handle = client.schedule.getHandle(schedule_id);
      // The oldest comes first.
      const last = async () => (await handle.describe()).info.recentActions.at(-1)?.action.workflow.workflowId;
      const before = await last();
      await handle.trigger();
      await until(`${job} has begun`, async () => (await last()) !== before);
      await client.workflow.getHandle(await last()).result();
    },
    /** Stops the server in the middle of what it does, or has it go on. */
    temporal: (signal) => process.kill(-server.processGroup, signal),
    payments,
    client,
    async close() {
      await connected.close();
      await server.stop();
      events.close();
    },
  };
  return shop;
}

/** What happens in a shop in a year, in a minute: every metric gets a value. */
export async function live(shop) {
  const { payments, client } = shop;
  const sold = await shop.paid();
  await Promise.all(Array.from({ length: 5 }, () => shop.paid()));
  // At a rate of ten calls a second some of their polls are held back.
  await Promise.all(Array.from({ length: 10 }, () => shop.order()));
  await payments.refund(sold, { ...refund, out_request_no: 'refund-1' });
  const { account_id } = await payments.accounts.create(account, { key: 'buyer-1' });
  await shop.simulated(`accounts/${account_id}/deposits`, { amount: '10.00' });
  await until('the deposit is counted', async () => (await payments.accounts.get(account_id)).deposits.count === 1);
  await payments.accounts.quantity();
  const period = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' };
  const workflowId = `reconciliation:${APP}:check`;
  const rows = [{ out_trade_no: 'nobody-has-it', order_amount: '1.00', status: 'paid' }];
  const args = [{ app_id: APP, ...period, rows }];
  const books = await client.workflow.start('reconciliation', { workflowId, taskQueue: 'payments', args });
  await until('the books are compared', async () => (await books.query('state')).finished);
  await shop.command('resolve', workflowId, '--by', 'check', '--reason', 'it is no order');
  await shop.work('sweep');
  await shop.work('reconciliation');
}

/** Takes every event. */
async function eventReceiver() {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise((resolve) => server.listen(0, HOST, resolve));
  return { url: `http://${HOST}:${server.address().port}/events`, close: () => server.close() };
}
