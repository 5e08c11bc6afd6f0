/** A merchant without the worker's keys: the worker cannot read the workflow, whose task fails again and again. */
import { randomUUID } from 'node:crypto';
import pix from '../../examples/orders/pix.json';
import { type ConnectedPayments, connectPayments, PaymentPendingError } from '../../src/client';
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

test('each call says that the worker cannot read the workflow, and asks for the keys', async () => {
  const { payments } = careless;
  const out_trade_no = `clear-${randomUUID()}`;
  const order = { ...pix.request, out_trade_no };
  const refund = { refund_amount: '1.00', refund_currency: 'BRL' };
  const calls = {
    pay: () => payments.pay(order),
    'pay again': () => payments.pay(order),
    cancel: () => payments.cancel(out_trade_no),
    state: () => payments.state(out_trade_no),
    refund: () => payments.refund(out_trade_no, refund),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await errorOf(call());
    expect([name, error]).toEqual([name, expect.any(PaymentPendingError)]);
    expect([name, error]).toMatchObject([
      name,
      {
        out_trade_no,
        retryable: true,
        message: expect.stringMatching(/task fails again and again\. Has the worker the same PAYMENTS_ENCRYPTION_KEYS/),
      },
    ]);
  }
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);

  const command = new Terminal({ cwd: ROOT, env }, 'cancel', out_trade_no, '--json');
  expect(await command.ended).toBe(3);
  expect(JSON.parse(command.output)).toMatchObject({
    error: { type: 'PaymentPending', out_trade_no, retryable: true },
  });
});
