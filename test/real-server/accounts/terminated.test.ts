/** Takeovers of virtual accounts on a real server with keys set. */
import { randomUUID } from 'node:crypto';
import { accountKeyOf } from '../../../src/client';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { SpeiAccountState } from '../../../src/workflows';
import { key, setting } from '../../codec/support';
import { accountRequest } from '../../harness/accounts';
import { forget, until } from '../../harness/runs';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_ACCOUNT_CHECK_EVERY: '2s', PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) },
  });
});
afterAll(() => stack?.close());

const idOf = (account_id: string) => `spei-account:${APP.app_id}:${account_id}`;
const handleOf = (account_id: string) => stack.client.workflow.getHandle(idOf(account_id));

/** The account's state, once it is as expected. */
const once = (account_id: string, is: (state: SpeiAccountState) => boolean) =>
  until(
    () => stack.payments.accounts.get(account_id).catch(() => undefined),
    (state) => state !== undefined && is(state),
  );
const counted = (account_id: string, count: number) => once(account_id, ({ deposits }) => deposits.count >= count);
/** The gateway has answered the run's first query. */
const followed = (account_id: string) => once(account_id, ({ status }) => status !== null);

test('with keys set, a typed signal in clear text stops no account, and its ledger outlives a termination', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await stack.simulator.deposit(account_id, '1.00');
  await counted(account_id, 1);
  // As `temporal workflow signal --name deposit --input '{}'` does.
  await stack.temporal.client.workflow.getHandle(idOf(account_id)).signal('deposit', { out_trade_no: 'typed' });
  await stack.simulator.deposit(account_id, '2.00');
  await counted(account_id, 2);
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '4.00');
  const state = await counted(account_id, 3);
  expect(state?.deposits).toMatchObject({ count: 3, total: { MXN: '7.00' } });
});

test('a key has the same account where that was terminated, a deposit started it again, and the rest was forgotten', async () => {
  const asked = accountRequest();
  const { buyer_id } = asked.customer;
  const { account_id } = await stack.payments.accounts.create(asked);
  await followed(account_id);
  const { runId } = await handleOf(account_id).describe();
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '3.00');
  await counted(account_id, 1);
  await forget(stack.client, `create-spei-account:${APP.app_id}:${accountKeyOf(buyer_id)}`);
  await forget(stack.client, idOf(account_id), runId);
  expect(await stack.payments.accounts.create(asked)).toMatchObject({ account_id });
  expect(stack.simulator.accounts({ buyer_id })).toHaveLength(1);
});

// Last: what it leaves is a queue of payments that no gateway knows.
/** Temporal takes no answer of an activity that is larger. */
const ANSWER_BYTES = 2 * 1024 * 1024;
/** So many large deposits are more than one answer. */
const PILE = 1_101;

test('more acknowledged deposits than one activity may answer with are taken over', async () => {
  const { account_id } = await stack.payments.accounts.create(accountRequest());
  await followed(account_id);
  await handleOf(account_id).terminate();
  // No worker: nobody works on this queue. What the webhook has acknowledged piles up.
  const { client } = stack;
  const deposit = (i: number) => ({
    ...{ app_id: APP.app_id, out_trade_no: `pile-${i}-`.padEnd(64, 'x'), trade_no: `T-${i}-`.padEnd(64, 'x') },
    ...{ trade_status: 'SUCCESS', amount: '100.00', currency: 'MXN', method: 'SPEI' },
    transfer_account: {
      ...{ account_id, account_number: '646180157000000004', provider: 'STP', buyer_id: `buyer-${randomUUID()}` },
      ...{ beneficiary_name: 'Sofía Hernández Ortega '.repeat(70), transfer_timestamp: '1767600000' },
    },
  });
  const sizes = Array.from({ length: PILE }, (_, i) => Buffer.byteLength(JSON.stringify(deposit(i))));
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(ANSWER_BYTES);
  const put = (i: number) =>
    client.workflow.signalWithStart('speiAccount', {
      workflowId: idOf(account_id),
      taskQueue: 'nobody',
      args: [{ app_id: APP.app_id, account_id }],
      signal: 'deposit',
      signalArgs: [deposit(i)],
    });
  await put(0);
  for (let i = 1; i < PILE; i += 50) await Promise.all(Array.from({ length: 50 }, (_, k) => put(i + k)));
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '4.00');
  // One that the gateway does not know goes to a person, on a busy machine before the state is read.
  await once(account_id, ({ deposits: { count, pending, set_aside } }) => count + pending + set_aside.length >= PILE);
  const { status } = await handleOf(account_id).describe();
  expect(status.name).toBe('RUNNING');
});
