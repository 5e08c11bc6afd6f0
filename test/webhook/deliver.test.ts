/** A notification with `transfer_account` (section 6.5) is a deposit: it goes to its virtual account. */
import { readNotification } from '../../src/gateway';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import type { RefundEnd } from '../../src/testing/fake-gateway/fake-refunds';
import { APP } from '../../src/testing/stack';
import { deliver } from '../../src/webhook/deliver';
import { StartBudget } from '../../src/webhook/start-budget';
import { TemporalCalls } from '../../src/webhook/temporal-calls';
import { newSale, type Sale } from '../workflows/after-sale/harness';
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

test('a transfer to an account number without the id of the account starts a payment that needs a person', async () => {
  const [signal] = await signalsOf({ transfer_account: { ...transfer_account, account_id: undefined } });
  expect(signal).toMatchObject({
    workflowId: `payment:${app.app_id}:order-1`,
    input: { kind: 'adopt', out_trade_no: 'order-1', reasons: ['deposit-without-account'] },
  });
});

test('a notification that names no account number starts a payment that needs nobody', async () => {
  const [signal] = await signalsOf({ transfer_account: { provider: 'STP' } });
  expect(signal?.input).not.toHaveProperty('reasons');
});

describe('after the after-sale has ended', () => {
  /** A sale of 150.00 that was refunded, in full by default, and whose after-sale has ended. */
  const refunded = async (
    act: (sale: Sale, notify: (changes: object, digest: string) => Promise<void>) => Promise<void>,
    { amount = '150.00', ends = 'done' as RefundEnd } = {},
  ) => {
    const sale = await newSale();
    const temporal = new TemporalCalls(sale.client, 'simulated');
    const startBudget = new StartBudget(3);
    const { trade_no } = sale.trade;
    const notify = async (changes: object, digest: string) => {
      const body = ipn({ app_id: APP.app_id, out_trade_no: sale.out_trade_no, trade_no, ...changes });
      const notification = readNotification(body);
      if (!notification) throw new Error('The notification cannot be read.');
      await deliver({ notification, digest, temporal, startBudget });
      await sale.pass(MINUTE);
    };
    sale.gateway.refundPlans = [{ takes_ms: 10_000, ends }];
    const { answer } = await sale.ask(amount, { out_request_no: 'a' });
    await sale.pass(MINUTE);
    // Only its number frees a refund that the gateway had taken.
    if (ends === 'refused') await notify({ trade_status: 'REFUND_REFUSED', out_request_no: 'a' }, 'its end');
    // A part is watched for some days.
    await sale.pass(4 * DAY);
    await answer;
    expect(await sale.isRunning()).toBe(false);
    await act(sale, notify);
  };
  const runOf = async ({ handle }: Sale) => (await handle.describe()).runId;

  test.each(['REFUNDED', 'PARTIAL_REFUND', 'REFUND_PROCESSING'])(
    'an old %s starts nothing, however often it comes',
    (trade_status) =>
      refunded(async (sale, notify) => {
        const run = await runOf(sale);
        for (let i = 0; i < 5; i += 1) await notify({ trade_status }, 'old');
        expect(await runOf(sale)).toBe(run);
      }),
  );

  test('two old ones of parts that went back, in turn, start a run each and no more', () =>
    refunded(
      async (sale, notify) => {
        const runs = new Set<string>();
        // Within ten minutes of the wall clock: the sale has one of its own.
        jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 1));
        for (let i = 0; i < 4; i += 1)
          for (const digest of ['first part', 'second part']) {
            await notify({ trade_status: 'PARTIAL_REFUND' }, digest);
            expect(await sale.isRunning()).toBe(false);
            runs.add(await runOf(sale));
          }
        jest.restoreAllMocks();
        expect(runs.size).toBe(2);
      },
      { amount: '50.00' },
    ));

  test('the end of a refund that was only accepted starts it again, once', () =>
    refunded(
      async (sale, notify) => {
        const [before, run] = [await sale.state(), await runOf(sale)];
        expect(before.refunds).toMatchObject([{ outcome: 'ACCEPTED' }]);
        const named = { trade_status: 'PARTIAL_REFUND', out_request_no: before.refunds[0]?.out_request_no };
        await notify(named, 'its end');
        const again = await runOf(sale);
        expect(again).not.toBe(run);
        expect((await sale.state()).refunds).toMatchObject([{ outcome: 'REFUNDED', confirmed_by: 'notification' }]);
        await notify(named, 'once more');
        expect(await runOf(sale)).toBe(again);
      },
      { amount: '50.00' },
    ));

  test.each([
    ['that the refund has come back', { trade_status: 'REFUND_REVOKE' }],
    ['a chargeback', { trade_status: 'CHARGEBACK' }],
    ['a refund that it does not know', { trade_status: 'REFUNDED', out_request_no: 'of-the-desk' }],
  ])('%s starts it again', (_, changes) =>
    refunded(async (sale, notify) => {
      const run = await runOf(sale);
      await notify(changes, 'news');
      expect(await runOf(sale)).not.toBe(run);
    }),
  );

  test('that a refund which was refused is under way after all starts it again, and a person hears of it', () =>
    refunded(
      async (sale, notify) => {
        sale.trade.refunds.length = 0;
        sale.trade.statusAt = () => 'REFUND_PROCESSING';
        await notify({ trade_status: 'REFUND_PROCESSING', out_request_no: 'a' }, 'news');
        await sale.pass(HOUR);
        expect(await sale.state()).toMatchObject({ trade_status: 'REFUND_PROCESSING', attention: null });
        sale.trade.statusAt = () => 'REFUNDED';
        await sale.pass(DAY);
        expect(await sale.state()).toMatchObject({ trade_status: 'REFUNDED', attention: 'refund-elsewhere' });
      },
      { ends: 'refused' },
    ));
});
