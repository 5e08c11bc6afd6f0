/** An account goes on after its termination where payloads are encrypted, and where it was terminated for what nobody could read. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SpeiAccountState } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` } });
});
afterAll(() => stack?.close());

const request = (buyer_id: string) => ({
  customer: { buyer_id, email: 'sofia@example.com', identify: { number: 'HESO900101MDFRFF09', type: 'CURP' } },
});
const handleOf = (account_id: string) => stack.client.workflow.getHandle(`spei-account:${APP.app_id}:${account_id}`);

async function once(account_id: string, is: (state: SpeiAccountState) => boolean): Promise<SpeiAccountState> {
  for (;;) {
    const state = await stack.payments.accounts.get(account_id).catch(() => undefined);
    if (state && is(state)) return state;
    await delay(100);
  }
}

test('with keys set, an account that was terminated keeps its ledger', async () => {
  const { account_id } = await stack.payments.accounts.create(request('one'));
  await stack.simulator.deposit(account_id, '8.00');
  await once(account_id, ({ deposits }) => deposits.count === 1);
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '4.00');
  expect(await once(account_id, ({ deposits }) => deposits.count > 1)).toMatchObject({
    attention: null,
    deposits: { count: 2, total: { MXN: '12.00' }, pending: 0, set_aside: [] },
  });
});

test('an account that was terminated because of a signal in clear text goes on, and no deposit is lost', async () => {
  const { account_id } = await stack.payments.accounts.create(request('two'));
  await stack.simulator.deposit(account_id, '8.00');
  await once(account_id, ({ deposits }) => deposits.count === 1);
  // `temporal.client` has no keys: its signal fails every task of the workflow.
  const blind = stack.temporal.client.workflow.getHandle(handleOf(account_id).workflowId);
  await blind.signal('deposit', { app_id: APP.app_id, out_trade_no: 'made-up', trade_status: 'SUCCESS' });
  await stack.simulator.deposit(account_id, '4.00');
  await handleOf(account_id).terminate();
  await stack.simulator.deposit(account_id, '2.00');
  const state = await once(
    account_id,
    ({ deposits: { count, pending, set_aside } }) => pending === 0 && count + set_aside.length > 2,
  );
  // What the stuck run may have counted is before a person; what nobody has counted is counted.
  const numbers = [...state.deposits.latest, ...state.deposits.set_aside].map(({ amount }) => amount);
  expect(numbers.sort()).toEqual(['2.00', '4.00', '8.00']);
  expect(state.attention).toBe(state.deposits.set_aside.length > 0 ? 'old-deposit' : null);
});
