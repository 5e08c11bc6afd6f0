/**
 * A process of a contestant: its worker, or its webhook. `node child.cjs {contestant} {role}`, by `fork`: it sends a message once it
 * runs, and ends with its parent.
 */
const { createServer } = require('node:http');
const { join } = require('node:path');
const { Client, Connection } = require('@temporalio/client');
const { GatewayClient, isSignedBy } = require('../../lib/gateway');
const { loadConfig } = require('../../lib/process/settings');
const { telemetryOf } = require('../../lib/temporal/telemetry/from-settings');

const [, , contestant, role] = process.argv;
const { TEMPORAL_ADDRESS: address, GATEWAY_APP_ID: app_id, GATEWAY_SECRET_KEY: secret_key } = process.env;
const { PAYMENTS_TASK_QUEUE: taskQueue, GATEWAY_BASE_URL: base_url, WEBHOOK_PORT } = process.env;

/** How many workflows a worker keeps; by default as many as the SDK takes. */
const cache = process.env.BENCH_CACHED ? { maxCachedWorkflows: Number(process.env.BENCH_CACHED) } : {};

const ready = () => process.send?.('ready');
process.on('disconnect', () => process.exit());

/** The activities of the workflows that are written by hand. The call of the gateway is the same as ours. */
function activities() {
  const gateway = new GatewayClient({ app_id, secret_key, base_url });
  return {
    create: (order) => gateway.pay(order),
    query: async (out_trade_no) => {
      const { answer: _whole, ...trade } = await gateway.query({ out_trade_no });
      return trade;
    },
  };
}

async function handWrittenWorker() {
  const { NativeConnection, Worker } = require('@temporalio/worker');
  const connection = await NativeConnection.connect({ address });
  const workflowsPath = join(__dirname, 'workflows', `${contestant}.cjs`);
  const worker = await Worker.create({ connection, taskQueue, workflowsPath, activities: activities(), ...cache });
  ready();
  await worker.run();
}

/** A bare endpoint that verifies and signals. */
async function handWrittenWebhook() {
  const client = new Client({ connection: await Connection.connect({ address }) });
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (!isSignedBy(body, request.headers['service-signature'], [secret_key], 'hex')) {
      response.writeHead(401).end();
      return;
    }
    const { out_trade_no } = JSON.parse(body.toString());
    await client.workflow.getHandle(`payment:${app_id}:${out_trade_no}`).signal('notification');
    response.end('success');
  });
  server.listen(Number(WEBHOOK_PORT), '127.0.0.1', ready);
}

async function ourWorker() {
  const worker = await (cache.maxCachedWorkflows ? cachingWorker() : createOurs());
  ready();
  await worker.run();
}

async function createOurs() {
  const { createWorker } = require('../../lib/worker');
  const config = loadConfig(process.env);
  return createWorker(config, process.env, await telemetryOf('payments-worker', config));
}

/** As merchants make their own. */
async function cachingWorker() {
  const { NativeConnection, Worker } = require('@temporalio/worker');
  const { PaymentGatewayPlugin } = require('../../lib');
  const { builtBundle } = require('../../lib/temporal/workflow-bundle');
  const connection = await NativeConnection.connect({ address });
  const plugins = [new PaymentGatewayPlugin(loadConfig(process.env))];
  return Worker.create({ connection, taskQueue, plugins, workflowBundle: builtBundle(), ...cache });
}

async function ourWebhook() {
  const { startWebhook } = require('../../lib/webhook');
  const { createLogger } = require('../../lib/process/log');
  const config = loadConfig(process.env);
  const telemetry = await telemetryOf('payments-webhook', config);
  await startWebhook(config, process.env, createLogger('webhook', 'error'), { alone: true, telemetry });
  ready();
}

/** The SDK tells errors only. A webhook does not load the part of it that workers need. */
function quiet() {
  const { DefaultLogger, Runtime } = require('@temporalio/worker');
  Runtime.install({ logger: new DefaultLogger('ERROR') });
}

if (role === 'worker') quiet();
const isOurs = contestant.startsWith('ours');
const start = role === 'worker' ? [handWrittenWorker, ourWorker] : [handWrittenWebhook, ourWebhook];
start[isOurs ? 1 : 0]().catch((error) => {
  console.error(error);
  process.exit(1);
});
