/** A merchant without the worker's keys: the worker cannot read the workflow, whose task fails again and again. */
import { randomUUID } from 'node:crypto';
import pix from '../../examples/orders/pix.json';
import { type ConnectedPayments, connectPayments, InvalidOrderError, PaymentPendingError } from '../../src/client';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { ROOT, Terminal } from '../harness/terminal';

let stack: Stack;
let careless: ConnectedPayments;
let env: Record<string, string>;

beforeAll(async () => {
  await built();
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: setting(key('theirs')) } });
  env = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    TEMPORAL_NAMESPACE: stack.temporal.namespace ?? 'default',
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
  careless = await connectPayments(env);
});

afterAll(async () => {
  await careless?.close();
  await stack?.close();
});

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

const UNREAD = {
  type: PaymentPendingError,
  retryable: true,
  message: /task fails again and again\. Has the worker the same PAYMENTS_ENCRYPTION_KEYS/,
};
/** What was sent in clear text is refused, in words that need no key. */
const IN_CLEAR = { type: InvalidOrderError, retryable: false, message: /in clear text.*PAYMENTS_ENCRYPTION_KEYS/ };

test('each call says that worker and merchant cannot read each other, and asks for the keys', async () => {
  const { payments } = careless;
  const out_trade_no = `clear-${randomUUID()}`;
  const order = { ...pix.request, out_trade_no };
  const calls: [name: string, says: typeof UNREAD | typeof IN_CLEAR, call: () => Promise<unknown>][] = [
    ['pay', IN_CLEAR, () => payments.pay(order)],
    ['pay again', UNREAD, () => payments.pay(order)],
    ['cancel', UNREAD, () => payments.cancel(out_trade_no)],
    ['state', UNREAD, () => payments.state(out_trade_no)],
    ['refund', IN_CLEAR, () => payments.refund(out_trade_no)],
  ];
  for (const [name, { type, retryable, message }, call] of calls) {
    const error = await errorOf(call());
    expect([name, error]).toEqual([name, expect.any(type)]);
    expect([name, error]).toMatchObject([name, { out_trade_no, retryable, message: expect.stringMatching(message) }]);
  }
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);

  const command = new Terminal({ cwd: ROOT, env }, 'cancel', out_trade_no, '--json');
  expect(await command.ended).toBe(3);
  expect(JSON.parse(command.output)).toMatchObject({
    error: { type: 'PaymentPending', out_trade_no, retryable: true },
  });
});
