/** One round of a contestant: so many payments, so many at once, over the whole path from the call to the outcome. */
const { performance } = require('node:perf_hooks');
const { setTimeout } = require('node:timers/promises');
const { cpuOf, cpuOfGroup, percentile } = require('./measure.cjs');

/** Longer than the server keeps its counts to itself. */
const METRICS_MS = 3_000;

let number = 0;

const ORDER = {
  method: 'PIX',
  order_currency: 'BRL',
  order_amount: '150.00',
  subject: 'Two tickets',
  buyer_id: 'buyer-1',
  timeout_express: '90m',
  customer: { name: 'Mariana Souza Lima' },
};

/** One payment: payment data, then the buyer pays, the gateway notifies, and the outcome is known. Times in ms. */
async function onePayment({ name, merchant }, simulator) {
  number += 1;
  const out_trade_no = `${name}-${process.pid}-${number}`;
  const called = performance.now();
  await merchant.pay({ ...ORDER, out_trade_no });
  const answered = performance.now();
  const outcome = merchant.outcome(out_trade_no);
  await simulator.pay(out_trade_no);
  const { outcome: said, trade_status } = await outcome;
  if ((said ?? trade_status) !== 'SUCCESS') throw new Error(`${out_trade_no} ended as ${said ?? trade_status}`);
  return { toData: answered - called, toOutcome: performance.now() - answered };
}

/** The figures of a round; CPU in ms a payment. */
async function round(contestant, { simulator, temporalGroup }, { payments, inFlight }) {
  const cpu = () => ({
    server: contestant.serverCpu?.() ?? cpuOfGroup(temporalGroup),
    worker: cpuOf(contestant.pids.worker),
    webhook: cpuOf(contestant.pids.webhook),
  });
  const before = cpu();
  const began = performance.now();
  let left = payments;
  const times = [];
  const buyer = async () => {
    while (left > 0) {
      left -= 1;
      times.push(await onePayment(contestant, simulator));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, buyer));
  const seconds = (performance.now() - began) / 1000;
  const after = cpu();
  const toData = times.map((one) => one.toData);
  const toOutcome = times.map((one) => one.toOutcome);
  return {
    'payments/s': payments / seconds,
    'to data p50, ms': percentile(toData, 0.5),
    'to data p99, ms': percentile(toData, 0.99),
    'to outcome p50, ms': percentile(toOutcome, 0.5),
    'to outcome p99, ms': percentile(toOutcome, 0.99),
    ...Object.fromEntries(
      Object.keys(before).map((part) => [`CPU of ${part}, ms`, (after[part] - before[part]) / payments]),
    ),
  };
}

/** The actions that Temporal's server has counted in a namespace so far: what Temporal Cloud would bill. */
async function actionsOf(metricsUrl) {
  const metrics = await (await fetch(metricsUrl)).text();
  const counted = [...metrics.matchAll(/^action\{.*namespace="default".*\} (\S+)$/gm)].map(([, count]) =>
    Number(count),
  );
  return counted.reduce((sum, count) => sum + count, 0);
}

/** What one payment leaves in Temporal: it is exact, so one is enough. Nothing else may run. Nothing of one that is elsewhere. */
async function traceOf({ name, merchant, app_id }, { simulator, metricsUrl }) {
  if (!merchant.client) return {};
  const out_trade_no = `${name}-${process.pid}-trace`;
  const before = await settledActions(metricsUrl);
  await merchant.pay({ ...ORDER, out_trade_no });
  await simulator.pay(out_trade_no);
  await merchant.outcome(out_trade_no);
  const handle = merchant.client.workflow.getHandle(`payment:${app_id}:${out_trade_no}`);
  const { events = [] } = await handle.fetchHistory();
  const { historySize } = await handle.describe();
  return {
    events: events.length,
    bytes: historySize,
    'workflow tasks': events.filter((event) => event.workflowTaskCompletedEventAttributes).length,
    'billable actions': (await settledActions(metricsUrl)) - before,
  };
}

/** The server tells its metrics once a second. Waits until they stay. */
async function settledActions(metricsUrl) {
  for (let seen = -1; ; ) {
    const now = await actionsOf(metricsUrl);
    if (now === seen) return now;
    seen = now;
    await setTimeout(METRICS_MS);
  }
}

module.exports = { ORDER, round, traceOf };
