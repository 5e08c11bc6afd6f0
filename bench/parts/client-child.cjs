/** A process that asks the gateway for one trade, as often as its parent says: `node client-child.cjs NAME URL APP SECRET ORDER`. */
const { performance } = require('node:perf_hooks');
const { Pool } = require('undici');
const { GatewayClient } = require('../../lib/gateway');

const [, , name, base_url, app_id, secret_key, order] = process.argv;
const { out_trade_no } = JSON.parse(order);
const AT_ONCE = 10;
const gateway = new GatewayClient({ app_id, secret_key, base_url });
const pool = new Pool(base_url, { connections: 32 });
const headers = {
  authorization: `Basic ${Buffer.from(`${app_id}:${secret_key}`).toString('base64')}`,
  'content-type': 'application/json',
};

async function bare() {
  const timestamp = new Date().toISOString().slice(0, 19).replace('T', ' ');
  const body = JSON.stringify({ app_id, out_trade_no, timestamp });
  const answer = await pool.request({ method: 'POST', path: '/trade/query', headers, body });
  const { trade_status } = await answer.body.json();
  if (trade_status === undefined) throw new Error(`The gateway answered ${answer.statusCode}`);
}

const ask = name === 'ours' ? () => gateway.query({ out_trade_no }) : bare;

async function askFor(calls) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  let asked = 0;
  const asker = async () => {
    while (asked < calls) {
      asked += 1;
      await ask();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, asker));
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - began) / 1_000, cpu_ms: (user + system) / 1_000 };
}

async function main() {
  process.on('disconnect', () => process.exit());
  await gateway.pay(JSON.parse(order));
  await askFor(200);
  process.on('message', async (calls) => process.send(await askFor(calls)));
  process.send('ready');
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
