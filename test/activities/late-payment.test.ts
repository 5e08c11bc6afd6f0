/** The refund of a late payment: the after-sale is asked again until it has taken it. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { latePaymentActivities, starterActivities } from '../../src/activities';
import { type Simulation, simulate } from '../../src/testing/simulation';
import { APP } from '../../src/testing/stack';

let world: Simulation;
beforeEach(async () => {
  world = await simulate();
  await world.gateway.addTrade('sold', { method: 'CreditCard' });
});
afterEach(() => world.close());

const refund = {
  refund_amount: '10.00',
  refund_currency: 'BRL',
  out_request_no: 'a',
  user_info: { email: 'a@example.com' },
};
const input = { app_id: APP.app_id, out_trade_no: 'sold', task_queue: 'simulated', refund };
const activity = () => new MockActivityEnvironment({}, { client: world.temporal.client });
const refundLatePayment = () =>
  activity().run(latePaymentActivities['payments.refundLatePayment'], { ...input, method: 'CreditCard' });

test('a late payment is not said to be refunded while the gateway does not say what was paid, and is asked for again', async () => {
  world.gateway.isDown = true;
  await expect(refundLatePayment()).rejects.toMatchObject({ cause: { type: 'NotAnswered' } });
  world.gateway.isDown = false;
  expect(await refundLatePayment()).toMatchObject({ is: 'asked' });
  expect((await world.payments.refunds('sold')).refunds).toMatchObject([{ out_request_no: 'a' }]);
});

test('the refund of a merchant’s workflow is asked for again while the gateway does not say what was paid', async () => {
  world.gateway.isDown = true;
  await expect(activity().run(starterActivities['payments.refunded'], input)).rejects.toMatchObject({
    ...{ type: 'NotAnswered', nonRetryable: false },
  });
});
