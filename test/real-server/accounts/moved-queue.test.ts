/** An account whose task queue was renamed: its workflow was terminated, so that its next deposit starts it on the new queue. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { dataConverter } from '../../../src/codec';
import { PaymentGatewayPlugin } from '../../../src/plugin';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { workflowBundle } from '../../../src/testing/workflow-bundle';
import type { SpeiAccountState } from '../../../src/workflows';
import { accountRequest } from '../../harness/accounts';
import { eventually } from '../../harness/eventually';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.close());

const handleOf = (account_id: string) => stack.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`);
const isRead = (account_id: string, is: (state: SpeiAccountState) => boolean) => async () => {
  const state = await stack.payments.accounts.get(account_id).catch(() => undefined);
  return state !== undefined && is(state);
};

test('the count and the total of a terminated account are taken over where its old task queue has no worker any more', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await eventually(
    'the account is read',
    isRead(account_id, ({ status }) => status !== null),
  );
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
  await eventually(
    'both are counted',
    isRead(account_id, ({ deposits }) => deposits.count === 2),
  );
  expect((await stack.payments.accounts.get(account_id)).deposits).toMatchObject({ total: { MXN: '3.00' } });
  worker.shutdown();
  await running;
  await handleOf(account_id).terminate('its queue was renamed');
  await stack.simulator.deposit(account_id, '4.00');
  // Temporal takes its time until it says that nobody polls the old queue.
  const isHeard = isRead(account_id, ({ deposits }) => deposits.count + deposits.set_aside.length >= 3);
  await eventually('the third is heard of', isHeard, 15 * 60_000);
  expect((await stack.payments.accounts.get(account_id)).deposits).toMatchObject({ count: 3, total: { MXN: '7.00' } });
}, 1_200_000);
