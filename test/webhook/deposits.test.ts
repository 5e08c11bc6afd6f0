/** A notification with `transfer_account` (section 6.5) is a deposit: it goes to its virtual account, which may be unknown. */

import { readNotification } from '../../src/gateway';
import { deliver } from '../../src/webhook/deliver';
import { PerMinute } from '../../src/webhook/per-minute';
import { app, FakeTemporal, ipn } from './support';

const transfer_account = { account_id: 'A1', account_number: '646180157000000004', transfer_timestamp: 1_645_516_741 };

async function delivered(changes: Record<string, unknown>) {
  const temporal = new FakeTemporal();
  const notification = readNotification(ipn(changes));
  if (!notification) throw new Error('The notification cannot be read.');
  await deliver(
    { client: temporal.client, taskQueue: 'payments', timeout_ms: 1_000, adoptions: new PerMinute(10) },
    notification,
    'digest',
  );
  return temporal.signals.map(({ workflowId, workflowType, signalName, requestId, input, signalInput }) => ({
    workflowId,
    type: workflowType?.name,
    signalName,
    requestId,
    input: JSON.parse(Buffer.from(input?.payloads?.[0]?.data ?? []).toString()),
    told: JSON.parse(Buffer.from(signalInput?.payloads?.[0]?.data ?? []).toString()),
  }));
}

test('SUCCESS: one signal to the account, adopted where nobody follows it', async () => {
  expect(await delivered({ transfer_account })).toEqual([
    {
      workflowId: `spei-account:${app.app_id}:A1`,
      type: 'speiAccount',
      signalName: 'deposit',
      requestId: 'digest',
      input: { app_id: app.app_id, account_id: 'A1' },
      told: expect.objectContaining({
        out_trade_no: 'order-1',
        transfer_account: expect.objectContaining({
          account_number: '646180157000000004',
          transfer_timestamp: '1645516741',
        }),
      }),
    },
  ]);
});

test.each([
  ['REFUNDED', 'after-sale'],
  ['CANCEL', 'payment'],
])('%s is news of the account and of the deposit’s %s', async (trade_status, concerned) => {
  const told = await delivered({ transfer_account, trade_status });
  expect(told.map(({ workflowId }) => workflowId)).toEqual([
    `spei-account:${app.app_id}:A1`,
    `${concerned}:${app.app_id}:order-1`,
  ]);
});

test.each([
  ['no account', undefined],
  ['an empty text', ''],
  ['an account without an id', { provider: 'STP' }],
])('with %s it is an ordinary payment', async (_, account) => {
  const told = await delivered({ transfer_account: account });
  expect(told.map(({ workflowId }) => workflowId)).toEqual([`payment:${app.app_id}:order-1`]);
});
