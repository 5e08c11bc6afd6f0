/** The contestant on another engine: DBOS Transact, which keeps its workflows in PostgreSQL. It has a server of its own. */
const { Agent, request } = require('undici');
const { freePort } = require('../../lib/cli/dev/temporal');
const { forked, stopped } = require('./children.cjs');
const { startPostgres } = require('./postgres.cjs');

async function startDbos({ app_id, secret_key, base_url }) {
  const postgres = await startPostgres();
  const [workerPort, webhookPort] = await Promise.all([0, 0].map(async (any) => (await freePort(any)).port));
  const env = {
    DATABASE_URL: postgres.url,
    WORKER_PORT: String(workerPort),
    WEBHOOK_PORT: String(webhookPort),
    GATEWAY_APP_ID: app_id,
    GATEWAY_SECRET_KEY: secret_key,
    GATEWAY_BASE_URL: base_url,
  };
  const began = Date.now();
  const worker = await forked('dbos-child.cjs', ['worker'], { env });
  const start_s = (Date.now() - began) / 1000;
  const webhook = await forked('dbos-child.cjs', ['webhook'], { env });
  const dispatcher = new Agent({ connections: 200, headersTimeout: 60_000 });
  const ask = async (path, body) => {
    const url = `http://127.0.0.1:${workerPort}${path}`;
    const answer = await request(url, { method: 'POST', body: JSON.stringify(body), dispatcher });
    return answer.body.json();
  };
  const notify_url = `http://127.0.0.1:${webhookPort}/ipn`;
  return {
    name: 'dbos',
    merchant: {
      pay: (order) => ask('/pay', { notify_url, ...order }),
      outcome: (out_trade_no) => ask('/outcome', { out_trade_no }),
    },
    pids: { worker: worker.pid, webhook: webhook.pid },
    serverCpu: postgres.cpu,
    start_s,
    async stop() {
      await dispatcher.close();
      for (const child of [worker, webhook]) await stopped(child);
      await postgres.stop();
    },
  };
}

module.exports = { startDbos };
