/** A gateway that cannot be reached: the payment does not fail. It retries, and Temporal shows each failed try. */
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/cli/dev/temporal';
import { startSimulator } from '../../src/simulator';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { publishedOrders } from '../harness/orders';

const { request } = publishedOrders().find(({ name }) => name === 'pix') ?? fail('no pix order');
const ID = `payment:${APP.app_id}:${request.out_trade_no}`;

let stack: Stack;
let port: number;
beforeAll(async () => {
  ({ port } = await freePort(0));
  stack = await startStack({ env: { GATEWAY_BASE_URL: `http://127.0.0.1:${port}` } });
});
afterAll(() => stack?.close());

it('a payment with an unreachable gateway shows its retries and its last failure, and goes on when the gateway is back', async () => {
  const data = stack.payments.pay(request);
  const pending = await eventually(async () => {
    const { raw } = await stack.temporal.client.workflow.getHandle(ID).describe();
    return raw.pendingActivities?.find(({ attempt, lastFailure }) => Number(attempt) > 1 && lastFailure);
  });
  expect(pending.activityType?.name).toBe('gateway.create');
  expect(pending.lastFailure?.message).toContain(
    `could not be reached for /trade/pay for order ${request.out_trade_no}`,
  );
  expect(await stack.payments.state(request.out_trade_no)).toMatchObject({ outcome: null, trade_status: null });

  const gateway = await startSimulator({ apps: [APP], port });
  try {
    expect(await data).toMatchObject({ trade_status: 'PROCESSING', recovered: false });
    await gateway.pay(request.out_trade_no);
    expect(await stack.payments.outcome(request.out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
    expect(gateway.requests({ path: '/trade/pay' })).toHaveLength(1);
  } finally {
    await gateway.close();
  }
});

/** Looks until there is something to see; the test's own time-out bounds it. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const seen = await look().catch(() => undefined);
    if (seen !== undefined) return seen;
    await delay(100);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
