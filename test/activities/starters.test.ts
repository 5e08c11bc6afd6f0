/** The answers that a merchant's workflow waits for: what is pending is asked for again, and what is final is told. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { starterActivities } from '../../src/activities';
import { type Simulation, simulate } from '../../src/testing/simulation';
import { APP } from '../../src/testing/stack';
import { order } from '../harness/orders';

let world: Simulation;
beforeEach(async () => {
  world = await simulate();
});
afterEach(() => world.close());

const activity = () => new MockActivityEnvironment({}, { client: world.temporal.client });

test('a creation that the gateway has not answered yet is asked for again', async () => {
  world.gateway.isDown = true;
  const payment = order();
  await expect(
    world.payments.pay({ ...payment.request, method: 'PIX', subject: 'Order 1', buyer_id: 'buyer-1' }),
  ).rejects.toThrow();
  await expect(activity().run(starterActivities['payments.created'], payment)).rejects.toMatchObject({
    type: 'PaymentPending',
    nonRetryable: false,
  });
});

test('a payment that has ended answers as before, also where nobody polls its task queue any more', async () => {
  world.gateway.statusAt = () => 'SUCCESS';
  const payment = order();
  const { out_trade_no } = payment.request;
  await world.payments.pay({ ...payment.request, method: 'PIX', subject: 'Order 1', buyer_id: 'buyer-1' });
  await world.payments.outcome(out_trade_no);
  const data = await activity().run(starterActivities['payments.created'], payment);
  expect(data).toMatchObject({ trade_no: 'T1', qr_code: expect.stringMatching(/^000201/) });
  world.temporal.temporal.renameTaskQueue();
  expect(await activity().run(starterActivities['payments.created'], payment)).toEqual(data);
});

test.each([
  ['of which the gateway does not say what was paid is asked for again', 'down', 'NotAnswered', false],
  ['that waits for the gateway is asked for again', 'unreachable', 'RefundPending', false],
  [
    'that the gateway refuses is told',
    { refuse: { code: '40002', sub_code: 'no-method-supported' } },
    'NotRefunded',
    true,
  ],
] as const)('a refund %s', async (_, mishap, type, nonRetryable) => {
  await world.gateway.addTrade('sold', { method: 'CreditCard' });
  if (mishap === 'down') world.gateway.isDown = true;
  else world.gateway.refundMishaps = Array(200).fill(mishap);
  const refund = {
    refund_amount: '10.00',
    refund_currency: 'BRL',
    out_request_no: 'a',
    user_info: { email: 'a@example.com' },
  };
  const input = { app_id: APP.app_id, out_trade_no: 'sold', task_queue: 'simulated', refund };
  await expect(activity().run(starterActivities['payments.refunded'], input)).rejects.toMatchObject({
    type,
    nonRetryable,
  });
});
