/** An order that the gateway refuses, because the worker has a wrong key. */
import { NotCreatedError } from '../../src/client';
import { type Stack, startStack } from '../../src/testing/stack';
import { publishedOrder } from '../harness/orders';
import { errorOf } from './support';

const WRONG_KEY = 'sk_not_the_apps_key';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { GATEWAY_SECRET_KEY: WRONG_KEY }, webhook: false });
});
afterAll(() => stack?.close());

test('pay throws NotCreatedError with the gateway’s codes, and again when it is repeated', async () => {
  const request = publishedOrder('pix');
  for (const _time of ['first', 'again']) {
    const error = await errorOf(stack.payments.pay(request));
    expect(error).toBeInstanceOf(NotCreatedError);
    expect(error.out_trade_no).toBe(request.out_trade_no);
    expect(error.message).toContain(request.out_trade_no);
    expect(error.details).toMatchObject({
      outcome: 'not-created',
      operation: '/trade/pay',
      code: '40002',
      sub_code: 'invalid-signature',
      http_status: 400,
      retryable: false,
      out_trade_no: request.out_trade_no,
    });
    const told = `${error.message}${JSON.stringify(error)}`;
    for (const secret of [WRONG_KEY, 'Basic', request.customer?.name]) expect(told).not.toContain(secret);
  }
  // Calls of the same five minutes share an answer. A call of the next ones uses the number again, and the order is sent once more.
  const sent = stack.simulator.requests({ path: '/trade/pay' });
  expect(sent.length).toBeLessThanOrEqual(2);
  expect(sent.map(({ created }) => created)).not.toContain(true);
});

test('outcome throws the same, and state shows the attention', async () => {
  const request = publishedOrder('pix');
  await errorOf(stack.payments.pay(request));
  await expect(stack.payments.outcome(request.out_trade_no)).rejects.toBeInstanceOf(NotCreatedError);
  expect(await stack.payments.state(request.out_trade_no)).toMatchObject({
    trade_no: null,
    trade_status: null,
    outcome: null,
    attention: 'credentials',
  });
  expect(stack.simulator.trades()).toEqual([]);
});
