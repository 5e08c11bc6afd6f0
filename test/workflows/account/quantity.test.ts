/** How many virtual accounts an app can still create, on the simulated Temporal. */
import { PaymentsClient } from '../../../src/client';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';

test('the first call of quantity() of an app answers, and the next ones too', async () => {
  const env = await SimulatedEnvironment.create();
  const gateway = new FakeGateway(() => env.currentTimeMs());
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: { PAYMENTS_ACCOUNTS_LOW: '5' } }));
  const { accounts } = new PaymentsClient({ client: env.client, app_id: APP.app_id, taskQueue: 'simulated' });
  for (const _time of ['first', 'second']) {
    expect(await accounts.quantity()).toMatchObject({
      available_quantity: expect.any(Number),
      low: expect.any(Number),
    });
  }
  await env.teardown();
});
