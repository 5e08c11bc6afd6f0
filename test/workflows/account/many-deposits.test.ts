/** Many deposits, late ones, and ones that the gateway does not know: each is counted once, and the account goes on. */

import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { FakeGateway } from '../../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../../src/testing/simulated-temporal/environment';
import { APP } from '../../../src/testing/stack';
import { fakeWorkerActivities } from '../../../src/testing/worker-activities';
import type { CarriedAccount, NotifiedDeposit, SpeiAccountInput, SpeiAccountState } from '../../../src/workflows';

let env: SimulatedEnvironment;
let gateway: FakeGateway;
beforeEach(async () => {
  env = await SimulatedEnvironment.create();
  gateway = new FakeGateway(() => env.currentTimeMs());
  gateway.accounts.statuses.set('A1', 'ACTIVE');
  env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway }));
});
afterEach(() => env?.teardown());

const WORKFLOW_ID = `spei-account:${APP.app_id}:A1`;

async function follow(carried?: CarriedAccount) {
  const input: SpeiAccountInput = { app_id: APP.app_id, account_id: 'A1', carried };
  if (carried === undefined) env.temporal.start('speiAccount', WORKFLOW_ID, input);
  else env.temporal.continueAs('speiAccount', WORKFLOW_ID, input);
  const handle = env.client.workflow.getHandle(WORKFLOW_ID);
  return { handle, state: () => handle.query<SpeiAccountState>('state') };
}

const deposit = (out_trade_no: string, more: Partial<NotifiedDeposit> = {}): NotifiedDeposit => ({
  ...{ out_trade_no, trade_no: `T${out_trade_no}`, trade_status: 'SUCCESS', amount: '100.00', currency: 'MXN' },
  ...{ transferred_s: 1_767_600_000, ...more },
});
const notify = (out_trade_no: string, more: Partial<NotifiedDeposit> = {}) => {
  const { transferred_s, ...fields } = deposit(out_trade_no, more);
  const transfer_account = { account_id: 'A1', transfer_timestamp: transferred_s };
  return env.temporal.signal(WORKFLOW_ID, 'deposit', { app_id: APP.app_id, ...fields, transfer_account });
};

test('a deposit that the gateway knows only after a day is counted then, and settles the attention', async () => {
  const { state } = await follow();
  notify('late');
  await env.sleep(DAY);
  expect(await state()).toMatchObject({ attention: 'overdue-deposit', deposits: { count: 0, pending: 1 } });
  await gateway.addTrade('late', { order_amount: '100.00', order_currency: 'MXN', trade_no: 'Tlate' });
  await env.sleep(DAY);
  expect(await state()).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
});

test.each(['REFUNDED', 'PARTIAL_REFUND', 'CHARGEBACK', 'REFUND_PROCESSING'])(
  'a deposit that is %s at the first look is not money in',
  async (status) => {
    const { state } = await follow();
    const money = { order_amount: '100.00', order_currency: 'MXN', trade_no: 'Tback' };
    await gateway.addTrade('back', { ...money, statusAt: () => status });
    notify('back');
    await env.sleep(HOUR);
    expect(await state()).toMatchObject({
      attention: 'returned-deposit',
      deposits: { count: 0, total: {}, pending: 0, set_aside: [{ out_trade_no: 'back', because: 'returned-deposit' }] },
    });
  },
);

test('a deposit of which a refund tells first, with its own sum, is counted with its own, and nobody is asked', async () => {
  const { state } = await follow();
  const money = { order_amount: '100.00', order_currency: 'MXN', trade_no: 'Tkept' };
  await gateway.addTrade('kept', { ...money, statusAt: () => 'REFUND_REFUSED' });
  notify('kept', { trade_status: 'REFUND_REFUSED', amount: '30.00' });
  await env.sleep(HOUR);
  notify('kept', { trade_status: 'PARTIAL_REFUND', amount: '20.00' });
  await env.sleep(HOUR);
  expect(await state()).toMatchObject({
    attention: null,
    deposits: { count: 1, total: { MXN: '100.00' }, pending: 0, set_aside: [] },
  });
});

/** A number of so many characters. */
const long = (name: string, i: number, length = 64) => `${name}-${i}-`.padEnd(length, 'x');
/** Few deposits that are as large as many. */
const LARGE = 4_800;

test('what piles up while a run ends is never handed on beyond what Temporal takes, and none is lost', async () => {
  gateway.isDown = true;
  const ledger: CarriedAccount['ledger'] = {
    ...{ count: 10_000, total: { MXN: '1000000.00' }, latest: [], set_aside: [], forgotten_until: null },
    pending: Array.from({ length: 150 }, (_, i) => deposit(long('waits', i), { trade_no: long('T', i, LARGE) })),
    counted: Array.from({ length: 10_000 }, (_, i) => [long('counted', i), [1_767_000_000, null, ['1.00']]]),
  };
  const carried = {
    since: 0,
    asked: 0,
    unseen: [],
    wait: null,
    published: { status: 'ACTIVE', attention: null, overdue: null },
    cancel: null,
    ...{ canceled_at: null, account: { account_id: 'A1' } },
  };
  const { state } = await follow({ ...carried, ledger });
  await env.sleep(MINUTE);
  env.temporal.leaveWithoutWorker(10 * MINUTE);
  for (let i = 0; i < 150; i += 1) notify(long('new', i), { trade_no: long('N', i), amount: `1.${'0'.repeat(LARGE)}` });
  await env.sleep(HOUR);
  const handedOn = env.temporal.runs(WORKFLOW_ID).slice(1);
  for (const { start } of handedOn)
    for (const { data } of start.args) expect(data?.length ?? 0).toBeLessThan(2_000_000);
  expect((await state()).deposits).toMatchObject({ count: 10_000, pending: 300 });
});

/** How many events the histories of all runs of the account have, without those of workflow tasks. */
const eventsOfAccount = () => env.temporal.runs(WORKFLOW_ID).reduce((sum, { events }) => sum + events, 0);

test('a genuine deposit behind 250 that the gateway denies is counted within a minute, for 20 events a deposit', async () => {
  const { state } = await follow();
  for (let i = 0; i < 250; i += 1) notify(`unknown-${i}`);
  await gateway.addTrade('genuine', { order_amount: '100.00', order_currency: 'MXN', trade_no: 'Tgenuine' });
  notify('genuine');
  await env.sleep(MINUTE);
  expect((await state()).deposits).toMatchObject({ count: 1, total: { MXN: '100.00' }, pending: 250 });
  expect(eventsOfAccount()).toBeLessThan(20 * 251);
  // A later one waits behind none of them.
  await gateway.addTrade('later', { order_amount: '7.00', order_currency: 'MXN', trade_no: 'Tlater' });
  notify('later');
  await env.sleep(10_000);
  expect((await state()).deposits).toMatchObject({ count: 2, total: { MXN: '107.00' } });
});

test('100 deposits in an outage of three hours cost a bounded history, and all are counted after it', async () => {
  const { state } = await follow();
  gateway.isDown = true;
  for (let i = 0; i < 100; i += 1) {
    await gateway.addTrade(`D${i}`, { order_amount: '1.00', order_currency: 'MXN', trade_no: `TD${i}` });
    notify(`D${i}`, { amount: '1.00' });
  }
  await env.sleep(MINUTE);
  const began = eventsOfAccount();
  await env.sleep(3 * HOUR);
  expect(eventsOfAccount() - began).toBeLessThan(100);
  gateway.isDown = false;
  await env.sleep(2 * HOUR);
  expect(await state()).toMatchObject({ attention: null, deposits: { count: 100, total: { MXN: '100.00' } } });
});
