/** A notification with `transfer_account` (section 6.5) is a deposit: it goes to its virtual account. */
import { readNotification } from '../../src/gateway';
import { deliver } from '../../src/webhook/deliver';
import { StartBudget } from '../../src/webhook/start-budget';
import { TemporalCalls } from '../../src/webhook/temporal-calls';
import { app, FakeTemporal, ipn } from './support';

const transfer_account = { account_id: 'A1', account_number: '646180157000000004', transfer_timestamp: 1_645_516_741 };

/** Delivers a notification; the signals that Temporal got. */
async function signalsOf(changes: Record<string, unknown>) {
  const temporal = new FakeTemporal();
  const notification = readNotification(ipn(changes));
  if (!notification) throw new Error('The notification cannot be read.');
  await deliver({
    notification,
    digest: 'digest',
    temporal: new TemporalCalls(temporal.client, 'payments'),
    startBudget: new StartBudget(10),
  });
  return temporal.signals.map(({ workflowId, workflowType, signalName, requestId, input, signalInput }) => ({
    workflowId,
    type: workflowType?.name,
    signalName,
    requestId,
    input: JSON.parse(Buffer.from(input?.payloads?.[0]?.data ?? []).toString()),
    payload: JSON.parse(Buffer.from(signalInput?.payloads?.[0]?.data ?? []).toString()),
  }));
}

test('a deposit with SUCCESS signals its account only, and starts it if it does not run', async () => {
  expect(await signalsOf({ transfer_account })).toEqual([
    {
      workflowId: `spei-account:${app.app_id}:A1`,
      type: 'speiAccount',
      signalName: 'deposit',
      requestId: 'digest',
      input: { app_id: app.app_id, account_id: 'A1' },
      payload: expect.objectContaining({
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
])('a deposit with %s signals its account, and the %s of its order', async (trade_status, recipient) => {
  const signals = await signalsOf({ transfer_account, trade_status });
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([
    `spei-account:${app.app_id}:A1`,
    `${recipient}:${app.app_id}:order-1`,
  ]);
});

test.each([
  ['missing', undefined],
  ['an empty text', ''],
  ['an account without an id', { provider: 'STP' }],
])('a notification whose transfer_account is %s signals its payment', async (_, account) => {
  const signals = await signalsOf({ transfer_account: account });
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([`payment:${app.app_id}:order-1`]);
});
