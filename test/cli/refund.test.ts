/** `payment-gateway refund` with a stack: what it prints, and its exit codes. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { built } from '../harness/built';
import { Commands, type Ended, started } from '../harness/commands';
import { publishedOrder } from '../harness/orders';
import { afterSaleOf, sold, USER } from '../harness/sold';
import { ROOT } from '../harness/terminal';

const EXAMPLE = join(ROOT, 'examples/refunds/pix.json');
const folder = mkdtempSync(join(tmpdir(), 'refund-'));

let stack: Stack;
let env: Record<string, string>;
beforeAll(async () => {
  await built();
  stack = await startStack({ simulator: { refundTakes: '1s' } });
  // What a caller needs: no gateway key, no address of the gateway.
  env = {
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

const commands = new Commands(folder);
/** In the process that runs them all. */
const refund = async (...args: string[]) => withoutStack(await commands.run(env, 'refund', ...args));
/** In a process of its own. */
const start = async (...args: string[]) => withoutStack(await started(folder, env, 'refund', ...args));

function withoutStack(ended: Ended): Ended {
  expect(ended.printed).not.toMatch(/^ +at /m);
  return ended;
}

const refundsOf = (out_trade_no: string) => stack.simulator.refunds({ out_trade_no });

test('a refund without an amount refunds all that was paid; a repetition prints the same and refunds nothing', async () => {
  const { out_trade_no, order_amount } = await sold(stack, 'credit-card');
  const first = await start(out_trade_no, '--json');
  expect(first).toMatchObject({ code: 0, printed: first.output });
  expect(JSON.parse(first.output)).toEqual({
    refund: expect.objectContaining({ out_trade_no, refund_amount: order_amount, refund_status: 'REFUND_PROCESSING' }),
  });
  expect(await afterSaleOf(stack, out_trade_no).result()).toMatchObject({ refunded_amount: order_amount });
  expect(await refund(out_trade_no, '--json')).toEqual(first);
  expect(refundsOf(out_trade_no)).toHaveLength(1);
});

test('a partial refund is printed for people; a refund of more than is left ends with 2 and says what is left', async () => {
  const { out_trade_no, order_amount } = await sold(stack, 'credit-card');
  const part = await refund(out_trade_no, '--amount', '50.00', '--number', 'part-1', '--reason', 'one was scratched');
  expect(part.code).toBe(0);
  expect(part.output).toMatch(/^ {2}refund_status +REFUND_PROCESSING$/m);
  const more = await start(out_trade_no, '--amount', order_amount, '--number', 'part-2');
  expect(more).toMatchObject({ code: 2, output: '' });
  expect(more.printed).toContain(`${order_amount} is more than the 849.70 that is left of ${order_amount} BRL`);
  const other = await refund(out_trade_no, '--amount', '40.00', '--number', 'part-1');
  expect(other).toMatchObject({ code: 1, output: '' });
  expect(other.printed).toContain('refund_amount');
  expect(refundsOf(out_trade_no)).toMatchObject([{ out_request_no: 'part-1', refund_amount: '50.00' }]);
});

test('missing data of the buyer is named, and can come from a file', async () => {
  const { out_trade_no } = await sold(stack, 'pix');
  const asked = await refund(out_trade_no);
  expect(asked).toMatchObject({ code: 2, output: '' });
  expect(asked.printed).toMatch(/user_info\.email.*--with FILE, such as examples\/refunds\/pix\.json/s);
  const example = await refund(out_trade_no, '--amount', '30.00', '--number', 'part', '--with', EXAMPLE);
  expect(example.code).toBe(0);
  const file = join(folder, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify({ user_info: USER, bank_info: { bank_id: '341', number: '123456-7' } }));
  const given = await refund(out_trade_no, '--amount', '20.00', '--number', 'rest', '--with', file);
  expect(given.code).toBe(0);
  expect(given.output).toMatch(/REFUND_PROCESSING/);
  expect(given.printed).not.toContain(USER.email);
});

test('a refund of an unpaid order ends with 1, and nothing is sent', async () => {
  const order = publishedOrder('pix');
  await stack.payments.pay(order);
  const { code, printed } = await start(order.out_trade_no);
  expect(code).toBe(1);
  expect(printed).toContain('A trade that is PROCESSING cannot be refunded');
  expect(stack.simulator.requests({ path: '/trade/refund', out_trade_no: order.out_trade_no })).toEqual([]);
});

test('a refund of an unknown order ends with 2 and names the options that help', async () => {
  const { code, printed } = await refund(`nobody-${randomUUID()}`);
  expect(code).toBe(2);
  expect(printed).toMatch(/is not known\. Give --amount and --currency/);
});

test('a refund of an order that the gateway does not know ends with 3, names its answer, and says to look at the number', async () => {
  const out_trade_no = `nobody-${randomUUID()}`;
  const { code, output } = await start(out_trade_no, '--amount', '1.00', '--currency', 'BRL', '--json');
  expect(code).toBe(3);
  expect(JSON.parse(output)).toMatchObject({
    error: {
      ...{ type: 'PaymentPending', because: 'NotAnswered', out_trade_no },
      message: expect.stringMatching(
        new RegExp(`code 40002, sub_code trade-not-exist .* If it knows no order ${out_trade_no}, look at the number`),
      ),
    },
  });
});
