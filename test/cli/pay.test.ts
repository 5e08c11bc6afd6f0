/** `payment-gateway pay` with a stack: what it prints, and its exit code for each outcome. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { built } from '../harness/built';
import { Commands, type Ended } from '../harness/commands';
import { publishedOrders } from '../harness/orders';
import { Terminal } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'pay-'));

let stack: Stack;
let settings: Record<string, string>;
beforeAll(async () => {
  await built();
  stack = await startStack();
  // What a caller needs: no gateway key, no address of the gateway.
  settings = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
  };
});
afterAll(async () => {
  await commands.end();
  await stack?.close();
  rmSync(folder, { recursive: true });
});

/** A file with a published order under a number of its own. */
function orderFile(name: string, changes: Record<string, unknown> = {}) {
  const published = publishedOrders().find((one) => one.name === name);
  if (!published) throw new Error(`examples/orders has no ${name}.json`);
  const request = { ...published.request, out_trade_no: `${name}-${randomUUID()}`, ...changes };
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify({ kind: published.kind, request }));
  return { path, out_trade_no: request.out_trade_no };
}

const commands = new Commands(folder);
/** In the process that runs them all. */
const run = (env: Record<string, string>, ...args: string[]) => commands.run(env, 'pay', ...args);
/** In a process of its own. */
const pay = (env: Record<string, string>, ...args: string[]) => new Terminal({ cwd: folder, env }, 'pay', ...args);
const lines = ({ output }: Pick<Ended, 'output'>) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('--json prints the payment data as one line, and nothing else', async () => {
  const order = orderFile('pix');
  const paying = await run(settings, order.path, '--json');
  expect(paying).toMatchObject({ code: 0 });
  expect(lines(paying)).toEqual([
    { payment_data: expect.objectContaining({ out_trade_no: order.out_trade_no, trade_status: 'PROCESSING' }) },
  ]);
  expect(paying.printed).toBe(paying.output);
});

test('an amount written as a number keeps all its digits', async () => {
  const order = orderFile('pix', { order_amount: '99999999999999.99' });
  writeFileSync(order.path, readFileSync(order.path, 'utf8').replace('"99999999999999.99"', '99999999999999.99'));
  expect(await run(settings, order.path)).toMatchObject({ code: 0 });
  expect(stack.simulator.trade(order.out_trade_no)).toMatchObject({ order_amount: '99999999999999.99' });
  expect(await stack.payments.state(order.out_trade_no)).toMatchObject({ order_amount: '99999999999999.99' });
});

test('the same file twice prints the same and makes one trade', async () => {
  const order = orderFile('pix');
  const [first, again] = [pay(settings, order.path, '--json'), pay(settings, order.path, '--json')];
  expect([await first.ended, await again.ended]).toEqual([0, 0]);
  expect(again.output).toBe(first.output);
  expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toHaveLength(1);
});

test('--wait --json prints each transition and the state, and ends with 0 for a paid order', async () => {
  const order = orderFile('pix');
  const paying = pay(settings, order.path, '--wait', '--json');
  await paying.sees(/"payment_data"/);
  await stack.simulator.pay(order.out_trade_no);
  expect(await paying.ended).toBe(0);
  expect(lines(paying)).toEqual([
    { payment_data: expect.anything() },
    { transition: expect.objectContaining({ to: 'PROCESSING', source: 'creation' }) },
    { transition: expect.objectContaining({ from: 'PROCESSING', to: 'SUCCESS', source: 'query' }) },
    { state: expect.objectContaining({ outcome: 'SUCCESS', order_amount: '150.00' }) },
  ]);
});

test('--wait ends with 1 for an order that is not paid', async () => {
  const order = orderFile('pix');
  const paying = pay(settings, order.path, '--wait');
  await paying.sees(/Waiting for the outcome/);
  await stack.simulator.act(order.out_trade_no, 'cancel');
  expect(await paying.ended).toBe(1);
  expect(paying.output).toContain(`Order ${order.out_trade_no} was canceled, 150.00 BRL`);
});

test('another order under the same number ends with 1 and names the fields', async () => {
  const order = orderFile('pix');
  expect(await run(settings, order.path)).toMatchObject({ code: 0 });
  const other = orderFile('pix', { out_trade_no: order.out_trade_no, order_amount: '9876.54' });
  const refused = await run(settings, other.path);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.printed).toMatch(/order_amount differ/);
  expect(refused.printed).not.toMatch(/9876\.54|^ +at /m);
});

test('a checkout prints the address where the buyer pays', async () => {
  const paying = await run(settings, orderFile('checkout').path);
  expect(paying).toMatchObject({ code: 0 });
  expect(paying.output).toMatch(/^ {2}web_url +http\S+$/m);
});

test('a secret without a public key to seal it ends with 2, and is neither printed nor sent', async () => {
  const order = orderFile('wallet-card-number');
  const refused = pay(settings, order.path);
  expect(await refused.ended).toBe(2);
  expect(refused.printed).toMatch(/^ {2}account_verification_code: .*PAYMENTS_SEALING_PUBLIC_JWK/m);
  expect(refused.printed).not.toContain('4821');
  expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toEqual([]);
});

test('a secret with the public key is sealed and sent', async () => {
  const order = orderFile('wallet-card-number');
  const sealing = JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK);
  expect(await run({ ...settings, PAYMENTS_SEALING_PUBLIC_JWK: sealing }, order.path)).toMatchObject({ code: 0 });
  expect(stack.simulator.trades({ out_trade_no: order.out_trade_no })).toHaveLength(1);
});
