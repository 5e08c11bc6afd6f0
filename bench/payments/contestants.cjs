/** Who is compared: each has a worker and a webhook of its own, and all have the same server, simulator and driver. */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { join } = require('node:path');
const { Client, Connection, WithStartWorkflowOperation } = require('@temporalio/client');
const { randomBytes } = require('node:crypto');
const { connectPayments } = require('../../lib/client');
const { freePort } = require('../../lib/cli/dev/temporal');

const SECRET = 'bench-secret';
const NAMES = ['floor', 'by-hand', 'ours', 'ours-encrypted'];
/** One app each at the simulated gateway. */
const APPS = NAMES.map((name) => ({ app_id: `bench-${name}`, secret_key: SECRET }));

/** Starts a contestant. `address`: of Temporal; `base_url`: of the gateway. */
async function startContestant(name, { address, base_url }) {
  const env = await environmentOf(name, address, base_url);
  const began = Date.now();
  const worker = await started(name, 'worker', env);
  const start_s = (Date.now() - began) / 1000;
  const webhook = await started(name, 'webhook', env);
  const merchant = await (name.startsWith('ours') ? ourMerchant(env) : handWrittenMerchant(env));
  const stop = async () => {
    await merchant.close();
    for (const child of [worker, webhook]) {
      // It exits by itself, so that a profile is written.
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    }
  };
  return {
    name,
    merchant,
    app_id: env.GATEWAY_APP_ID,
    pids: { worker: worker.pid, webhook: webhook.pid },
    start_s,
    stop,
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

async function started(name, role, env) {
  const { PATH, HOME } = process.env;
  const execArgv = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
  const child = fork(join(__dirname, 'child.cjs'), [name, role], { env: { PATH, HOME, ...env }, execArgv });
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

module.exports = { APPS, NAMES, startContestant };
