/** Takeovers of virtual accounts on a real server with keys set. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { SpeiAccountState } from '../../../src/workflows';
import { key, setting } from '../../codec/support';
import { accountRequest } from '../../harness/accounts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_ACCOUNT_CHECK_EVERY: '2s', PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) },
  });
});
afterAll(() => stack?.close());

const idOf = (account_id: string) => `spei-account:${APP.app_id}:${account_id}`;
const handleOf = (account_id: string) => stack.client.workflow.getHandle(idOf(account_id));

/** The account's state once it is as expected, or what it is after 20 seconds. */
async function soon(account_id: string, is: (state: SpeiAccountState) => boolean, within_ms = 20_000) {
  const until = Date.now() + within_ms;
  for (;;) {
    const state = await stack.payments.accounts.get(account_id).catch(() => undefined);
    if ((state && is(state)) || Date.now() > until) return state;
    await delay(100);
  }
}
const counted = (account_id: string, count: number) => soon(account_id, ({ deposits }) => deposits.count >= count);

test('with keys set, an account that was terminated keeps its ledger', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await stack.simulator.deposit(account_id, '8.00');
  await counted(account_id, 1);
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '4.00');
  expect((await counted(account_id, 2))?.deposits).toMatchObject({ count: 2, total: { MXN: '12.00' }, set_aside: [] });
});

test('3: with keys set, one signal in clear text that a person typed does not silence an account for good, also after a termination', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await stack.simulator.deposit(account_id, '1.00');
  await counted(account_id, 1);
  // As `temporal workflow signal --name deposit --input '{}'` does.
  await stack.temporal.client.workflow.getHandle(idOf(account_id)).signal('deposit', { out_trade_no: 'typed' });
  await stack.simulator.deposit(account_id, '2.00');
  await delay(2_000);
  await handleOf(account_id).terminate('it cannot go on');
  await stack.simulator.deposit(account_id, '4.00');
  const state = await soon(account_id, ({ deposits }) => deposits.count >= 3);
  expect(state?.deposits).toMatchObject({ count: 3, total: { MXN: '7.00' } });
});

test('3: more acknowledged deposits than one activity may answer with are taken over', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await counted(account_id, 0);
  await delay(1_000);
  await handleOf(account_id).terminate();
  // No worker: nobody works on this queue. What the webhook has acknowledged piles up.
  const { client } = stack;
  const deposit = (i: number) => ({
    ...{ app_id: APP.app_id, out_trade_no: `pile-${i}-`.padEnd(64, 'x'), trade_no: `T-${i}-`.padEnd(64, 'x') },
    ...{ trade_status: 'SUCCESS', amount: '100.00', currency: 'MXN', method: 'SPEI' },
    transfer_account: {
      ...{ account_id, account_number: '646180157000000004', provider: 'STP', buyer_id: `buyer-${randomUUID()}` },
      ...{ beneficiary_name: 'Sofía Hernández Ortega', transfer_timestamp: '1767600000' },
    },
  });
  const put = (i: number) =>
    client.workflow.signalWithStart('speiAccount', {
      workflowId: idOf(account_id),
      taskQueue: 'nobody',
      args: [{ app_id: APP.app_id, account_id }],
      signal: 'deposit',
      signalArgs: [deposit(i)],
    });
  await put(0);
  for (let i = 1; i < 4_500; i += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => put(i + k)));
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '4.00');
  const state = await soon(account_id, ({ deposits }) => deposits.count + deposits.pending > 4_400, 60_000);
  const { status } = await handleOf(account_id).describe();
  expect(status.name).toBe('RUNNING');
  expect((state?.deposits.count ?? 0) + (state?.deposits.pending ?? 0)).toBeGreaterThan(4_400);
});

test('3: a deposit that was set aside, settled by a person and then paid is counted or before a person, where the run ends before a worker has it', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await counted(account_id, 0);
  await delay(1_000);
  await handleOf(account_id).terminate();
  const { out_trade_no, trade_no } = await stack.simulator.deposit(account_id, { amount: '500.00', notify: false });
  const aside = { out_trade_no, trade_no, amount: '500.00', currency: 'MXN', transferred_at: null };
  const ledger = {
    ...{ count: 0, total: {}, latest: [], pending: [], counted: [], forgotten_until: null },
    set_aside: [{ ...aside, because: 'unconfirmed-deposit' }],
  };
  const published = { status: 'ACTIVE', attention: null };
  const carried = { since: Date.now(), attention: null, published, cancel_wanted: false, ledger };
  // As a run that has continued as new while no worker ran.
  await stack.client.workflow.signalWithStart('speiAccount', {
    workflowId: idOf(account_id),
    taskQueue: 'nobody',
    args: [{ app_id: APP.app_id, account_id, carried }],
    signal: 'deposit',
    signalArgs: [
      {
        ...{ app_id: APP.app_id, out_trade_no, trade_no, trade_status: 'SUCCESS', amount: '500.00', currency: 'MXN' },
        transfer_account: { account_id },
      },
    ],
  });
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '1.00');
  const state = await counted(account_id, 2);
  expect({ attention: state?.attention, ...state?.deposits }).toMatchObject({ count: 2, total: { MXN: '501.00' } });
});
