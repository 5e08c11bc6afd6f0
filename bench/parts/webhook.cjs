/**
 * The webhook alone: genuine notifications, BENCH_CALLS (2,000) a round, ten at once, each of a payment that runs. No worker takes the
 * signals, so nothing else uses the machine. CPU in ms a notification.
 */
const { performance } = require('node:perf_hooks');
const { Client, Connection } = require('@temporalio/client');
const { Pool } = require('undici');
const { signatureHeader } = require('../../lib/gateway');
const { stopped } = require('../payments/children.cjs');
const { environmentOf, SECRET, started } = require('../payments/contestants.cjs');
const { cpuOf, cpuOfGroup, percentile } = require('../payments/measure.cjs');
const { startServer } = require('../payments/server.cjs');

const CALLS = Number(process.env.BENCH_CALLS ?? '2000');
const AT_ONCE = 10;
/** Temporal takes a few thousand signals a workflow. */
const PAYMENTS = 50;
const FIRST_SECOND = Date.parse('2026-11-23T00:00:00Z');

/** Never twice the same: ours answers a notification that it has delivered already by itself. */
let notifications = 0;

async function contestants(parts) {
  const server = await startServer();
  parts.push(server.stop);
  const connection = await Connection.connect({ address: server.address });
  parts.push(() => connection.close());
  const client = new Client({ connection });
  return Promise.all(['by-hand', 'ours'].map((name) => contestant(name, { server, client, parts })));
}

async function contestant(name, { server, client, parts }) {
  const env = await environmentOf(name, server.address, 'http://127.0.0.1:9');
  for (let i = 0; i < PAYMENTS; i += 1)
    await client.workflow.start('payment', {
      workflowId: `payment:${env.GATEWAY_APP_ID}:order-${i}`,
      taskQueue: 'nobody',
    });
  const webhook = await started(name, 'webhook', env);
  parts.push(() => stopped(webhook));
  const pool = new Pool(env.WEBHOOK_PUBLIC_URL, { connections: AT_ONCE });
  parts.push(() => pool.close());
  const cpu = () => ({ webhook: cpuOf(webhook.pid), server: cpuOfGroup(server.processGroup) });
  const notify = () => send(pool, env.GATEWAY_APP_ID);
  // Warm: the first calls compile what all need.
  await Promise.all(Array.from({ length: PAYMENTS }, notify));
  return { name, measure: () => measure(cpu, notify) };
}

async function measure(cpu, notify) {
  const [before, began] = [cpu(), performance.now()];
  const times = [];
  let sent = 0;
  const sender = async () => {
    while (sent < CALLS) {
      sent += 1;
      const at = performance.now();
      await notify();
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  const [seconds, after] = [(performance.now() - began) / 1_000, cpu()];
  return {
    'notifications/s': CALLS / seconds,
    'p50, ms': percentile(times, 0.5),
    'p99, ms': percentile(times, 0.99),
    'CPU of webhook, ms': (after.webhook - before.webhook) / CALLS,
    'CPU of server, ms': (after.server - before.server) / CALLS,
  };
}

async function send(pool, app_id) {
  notifications += 1;
  const i = notifications % PAYMENTS;
  const timestamp = new Date(FIRST_SECOND + notifications * 1_000).toISOString().replace('T', ' ').slice(0, 19);
  const body = JSON.stringify({
    ...{ app_id, out_trade_no: `order-${i}`, trade_no: `2026112300${i}`, method: 'PIX' },
    ...{ trade_status: 'PROCESSING', currency: 'BRL', amount: '150.00', timestamp },
  });
  const headers = {
    'content-type': 'application/json',
    'service-signature': signatureHeader(Buffer.from(body), SECRET, 'hex', 0),
  };
  const { statusCode, body: answer } = await pool.request({ method: 'POST', path: `/ipn/${app_id}`, headers, body });
  const text = await answer.text();
  if (statusCode !== 200) throw new Error(`The webhook answered ${statusCode}: ${text}`);
}

module.exports = { title: 'The webhook alone, a notification', contestants };
