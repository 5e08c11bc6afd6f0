/** Virtual accounts over everything real: Temporal, the simulated gateway, webhook and worker. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { accountKeyOf } from '../../../src/client';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { MerchantEvent, SpeiAccountState } from '../../../src/workflows';
import { accountRequest } from '../../harness/accounts';
import { forget } from '../../harness/runs';

let stack: Stack;
const heard: MerchantEvent[] = [];
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_ACCOUNT_CHECK_EVERY: '2s' },
    onEvent: (event) => void heard.push(event),
  });
});
afterAll(() => stack?.close());

const open = () => stack.payments.accounts.create(accountRequest());
const handleOf = (account_id: string) =>
  stack.temporal.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`);

/** The account's state, once it is as expected. */
async function once(account_id: string, is: (state: SpeiAccountState) => boolean): Promise<SpeiAccountState> {
  for (;;) {
    // One that was terminated cannot be asked before it is adopted.
    const state = await stack.payments.accounts.get(account_id).catch(() => undefined);
    if (state && is(state)) return state;
    await delay(100);
  }
}
const counted = (account_id: string, count: number) => once(account_id, ({ deposits }) => deposits.count >= count);

test('a creation answers with the account, and the same key again gets the same account', async () => {
  const asked = accountRequest();
  const account = await stack.payments.accounts.create(asked);
  expect(account).toMatchObject({
    account_number: expect.stringMatching(/^\d{18}$/),
    status: 'ACTIVE',
    provider: 'STP',
  });
  expect(await stack.payments.accounts.create(asked)).toEqual(account);
  expect(stack.simulator.accounts({ buyer_id: asked.customer.buyer_id })).toHaveLength(1);
  // A workflow id is in clear for everybody who reads Temporal.
  for await (const { workflowId } of stack.temporal.client.workflow.list()) {
    expect(workflowId).not.toContain(asked.customer.buyer_id);
  }
  expect(await stack.payments.accounts.get(account.account_id)).toMatchObject({
    status: 'ACTIVE',
    attention: null,
    account: { ...account, buyer_id: asked.customer.buyer_id },
    deposits: { count: 0, total: {}, latest: [] },
  });
});

test('a key has the same account where that was terminated, a deposit started it again, and the rest was forgotten', async () => {
  const asked = accountRequest();
  const { account_id } = await stack.payments.accounts.create(asked);
  await once(account_id, () => true);
  const { runId } = await handleOf(account_id).describe();
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '3.00');
  await counted(account_id, 1);
  const creation = `create-spei-account:${APP.app_id}:${accountKeyOf(asked.customer.buyer_id)}`;
  await forget(stack.client, creation);
  await forget(stack.client, handleOf(account_id).workflowId, runId);
  expect(await stack.payments.accounts.create(asked)).toMatchObject({ account_id });
  expect(stack.simulator.accounts({ buyer_id: asked.customer.buyer_id })).toHaveLength(1);
  const { searchAttributes } = await handleOf(account_id).describe();
  expect(searchAttributes.PaymentAccountKeys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
});

test('deposits are each confirmed by a payment and counted, with an event', async () => {
  const { account_id } = await open();
  const first = await stack.simulator.deposit(account_id, '100.10');
  await stack.simulator.deposit(account_id, '23.35');
  const state = await counted(account_id, 2);
  expect(state).toMatchObject({ attention: null, deposits: { count: 2, total: { MXN: '123.45' }, pending: 0 } });
  expect(await stack.payments.state(first.out_trade_no)).toMatchObject({
    outcome: 'SUCCESS',
    confirmed_by: 'query',
    order_amount: '100.10',
  });
  const told = () => heard.filter((event) => event.type === 'deposit' && event.account.account_id === account_id);
  while (told().length < 2) await delay(50);
  expect(told().map(({ id }) => id)).toContain(`spei-account:${APP.app_id}:${account_id}:${first.out_trade_no}`);
  expect(told().at(-1)).toMatchObject({ account: { deposits: { count: 2, total: { MXN: '123.45' } } } });
});

test('an account that the gateway does not know raises attention, and cannot be canceled', async () => {
  const { client } = stack.temporal;
  const workflowId = `spei-account:${APP.app_id}:nobody-${randomUUID()}`;
  const account_id = workflowId.split(':')[2] ?? '';
  await client.workflow.start('speiAccount', {
    workflowId,
    taskQueue: stack.taskQueue,
    args: [{ app_id: APP.app_id, account_id }],
  });
  expect(await stack.payments.accounts.recheck(account_id)).toMatchObject({
    attention: 'unknown-account',
    status: null,
  });
  await expect(stack.payments.accounts.cancel(account_id)).rejects.toMatchObject({ name: 'AccountNotCanceledError' });
});
