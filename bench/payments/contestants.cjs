/** Who is compared: each has a worker and a webhook of its own, and all have the same server, simulator and driver. */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');
const { createInterface } = require('node:readline');
const { setTimeout } = require('node:timers/promises');
const { Client, Connection, WithStartWorkflowOperation } = require('@temporalio/client');
const { randomBytes } = require('node:crypto');
const { connectPayments } = require('../../lib/client');
const { freePort } = require('../../lib/cli/dev/temporal');

const SECRET = 'bench-secret';
const NAMES = ['floor', 'by-hand', 'ours', 'ours-encrypted'];
/** One app each at the simulated gateway. */
const APPS = NAMES.map((name) => ({ app_id: `bench-${name}`, secret_key: SECRET }));

const MEMORY_PROBE = ['--expose-gc', '--require', join(__dirname, '../memory-probe.cjs')];
/** The probe tells every five seconds; twice, so that what was left over is collected, too. */
const PROBED_MS = 11_000;

/**
 * Starts a contestant. `address`: of Temporal; `base_url`: of the gateway. `cached`: how many workflows its worker keeps;
 * `tellsMemory`: `memory()` tells the heaps of all its threads, in bytes.
 */
async function startContestant(name, { address, base_url }, { cached, tellsMemory = false } = {}) {
  const env = {
    ...(await environmentOf(name, address, base_url)),
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

/** It exits by itself, so that a profile is written. */
async function stopped(child) {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
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

async function started(name, role, env, options = []) {
  const { PATH, HOME } = process.env;
  const execArgv = [...(process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean), ...options];
  const stdio = ['ignore', 'inherit', options === MEMORY_PROBE ? 'pipe' : 'inherit', 'ipc'];
  const child = fork(join(__dirname, 'child.cjs'), [name, role], { env: { PATH, HOME, ...env }, execArgv, stdio });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`The ${role} of ${name} ended with ${code}`))),
  ]);
  return child;
}

/** What a merchant's backend does: `pay` answers with payment data, `outcome` with the end. */
async function ourMerchant(env) {
  const { payments, client, close } = await connectPayments(env);
  return { pay: (order) => payments.pay(order), outcome: (no) => payments.outcome(no), client, close };
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

module.exports = { APPS, NAMES, SECRET, environmentOf, startContestant, started, stopped };
