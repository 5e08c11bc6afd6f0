/** Who is compared: each has a worker and a webhook of its own; all have the same simulator and driver, and, but for DBOS, server. */
const { once } = require('node:events');
const { createServer } = require('node:http');
const { join } = require('node:path');
const { createInterface } = require('node:readline');
const { setTimeout } = require('node:timers/promises');
const { Client, Connection, WithStartWorkflowOperation } = require('@temporalio/client');
const { randomBytes } = require('node:crypto');
const { connectPayments } = require('../../lib/client');
const { loadConfig } = require('../../lib/process/settings');
const { telemetryOf } = require('../../lib/temporal/telemetry/from-settings');
const { freePort } = require('../../lib/cli/dev/temporal');
const { forked, stopped } = require('./children.cjs');
const { startDbos } = require('./dbos.cjs');

const SECRET = 'bench-secret';
const NAMES = ['floor', 'by-hand', 'ours', 'ours-encrypted'];
const DBOS = 'dbos';
/** Ours with traces in all its processes. Only where BENCH_CONTESTANTS names it, such as `ours,ours-traced`. */
const TRACED = 'ours-traced';
/** One app each at the simulated gateway. */
const APPS = [...NAMES, TRACED, DBOS].map((name) => ({ app_id: `bench-${name}`, secret_key: SECRET }));

const MEMORY_PROBE = ['--expose-gc', '--require', join(__dirname, '../memory-probe.cjs')];
/** The probe tells every five seconds; twice, so that what was left over is collected, too. */
const PROBED_MS = 11_000;

/**
 * Starts a contestant. `address`: of Temporal; `base_url`: of the gateway. `cached`: how many workflows its worker keeps;
 * `tellsMemory`: `memory()` tells the heaps of all its threads, in bytes.
 */
async function startContestant(name, { address, base_url }, { cached, tellsMemory = false } = {}) {
  if (name === DBOS) return startDbos({ app_id: `bench-${name}`, secret_key: SECRET, base_url });
  const collector = name === TRACED ? await startCollector() : undefined;
  const env = {
    ...(await environmentOf(name, address, base_url)),
    ...(collector ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {}),
    ...(cached === undefined ? {} : { BENCH_CACHED: String(cached) }),
  };
  const began = Date.now();
  const worker = await started(name, 'worker', env, tellsMemory ? MEMORY_PROBE : []);
  const memory = tellsMemory ? memoryOf(worker) : undefined;
  const start_s = (Date.now() - began) / 1000;
  const webhook = await started(name, 'webhook', env);
  const merchant = await (name.startsWith('ours') ? ourMerchant(env) : handWrittenMerchant(env));
  const stop = async () => {
    await merchant.close();
    for (const child of [worker, webhook]) await stopped(child);
    collector?.close();
  };
  return {
    name,
    merchant,
    app_id: env.GATEWAY_APP_ID,
    pids: { worker: worker.pid, webhook: webhook.pid },
    start_s,
    memory,
    stop,
  };
}

/** Takes traces, and does nothing with them. */
async function startCollector() {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => server.close().closeAllConnections();
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Answers with the sum of what each thread has told last, once each has told it anew. */
function memoryOf(worker) {
  const heaps = new Map();
  createInterface({ input: worker.stderr }).on('line', (line) => {
    const told = /^\{"memory":/.test(line) ? JSON.parse(line).memory : undefined;
    if (told) heaps.set(told.thread, told.heap);
    else process.stderr.write(`${line}\n`);
  });
  return async () => {
    await setTimeout(PROBED_MS);
    return [...heaps.values()].reduce((sum, heap) => sum + heap, 0);
  };
}

async function environmentOf(name, address, base_url) {
  const { port } = await freePort(0);
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: 'default',
    GATEWAY_BASE_URL: base_url,
    GATEWAY_APP_ID: `bench-${name}`,
    GATEWAY_SECRET_KEY: SECRET,
    GATEWAY_CALLS_PER_SECOND: '10000',
    PAYMENTS_TASK_QUEUE: `bench-${name}`,
    WEBHOOK_HOST: '127.0.0.1',
    WEBHOOK_PORT: String(port),
    WEBHOOK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOK_LIMIT_OVERALL: '1000000',
    WEBHOOK_LIMIT_IN_FLIGHT: '1000',
    LOG_LEVEL: 'error',
    ...(name === 'ours-encrypted'
      ? { PAYMENTS_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}` }
      : { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' }),
  };
}

function started(name, role, env, execArgv = []) {
  const stdio = ['ignore', 'inherit', execArgv === MEMORY_PROBE ? 'pipe' : 'inherit', 'ipc'];
  return forked('child.cjs', [name, role], { env, stdio, execArgv });
}

/** What a merchant's backend does: `pay` answers with payment data, `outcome` with the end. */
async function ourMerchant(env) {
  const telemetry = await telemetryOf('shop', loadConfig(env));
  const { payments, client, close } = await connectPayments(env, undefined, { telemetry });
  const closeAll = () => Promise.all([close(), telemetry?.close()]);
  return { pay: (order) => payments.pay(order), outcome: (no) => payments.outcome(no), client, close: closeAll };
}

async function handWrittenMerchant({
  TEMPORAL_ADDRESS: address,
  GATEWAY_APP_ID,
  PAYMENTS_TASK_QUEUE: taskQueue,
  ...env
}) {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const notify_url = `${env.WEBHOOK_PUBLIC_URL}/ipn`;
  const workflowId = (no) => `payment:${GATEWAY_APP_ID}:${no}`;
  return {
    client,
    close: () => connection.close(),
    outcome: (no) => client.workflow.getHandle(workflowId(no)).result(),
    pay: (order) =>
      client.workflow.executeUpdateWithStart('created', {
        startWorkflowOperation: new WithStartWorkflowOperation('pay', {
          workflowId: workflowId(order.out_trade_no),
          taskQueue,
          args: [{ notify_url, ...order }],
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
  };
}

module.exports = { APPS, DBOS, NAMES, SECRET, environmentOf, startContestant, started };
