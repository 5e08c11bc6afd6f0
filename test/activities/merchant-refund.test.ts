/** The refund that a merchant's workflow asks for: the after-sale is asked again until it has taken it. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { starterActivities } from '../../src/activities';
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

test('the refund of a merchant’s workflow is asked for again while the gateway does not say what was paid', async () => {
  world.gateway.isDown = true;
  await expect(activity().run(starterActivities['payments.refunded'], input)).rejects.toMatchObject({
    ...{ type: 'NotAnswered', nonRetryable: false },
  });
});
