/** A gateway that cannot be reached: the payment does not fail. It retries, and Temporal shows each failed try. */
import { freePort } from '../../src/cli/dev/temporal';
import { startSimulator } from '../../src/simulator';
import { type PendingWork, pendingWork } from '../../src/temporal/pending-work';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, setting } from '../codec/support';
import { publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';

const request = publishedOrder('pix');
const ID = `payment:${APP.app_id}:${request.out_trade_no}`;

let stack: Stack;
let port: number;
beforeAll(async () => {
  ({ port } = await freePort(0));
  const env = { GATEWAY_BASE_URL: `http://127.0.0.1:${port}`, PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) };
  stack = await startStack({ env });
});
afterAll(() => stack?.close());

it('a payment with an unreachable gateway shows its retries and its last failure, and goes on when the gateway is back', async () => {
  const data = stack.payments.pay(request);
  const pending = await retried(ID);
  expect(pending.activity).toBe('gateway.create');
  expect(pending.last_answer).toContain(`could not be reached for /trade/pay for order ${request.out_trade_no}`);
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

it('an order that never left in an outage is withdrawn: the gateway has nothing of it, and no person is asked', async () => {
  const order = { ...request, out_trade_no: `${request.out_trade_no}-withdrawn` };
  const data = expect(stack.payments.pay(order)).rejects.toMatchObject({ name: 'NotCreatedError' });
  const workflowId = `payment:${APP.app_id}:${order.out_trade_no}`;
  await retried(workflowId);
  expect(await stack.payments.cancel(order.out_trade_no)).toMatchObject({ attention: null });
  await data;
});

/** The activity that is tried again, once there is one. */
async function retried(workflowId: string): Promise<PendingWork> {
  const { client } = stack;
  const isRetried = ({ attempt, last_answer }: PendingWork) => attempt > 1 && last_answer !== null;
  const pending = async () => pendingWork(client, await client.workflow.getHandle(workflowId).describe());
  const work = await until(
    () => pending().catch(() => []),
    (all) => all.some(isRetried),
  );
  return work.find(isRetried) ?? fail('nothing is tried again');
}

function fail(message: string): never {
  throw new Error(message);
}
