/**
 * `kill -9` of the worker while the gateway is being asked to create orders: whether it had carried them out or not, each
 * is charged once, by the worker that comes after. The gateway would charge twice if it were asked to.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { PaymentsClient } from '../../src/client';
import { type Simulator, startSimulator } from '../../src/simulator';
import { publishedOrders } from '../harness/orders';
import { APP } from '../harness/stack';
import { devServer } from '../harness/temporal';
import { built } from '../start/built';
import { Terminal } from '../start/terminal';

const { request: order } = publishedOrders().find(({ name }) => name === 'pix') ?? { request: undefined };

let temporal: TestWorkflowEnvironment;
let simulator: Simulator;
let folder: string;
const workers: Terminal[] = [];
const taskQueue = `killed-${randomUUID()}`;

beforeAll(async () => {
  await built();
  temporal = await devServer();
  simulator = await startSimulator({ apps: [APP], duplicateOrders: 'accepted' });
  folder = mkdtempSync(join(tmpdir(), 'killed-'));
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await simulator?.close();
  await temporal?.teardown();
  rmSync(folder, { recursive: true, force: true });
});

async function startWorker(): Promise<Terminal> {
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    PAYMENTS_TASK_QUEUE: taskQueue,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
    PAYMENTS_POLL_SCHEDULE: '1s',
    PAYMENTS_POLL_EVERY: '1s',
    PAYMENTS_SETTLING: '10s',
  };
  const worker = new Terminal({ cwd: folder, env }, 'worker');
  workers.push(worker);
  await worker.sees(/worker started/);
  return worker;
}

it('killed before and after the gateway carried it out: one charge each', async () => {
  const payments = new PaymentsClient({ client: temporal.client, app_id: APP.app_id, taskQueue });
  const first = await startWorker();
  simulator.addFault({ on: 'pay', fault: 'delay', ms: 30_000, out_trade_no: 'k-after' });
  simulator.addFault({ on: 'pay', fault: '5xx-before', ms: 0, out_trade_no: 'k-again' });
  simulator.addFault({ on: 'pay', fault: 'delay-before', ms: 3_000, out_trade_no: 'k-before' });
  const numbers = ['k-after', 'k-before', 'k-again'];
  const asked = numbers.map((out_trade_no) => {
    if (!order) throw new Error('no order');
    return payments.pay({ ...order, out_trade_no, timeout_express: '2h' }).catch(() => undefined);
  });
  // One trade is there and its answer is not; another has been asked for and is not there yet.
  while (simulator.trades({ out_trade_no: 'k-after' }).length === 0) await delay(50);
  while (simulator.requests({ path: '/trade/pay' }).length < 3) await delay(50);
  await first.kill();
  await startWorker();
  await Promise.all(asked);

  const states = numbers.map(async (out_trade_no) => {
    while ((await payments.state(out_trade_no)).payment_data === null) await delay(500);
    await simulator.pay(out_trade_no);
    return payments.outcome(out_trade_no);
  });
  for (const state of await Promise.all(states)) {
    expect(state).toMatchObject({ outcome: 'SUCCESS', attention: null });
    const [entry] = simulator.ledger({ out_trade_no: state.out_trade_no ?? '' });
    expect(entry).toMatchObject({ orders: 1, charges: 1 });
  }
}, 240_000);
