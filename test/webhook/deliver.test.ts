/** A notification with `transfer_account` (section 6.5) is a deposit: it goes to its virtual account. */
import { readNotification } from '../../src/gateway';
import { deliver } from '../../src/webhook/deliver';
import { StartBudget } from '../../src/webhook/start-budget';
import { TemporalCalls } from '../../src/webhook/temporal-calls';
import { app, FakeTemporal, ipn } from './support';

const transfer_account = { account_id: 'A1', account_number: '646180157000000004', transfer_timestamp: 1_645_516_741 };

/** Delivers a notification; the signals that Temporal got. */
async function signalsOf(changes: Record<string, unknown>, running = false, input?: object) {
  const temporal = Object.assign(new FakeTemporal(), { running, ...(input ? { input } : {}) });
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
      requestId: expect.stringMatching(/^digest:\d+$/),
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
])('a deposit with %s signals its account, and the %s of its order that runs', async (trade_status, recipient) => {
  const signals = await signalsOf({ transfer_account, trade_status }, recipient === 'payment');
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([
    `spei-account:${app.app_id}:A1`,
    `${recipient}:${app.app_id}:order-1`,
  ]);
});

test('a deposit that is under way starts no payment: only its account does, which counts it', async () => {
  const signals = await signalsOf({ transfer_account, trade_status: 'PROCESSING' });
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([`spei-account:${app.app_id}:A1`]);
});

test('the notification of an order that was made here is no deposit, whatever account it names', async () => {
  const request = { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'MXN' };
  for (const trade_status of ['SUCCESS', 'PROCESSING', 'CANCEL']) {
    const input = { kind: 'direct', app_id: app.app_id, request };
    const signals = await signalsOf({ transfer_account, trade_status }, true, input);
    expect(signals.map(({ workflowId }) => workflowId)).toEqual([`payment:${app.app_id}:order-1`]);
  }
});

test.each([
  ['its account has confirmed', { kind: 'adopt', app_id: app.app_id, out_trade_no: 'order-1' }],
  ['somebody has started a payment for, without an order', { kind: 'direct', app_id: app.app_id }],
])('a deposit that %s stays one', async (_, input) => {
  const signals = await signalsOf({ transfer_account }, true, input);
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([`spei-account:${app.app_id}:A1`]);
});

test.each([
  ['a deposit', 'somebody has pressed the callback button', { transfer_account }],
  ['a dispute', 'the gateway tells of a second one', { trade_status: 'DISPUTE' }],
])('the same bytes of %s are one signal for ten minutes; later %s', async (_, __, notification) => {
  const at = async (minutes: number) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1) + minutes * 60_000);
    return (await signalsOf(notification))[0]?.requestId;
  };
  const first = await at(0);
  expect(await at(9)).toBe(first);
  expect(await at(10)).not.toBe(first);
  jest.restoreAllMocks();
});

test.each([
  ['missing', undefined],
  ['an empty text', ''],
  ['an account without an id', { provider: 'STP' }],
])('a notification whose transfer_account is %s signals its payment', async (_, account) => {
  const signals = await signalsOf({ transfer_account: account });
  expect(signals.map(({ workflowId }) => workflowId)).toEqual([`payment:${app.app_id}:order-1`]);
});
