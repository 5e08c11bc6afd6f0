/**
 * The gateway's client alone: queries of one trade, BENCH_CALLS (2,000) a round, ten at once, by our client and by bare undici. Each
 * contestant is a process of its own. CPU in ms a call.
 */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');
const { startSimulator } = require('../../lib/simulator');
const { stopped } = require('../payments/children.cjs');
const { APPS, SECRET } = require('../payments/contestants.cjs');
const { ORDER } = require('../payments/round.cjs');

const CALLS = Number(process.env.BENCH_CALLS ?? '2000');

async function contestants(parts) {
  const simulator = await startSimulator({ apps: APPS });
  parts.push(() => simulator.close());
  return Promise.all(['by-hand', 'ours'].map((name) => contestant(name, simulator.url, parts)));
}

async function contestant(name, url, parts) {
  const order = { ...ORDER, out_trade_no: `client-${name}`, notify_url: 'http://127.0.0.1:9' };
  const child = fork(join(__dirname, 'client-child.cjs'), [name, url, APPS[0].app_id, SECRET, JSON.stringify(order)]);
  parts.push(() => stopped(child));
  await once(child, 'message');
  const measure = async () => {
    child.send(CALLS);
    const [{ seconds, cpu_ms }] = await once(child, 'message');
    return { 'calls/s': CALLS / seconds, 'CPU, ms': cpu_ms / CALLS };
  };
  return { name, measure };
}

module.exports = { title: 'The client of the gateway alone, a query (by hand: bare undici)', contestants };
