/** An account whose task queue was renamed: its workflow was terminated, so that its next deposit starts it on the new queue. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from '@temporalio/worker';
import { dataConverter } from '../../../src/codec';
import { PaymentGatewayPlugin } from '../../../src/plugin';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { workflowBundle } from '../../../src/testing/workflow-bundle';
import type { SpeiAccountState } from '../../../src/workflows';
import { accountRequest } from '../../harness/accounts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

const handleOf = (account_id: string) => stack.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`);
async function soon(account_id: string, is: (state: SpeiAccountState) => boolean, within_ms: number) {
  const until = Date.now() + within_ms;
  for (;;) {
    const state = await stack.payments.accounts.get(account_id).catch(() => undefined);
    if ((state && is(state)) || Date.now() > until) return state;
    // The longest wait is minutes.
    await delay(500);
  }
}

test('the count and the total of a terminated account are taken over where its old task queue has no worker any more', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await soon(account_id, ({ status }) => status !== null, 10_000);
  await handleOf(account_id).terminate();
  const config = { ...stack.config, PAYMENTS_TASK_QUEUE: `old-${randomUUID()}` };
  const worker = await Worker.create({
    connection: stack.temporal.nativeConnection,
    namespace: stack.temporal.namespace ?? 'default',
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    workflowBundle: await workflowBundle(dataConverter(config).failureConverterPath),
    plugins: [new PaymentGatewayPlugin(config, {})],
  });
  const running = worker.run();
  await stack.client.workflow.start('speiAccount', {
    workflowId: `spei-account:${APP.app_id}:${account_id}`,
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    args: [{ app_id: APP.app_id, account_id }],
  });
  await stack.simulator.deposit(account_id, '1.00');
  await stack.simulator.deposit(account_id, '2.00');
  expect((await soon(account_id, ({ deposits }) => deposits.count === 2, 20_000))?.deposits).toMatchObject({
    total: { MXN: '3.00' },
  });
  worker.shutdown();
  await running;
  await handleOf(account_id).terminate('its queue was renamed');
  await stack.simulator.deposit(account_id, '4.00');
  // Temporal takes its time until it says that nobody polls the old queue.
  await soon(account_id, ({ deposits }) => deposits.count + deposits.set_aside.length >= 3, 400_000);
  expect((await stack.payments.accounts.get(account_id)).deposits).toMatchObject({ count: 3, total: { MXN: '7.00' } });
});
