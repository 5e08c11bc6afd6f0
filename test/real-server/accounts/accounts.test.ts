/** Virtual accounts over everything real: Temporal, the simulated gateway, webhook and worker. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { defineSearchAttributeKey } from '@temporalio/common';
import { AccountNotCreatedError, AccountNotFoundError, accountKeyOf, InvalidAccountError } from '../../../src/client';
import { decisionsIn } from '../../../src/temporal/decisions';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import type { MerchantEvent, SpeiAccountState } from '../../../src/workflows';
import { accountRequest } from '../../harness/accounts';
import { forget } from '../../harness/runs';

let stack: Stack;
const heard: MerchantEvent[] = [];
beforeAll(async () => {
  stack = await startStack({
    env: { PAYMENTS_ACCOUNT_CHECK_EVERY: '2s', PAYMENTS_ACCOUNTS_LOW: '5' },
    simulator: { depositsAfterCancel: 'accepted' },
    onEvent: (event) => void heard.push(event),
  });
});
afterAll(() => stack?.close());
// An account is queried every two seconds until its file ends, however many there are: each test has accounts of its own.
afterEach(async () => {
  const { workflow } = stack.temporal.client;
  for await (const { workflowId } of workflow.list({
    query: "WorkflowType = 'speiAccount' AND ExecutionStatus = 'Running'",
  }))
    await workflow
      .getHandle(workflowId)
      .terminate('its test is over')
      .catch(() => undefined);
});

const attentionKey = defineSearchAttributeKey('PaymentAttention', 'KEYWORD');
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

const open = () => stack.payments.accounts.create(accountRequest());
const handleOf = (account_id: string) =>
  stack.temporal.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`);

/** What `payment-gateway log` has of this workflow, once it is listed with what a person decided. */
async function logged(workflow_id: string) {
  for (;;) {
    const until = new Date(Date.now() + 60_000);
    const all = await decisionsIn(stack.temporal.client, { since: new Date(0), until }, APP.app_id);
    const ofIt = all.filter((one) => one.workflow_id === workflow_id);
    if (ofIt.length > 0) return ofIt;
    await delay(50);
  }
}

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

describe('create', () => {
  test('answers with the account, and the same key again gets the same account', async () => {
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

  test('makes another account for another key of the same buyer', async () => {
    const asked = accountRequest();
    const [one, two] = [
      await stack.payments.accounts.create(asked),
      await stack.payments.accounts.create(asked, { key: `${asked.customer.buyer_id}:2` }),
    ];
    expect(one.account_id).not.toBe(two.account_id);
  });

  test('gives the same key the same account after Temporal has deleted the creation', async () => {
    const asked = accountRequest(`it's "mine" \\ ${randomUUID()}`);
    const account = await stack.payments.accounts.create(asked);
    const workflowId = `create-spei-account:${APP.app_id}:${accountKeyOf(asked.customer.buyer_id)}`;
    const { client } = stack.temporal;
    const followed = () => client.workflow.count(`WorkflowId = 'spei-account:${APP.app_id}:${account.account_id}'`);
    while ((await followed()).count === 0) await delay(50);
    // As if nothing were in the way of a second run under the id.
    const again = await client.workflow.execute('createSpeiAccount', {
      workflowId,
      taskQueue: stack.taskQueue,
      args: [{ app_id: APP.app_id, request: asked }],
    });
    expect(again).toEqual({ account_id: account.account_id });
    expect(stack.simulator.accounts({ buyer_id: asked.customer.buyer_id })).toHaveLength(1);
  });

  test('gives the same key the same account after somebody terminated its workflow and the creation was deleted', async () => {
    const asked = accountRequest();
    const { account_id } = await stack.payments.accounts.create(asked);
    await counted(account_id, 0);
    await handleOf(account_id).terminate();
    await forget(stack.client, `create-spei-account:${APP.app_id}:${accountKeyOf(asked.customer.buyer_id)}`);
    expect(await stack.payments.accounts.create(asked)).toMatchObject({ account_id });
    expect(stack.simulator.accounts({ buyer_id: asked.customer.buyer_id })).toHaveLength(1);
  });

  test('gives the same key the same account where it was terminated, a deposit started it again, and the rest was forgotten', async () => {
    const asked = accountRequest();
    const { account_id } = await stack.payments.accounts.create(asked);
    await counted(account_id, 0);
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

  test('refuses a request that breaks the rules with each wrong field', async () => {
    const wrong = stack.payments.accounts.create({ customer: { buyer_id: 'b', email: 'a+b@example.com' } });
    await expect(wrong).rejects.toBeInstanceOf(InvalidAccountError);
    await expect(wrong).rejects.toMatchObject({
      issues: expect.arrayContaining([{ field: 'customer.email', rule: expect.any(String) }]),
    });
  });

  test('refuses with the gateway’s code when no account is left, and the key can be used again', async () => {
    const asked = accountRequest();
    stack.simulator.configure({ accountPool: 0 });
    const refused = await stack.payments.accounts.create(asked).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AccountNotCreatedError);
    expect(refused).toMatchObject({ details: { sub_code: 'account-pool-run-out' } });
    stack.simulator.configure({ accountPool: 1000 });
    expect(await stack.payments.accounts.create(asked)).toMatchObject({ status: 'ACTIVE' });
  });

  test('waits after a lost answer until a person names the account that was made', async () => {
    const asked = accountRequest();
    stack.simulator.addFault({ on: 'account-create', fault: 'reset-after', buyer_id: asked.customer.buyer_id });
    const created = stack.payments.accounts.create(asked);
    const handle = stack.temporal.client.workflow.getHandle(
      `create-spei-account:${APP.app_id}:${accountKeyOf(asked.customer.buyer_id)}`,
    );
    let state: { attention?: string; unknown_tries?: object[] } = {};
    while (state.attention !== 'unknown-outcome') {
      await delay(50);
      state = await handle.query<object>('state').catch(() => ({}));
    }
    const { unknown_tries: [evidence] = [] } = state;
    const left = stack.simulator.availableAccounts(APP.app_id);
    expect(evidence).toMatchObject({ quantity_before: left + 1, quantity_after: left });
    const [made] = stack.simulator.accounts({ buyer_id: asked.customer.buyer_id });
    await expect(handle.executeUpdate('resolve', { args: [{ account_id: made?.account_id }] })).rejects.toThrow();
    await handle.executeUpdate('resolve', {
      args: [{ account_id: made?.account_id, by: 'ana', reason: 'seen in the dashboard' }],
    });
    expect(await created).toMatchObject({ account_id: made?.account_id, account_number: made?.account_number });
    expect(stack.simulator.accounts({ buyer_id: asked.customer.buyer_id })).toHaveLength(1);
    expect(await logged(handle.workflowId)).toMatchObject([
      { by: 'ana', did: 'resolve', why: 'seen in the dashboard', what: { account_id: made?.account_id } },
    ]);
  });
});

describe('deposits', () => {
  test('are each confirmed by a payment and counted, with an event', async () => {
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

  test('that are notified several times are counted once', async () => {
    const { account_id } = await open();
    const { out_trade_no } = await stack.simulator.deposit(account_id, '5.00');
    await counted(account_id, 1);
    // Each press of the callback button makes other bytes: the time in them differs.
    for (let i = 0; i < 3; i += 1) await stack.simulator.notify(out_trade_no);
    await stack.simulator.deposit(account_id, '1.00');
    expect((await counted(account_id, 2)).deposits).toMatchObject({ count: 2, total: { MXN: '6.00' } });
  });

  test('into an account without a workflow start one, which queries the account and counts them', async () => {
    const account = await open();
    const { account_id } = account;
    await handleOf(account_id).terminate();
    await stack.simulator.deposit(account_id, '7.00');
    const state = await once(account_id, ({ status, deposits }) => status !== null && deposits.count > 0);
    expect(state).toMatchObject({
      status: 'ACTIVE',
      account: { account_number: account.account_number },
      deposits: { total: { MXN: '7.00' } },
    });
  });

  test('whose payment ran before the account was known are counted once', async () => {
    const { account_id } = await open();
    const { out_trade_no, trade_no } = await stack.simulator.deposit(account_id, { amount: '9.00', notify: false });
    const { client } = stack.temporal;
    const payment = await client.workflow.start('payment', {
      workflowId: `payment:${APP.app_id}:${out_trade_no}`,
      taskQueue: stack.taskQueue,
      args: [{ kind: 'adopt', app_id: APP.app_id, trade_no, out_trade_no }],
    });
    await payment.result();
    await stack.simulator.notify(out_trade_no);
    expect((await counted(account_id, 1)).deposits).toMatchObject({ count: 1, total: { MXN: '9.00' } });
  });

  test('that raise attention in the first moment of an account’s workflow reach the merchant’s handler', async () => {
    const { account_id } = await open();
    await handleOf(account_id).terminate();
    const wrong = { account_number: '646180157000000005' };
    await stack.simulator.deposit(account_id, { amount: '2.00', says: wrong });
    expect(await counted(account_id, 1)).toMatchObject({ attention: 'clabe-check-digit' });
    const told = () =>
      heard.find((event) => event.type === 'account-attention' && event.account.account_id === account_id);
    while (told() === undefined) await delay(50);
    expect(told()).toMatchObject({ account: { attention: 'clabe-check-digit' } });
  });

  test('that a terminated run has counted stay counted, and are not counted again', async () => {
    const { account_id } = await open();
    const { out_trade_no } = await stack.simulator.deposit(account_id, '8.00');
    await counted(account_id, 1);
    await handleOf(account_id).terminate();
    await stack.simulator.notify(out_trade_no);
    await stack.simulator.deposit(account_id, '4.00');
    expect(await once(account_id, ({ deposits }) => deposits.count > 1)).toMatchObject({
      attention: null,
      deposits: { count: 2, total: { MXN: '12.00' }, pending: 0, set_aside: [] },
    });
  });

  test('that came to an account which was terminated before a worker had it are counted by the next run', async () => {
    const account_id = `nobody-${randomUUID()}`;
    const { app_id } = APP;
    // No worker polls this task queue.
    const taskQueue = 'nobody';
    const workflowId = `spei-account:${app_id}:${account_id}`;
    const lost = await stack.simulator.deposit((await open()).account_id, { amount: '6.00', notify: false });
    const signal = { app_id, out_trade_no: lost.out_trade_no, trade_status: 'SUCCESS', amount: '6.00' };
    const start = { workflowId, args: [{ app_id, account_id }], signal: 'deposit' };
    const first = await stack.client.workflow.signalWithStart('speiAccount', {
      ...start,
      taskQueue,
      signalArgs: [signal],
    });
    await first.terminate();
    await stack.client.workflow.start('speiAccount', { workflowId, args: start.args, taskQueue: stack.taskQueue });
    expect(await once(account_id, ({ deposits }) => deposits.count > 0)).toMatchObject({
      deposits: { count: 1, total: { MXN: '6.00' } },
    });
  });

  test('that another account has counted already are set aside', async () => {
    const { account_id } = await open();
    const { out_trade_no } = await stack.simulator.deposit(account_id, '8.00');
    await counted(account_id, 1);
    const aside = { out_trade_no, amount: '8.00', currency: 'MXN', because: 'old-deposit' };
    const other = await open();
    const { app_id } = APP;
    const signal = { app_id, out_trade_no, trade_status: 'SUCCESS', amount: '8.00', currency: 'MXN' };
    await handleOf(other.account_id).signal('deposit', signal);
    const isAside = ({ deposits }: SpeiAccountState) => deposits.set_aside.length > 0;
    expect(await once(other.account_id, isAside)).toMatchObject({
      attention: 'old-deposit',
      deposits: { count: 0, total: {}, set_aside: [aside] },
    });
    const told = () => heard.filter(({ type }) => type === 'deposit-set-aside');
    while (told().length < 1) await delay(50);
    expect(told().at(-1)).toMatchObject({
      id: `spei-account:${app_id}:${other.account_id}:set-aside:${out_trade_no}:old-deposit`,
      set_aside: aside,
    });
  });

  test.each([
    ['number', { account_number: '032180000118359719' }],
    ['buyer', { buyer_id: 'somebody-else' }],
    ['provider', { provider: 'ELSE' }],
  ])('with another %s than the account’s are counted, and raise attention', async (_, says) => {
    const { account_id } = await open();
    await stack.simulator.deposit(account_id, { amount: '3.00', says });
    expect(await counted(account_id, 1)).toMatchObject({
      attention: 'account-mismatch',
      deposits: { total: { MXN: '3.00' } },
    });
    const { typedSearchAttributes } = await handleOf(account_id).describe();
    expect(typedSearchAttributes.get(attentionKey)).toBe('account-mismatch');
    await handleOf(account_id).executeUpdate('resolve', {
      args: [{ by: 'ana', reason: 'a second bank', seen: 'account-mismatch:1' }],
    });
    expect(await stack.payments.accounts.get(account_id)).toMatchObject({ attention: null });
    expect(await logged(`spei-account:${APP.app_id}:${account_id}`)).toMatchObject([
      { by: 'ana', did: 'resolve', why: 'a second bank', out_trade_no: null },
    ]);
  });

  test.each(['number', 'string'] as const)(
    'with transfer_timestamp as a %s have the right time',
    async (transferTimestamp) => {
      stack.simulator.configure({ transferTimestamp });
      const { account_id } = await open();
      await stack.simulator.deposit(account_id, '1.00');
      const { deposits } = await counted(account_id, 1);
      expect(Math.abs(Date.parse(deposits.latest[0]?.transferred_at ?? '') - Date.now())).toBeLessThan(60_000);
    },
  );

  test('are listed page by page, with exact amounts', async () => {
    const { account_id } = await open();
    const amounts = ['99999999999999.99', '0.01', '12.10'];
    for (const amount of amounts) await stack.simulator.deposit(account_id, amount);
    await counted(account_id, 3);
    const { accounts } = stack.payments;
    // Visibility is a little behind.
    while ((await accounts.deposits(account_id)).deposits.filter(({ outcome }) => outcome).length < 3) await delay(100);
    const first = await accounts.deposits(account_id, { pageSize: 2 });
    expect(first.deposits).toHaveLength(2);
    const second = await accounts.deposits(account_id, { pageSize: 2, page: first.next_page ?? '' });
    const all = [...first.deposits, ...second.deposits];
    expect(all.map(({ amount }) => amount).sort()).toEqual([...amounts].sort());
    for (const one of all)
      expect(one).toMatchObject({ is: 'counted', because: null, outcome: 'SUCCESS', currency: 'MXN' });
  });
});

describe('an account', () => {
  test('that is canceled twice is CANCELED, and a deposit after that is still counted', async () => {
    const { account_id } = await open();
    expect(await stack.payments.accounts.cancel(account_id)).toMatchObject({ status: 'CANCELED' });
    expect(await stack.payments.accounts.cancel(account_id)).toMatchObject({ status: 'CANCELED' });
    expect(stack.simulator.account(account_id).status).toBe('CANCELED');
    await stack.simulator.deposit(account_id, '4.00');
    expect(await counted(account_id, 1)).toMatchObject({ status: 'CANCELED', deposits: { total: { MXN: '4.00' } } });
    expect((await handleOf(account_id).describe()).typedSearchAttributes.get(statusKey)).toBe('CANCELED');
  });

  test('that was canceled elsewhere is found by the checks, and the merchant’s handler gets an event', async () => {
    const { account_id } = await open();
    await stack.simulator.cancelAccount(account_id);
    await once(account_id, ({ status }) => status === 'CANCELED');
    const told = () =>
      heard.find((event) => event.type === 'account-status' && event.account.account_id === account_id);
    while (told() === undefined) await delay(50);
    expect(told()).toMatchObject({ account: { status: 'CANCELED' } });
  });

  test('that the gateway does not know raises attention, and cannot be canceled', async () => {
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

  test('without a workflow is refused with AccountNotFoundError', async () => {
    await expect(stack.payments.accounts.get('nobody')).rejects.toBeInstanceOf(AccountNotFoundError);
  });

  test('pool is queried at once by quantity(), and raises attention when few accounts are left', async () => {
    const { accounts } = stack.payments;
    expect(await accounts.quantity()).toMatchObject({
      available_quantity: stack.simulator.availableAccounts(APP.app_id),
      attention: null,
    });
    stack.simulator.configure({ accountPool: stack.simulator.accounts().length + 4 });
    expect(await accounts.quantity()).toMatchObject({ available_quantity: 4, low: 5, attention: 'few-accounts' });
    stack.simulator.configure({ accountPool: 1000 });
    const handle = stack.temporal.client.workflow.getHandle(`spei-account-quantity:${APP.app_id}`);
    // The watch finds it without being asked.
    while ((await handle.query<{ attention: string | null }>('state')).attention !== null) await delay(100);
  });
});
