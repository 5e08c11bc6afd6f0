/** How many virtual accounts an app can still create, on the simulated Temporal. */
import { PaymentsClient } from '../../../src/client';
import { speiAccountQuantityWorkflowId } from '../../../src/contract';
import { DAY } from '../../../src/gateway/pure/durations';
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

/** An app with seven accounts left, and a worker with one setting after the other. */
async function sevenLeft() {
  const env = await SimulatedEnvironment.create();
  const gateway = new FakeGateway(() => env.currentTimeMs());
  const work = (low: number) =>
    env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: { PAYMENTS_ACCOUNTS_LOW: String(low) } }));
  const left = (available_quantity: number) => {
    gateway.accounts.speiAccountQuantity = async () => ({ available_quantity });
  };
  left(7);
  const ask = new PaymentsClient({ client: env.client, app_id: APP.app_id, taskQueue: 'simulated' });
  const watch = env.client.workflow.getHandle(speiAccountQuantityWorkflowId(APP.app_id));
  const resolve = () => watch.executeUpdate('resolve', { args: [{ by: 'ana', reason: 'more are ordered' }] });
  return { env, work, left, ask, watch, resolve };
}

test('few accounts that a person has seen are told again once there are fewer, and a changed setting counts for the run that goes on', async () => {
  const { env, work, left, ask, watch, resolve } = await sevenLeft();
  work(5);
  expect(await ask.accounts.quantity()).toMatchObject({ low: 5, attention: null });
  work(10);
  await env.sleep(DAY);
  expect(await watch.query('state')).toMatchObject({ low: 10, attention: 'few-accounts', seen: null });
  await resolve();
  await env.sleep(DAY);
  expect(await watch.query('state')).toMatchObject({ attention: null, seen: 7 });
  left(6);
  await env.sleep(DAY);
  expect(await watch.query('state')).toMatchObject({ available_quantity: 6, attention: 'few-accounts' });
  await env.teardown();
});

test('promise 8: few accounts that a person has seen are not told again because workers have different settings, but once more came and went', async () => {
  const { env, work, left, ask, watch, resolve } = await sevenLeft();
  work(10);
  await ask.accounts.quantity();
  await env.sleep(DAY);
  await resolve();
  for (const low of [0, 10]) {
    work(low);
    await env.sleep(DAY);
    expect(await watch.query('state')).toMatchObject({ low, attention: null, seen: 7 });
  }
  left(20);
  await env.sleep(DAY);
  left(7);
  await env.sleep(DAY);
  expect(await watch.query('state')).toMatchObject({ attention: 'few-accounts', seen: null });
  await env.teardown();
});
