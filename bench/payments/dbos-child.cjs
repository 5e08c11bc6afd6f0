/**
 * A process of the contestant on DBOS Transact: the merchant's backend, which runs the workflows itself, or the webhook.
 * `node dbos-child.cjs {role}`, by `fork`: it sends a message once it runs, and ends with its parent.
 */
const { createServer } = require('node:http');
const { json } = require('node:stream/consumers');
const { DBOS, DBOSClient } = require('@dbos-inc/dbos-sdk');
const { GatewayClient, isSignedBy } = require('../../lib/gateway');

const [, , role] = process.argv;
const { DATABASE_URL: systemDatabaseUrl, WORKER_PORT, WEBHOOK_PORT } = process.env;
const { GATEWAY_APP_ID: app_id, GATEWAY_SECRET_KEY: secret_key, GATEWAY_BASE_URL: base_url } = process.env;

/** As many as Temporal's worker has activities and workflows at once by default is no use: PostgreSQL takes 100 connections. */
const CONNECTIONS = 40;

const listening = (port, answer) =>
  createServer(answer).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit());

/** In seconds, as those of workflows/by-hand.cjs. */
const PAUSES = [15, 15, 30, 60, 180, 300, 1200];
const HOURLY = 3600;
const LAST_POLL = 24;
const FINAL = ['SUCCESS', 'REFUSED', 'CANCEL', 'EXPIRED'];

/** The same life as that of workflows/by-hand.cjs. */
function lifecycle() {
  const gateway = new GatewayClient({ app_id, secret_key, base_url });
  const repeated = { retriesAllowed: true, maxAttempts: 10 };
  const create = async (order) => {
    const { answer: _whole, ...data } = await gateway.pay(order);
    return data;
  };
  const query = async (out_trade_no) => (await gateway.query({ out_trade_no })).trade_status;
  return async (order) => {
    const data = await DBOS.runStep(() => create(order), { name: 'create', ...repeated });
    await DBOS.setEvent('data', data);
    let { trade_status } = data;
    for (let poll = 0; poll < PAUSES.length + LAST_POLL && !FINAL.includes(trade_status); poll += 1) {
      await DBOS.recv('notification', PAUSES[poll] ?? HOURLY);
      trade_status = await DBOS.runStep(() => query(order.out_trade_no), { name: 'query', ...repeated });
    }
    return { trade_status };
  };
}

/** `POST /pay` answers with payment data, `POST /outcome` with the end. */
async function backend() {
  const pay = DBOS.registerWorkflow(lifecycle(), { name: 'pay' });
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl, systemDatabasePoolSize: CONNECTIONS, logLevel: 'error' });
  await DBOS.launch();
  const running = new Map();
  const answers = {
    '/pay': async (order) => {
      const handle = await DBOS.startWorkflow(pay, { workflowID: order.out_trade_no })(order);
      running.set(order.out_trade_no, handle);
      return DBOS.getEvent(order.out_trade_no, 'data');
    },
    '/outcome': async ({ out_trade_no }) => {
      const outcome = await running.get(out_trade_no).getResult();
      running.delete(out_trade_no);
      return outcome;
    },
  };
  listening(WORKER_PORT, async (request, response) => {
    const answer = await answers[request.url](await json(request));
    response.end(JSON.stringify(answer));
  });
}

/** A bare endpoint that verifies and sends. */
async function webhook() {
  const client = await DBOSClient.create({ systemDatabaseUrl, applicationName: 'bench' });
  listening(WEBHOOK_PORT, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (!isSignedBy(body, request.headers['service-signature'], [secret_key], 'hex')) {
      response.writeHead(401).end();
      return;
    }
    await client.send(JSON.parse(body.toString()).out_trade_no, true, 'notification');
    response.end('success');
  });
}

(role === 'worker' ? backend : webhook)().catch((error) => {
  console.error(error);
  process.exit(1);
});
