/** Temporal UI shows a line for each activity: what it does, and why. */

import { FakeGateway, fakeWorkerActivities, SimulatedEnvironment } from '../../../src/testing';
import { Commands } from '../../../src/testing/simulated-temporal/workflow-run';
import { APP } from '../../../src/testing/stack';
import { order } from '../../harness/orders';

const ACCOUNT = { app_id: APP.app_id, account_id: 'A1' };
const CURP = { number: 'HESO900101MDFRFF09', type: 'CURP' };
const request = { customer: { buyer_id: 'buyer-1', email: 'sofia@example.com', identify: CURP } };

test('every activity of payments, accounts, questions and events has a summary', async () => {
  const carried = jest.spyOn(Commands.prototype, 'carryOut');
  const env = await SimulatedEnvironment.create();
  const gateway = new FakeGateway(() => env.currentTimeMs());
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: {}, onEvent: () => undefined }));
  const run = (type: string, workflowId: string, args: unknown[]) =>
    env.client.workflow.start(type, { workflowId, taskQueue: 'simulated', args });

  const payment = order();
  await run('payment', `payment:${APP.app_id}:${payment.request.out_trade_no}`, [payment]);
  await run('createSpeiAccount', `create-spei-account:${APP.app_id}:buyer-1`, [{ app_id: APP.app_id, request }]);
  await env.sleep('1 day');
  const account = env.client.workflow.getHandle(`spei-account:${APP.app_id}:A1`);
  await account.executeUpdate('recheck');
  await account.executeUpdate('cancel');
  await run('speiAccount', `spei-account:${APP.app_id}:A2`, [{ ...ACCOUNT, account_id: 'A2' }]);
  await run('afterSale', `after-sale:${APP.app_id}:s`, [{ app_id: APP.app_id, out_trade_no: 's' }]);
  await run('bankList', `lookup:${APP.app_id}:bankList:x`, [{ app_id: APP.app_id, method: 'PSE' }]);
  await env.sleep('1 hour');

  const summaries = new Map<string, string>();
  for (const [{ scheduleActivity, userMetadata }] of carried.mock.calls) {
    const { data } = userMetadata?.summary ?? {};
    if (scheduleActivity) summaries.set(scheduleActivity.activityType ?? '', data ? Buffer.from(data).toString() : '');
  }
  expect([...summaries].filter(([, summary]) => summary === '')).toEqual([]);
  expect(summaries.get('gateway.watch-account')).toContain('asks now and then for virtual account A');
  expect([...summaries.keys()]).toEqual(
    expect.arrayContaining(['gateway.create', 'gateway.create-account', 'gateway.cancel-account', 'payments.onEvent']),
  );
  await env.teardown();
});
