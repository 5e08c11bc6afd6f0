/** Lives of virtual accounts whose histories are kept and replayed, as those of payments are (lives.ts). */
import { accountKeyOf } from '../../src/client';
import type { Stack } from '../../src/testing/stack';
import { APP } from '../../src/testing/stack';
import type { SpeiAccountCreation, SpeiAccountQuantityState, SpeiAccountState } from '../../src/workflows';
import { runsOf, until } from '../harness/runs';
import { refused } from './handler';

/** One of a workflow's runs; where only the id is told, all of them. */
export type Recorded = string | { workflowId: string; runId: string };

/** Lives on a stack whose webhook works, and tells what is to be kept. */
export type Life = (stack: Stack) => Promise<Recorded | Recorded[]>;

/** More than enough for a run to be suggested to end: see SUGGESTED_AT. */
const MANY = 60;
/** How long a run has to be before the server suggests another, where these lives are recorded. */
export const SUGGESTED_AT = 200;

const BY = { by: 'ana', reason: 'compared with the dashboard' };

export const ACCOUNT_LIVES: Record<string, Life> = {
  async 'account-created'({ payments }) {
    await open(payments, 'h-created');
    return creationOf('h-created');
  },
  async 'account-creation-answer-lost'({ payments, simulator, temporal }) {
    simulator.addFault({ on: 'account-create', fault: 'reset-after', buyer_id: 'h-account-lost' });
    const created = open(payments, 'h-account-lost');
    const handle = temporal.client.workflow.getHandle(creationOf('h-account-lost'));
    const state = () => handle.query<SpeiAccountCreation>('state').catch(() => undefined);
    await until(state, (creation) => creation?.attention === 'unknown-outcome');
    const [made] = simulator.accounts({ buyer_id: 'h-account-lost' });
    await handle.executeUpdate('resolve', { args: [{ ...BY, account_id: made?.account_id }] });
    await created;
    return creationOf('h-account-lost');
  },
  async 'account-deposits-repeated-and-canceled'({ payments, simulator }) {
    const account_id = await open(payments, 'h-deposits');
    const { out_trade_no } = await simulator.deposit(account_id, '100.10');
    await simulator.deposit(account_id, '23.35');
    await counted(payments, account_id, 2);
    await simulator.notify(out_trade_no);
    await payments.accounts.cancel(account_id);
    await payments.accounts.cancel(account_id);
    simulator.configure({ depositsAfterCancel: 'accepted' });
    await simulator.deposit(account_id, '1.00');
    await counted(payments, account_id, 3);
    return accountOf(account_id);
  },
  async 'account-mismatch-resolved'({ payments, simulator, temporal }) {
    const account_id = await open(payments, 'h-mismatch');
    await simulator.deposit(account_id, { amount: '3.00', says: { buyer_id: 'somebody-else' } });
    await counted(payments, account_id, 1);
    await payments.accounts.recheck(account_id);
    await temporal.client.workflow
      .getHandle(accountOf(account_id))
      .executeUpdate('resolve', { args: [{ ...BY, seen: 'account-mismatch:1' }] });
    return accountOf(account_id);
  },
  async 'account-adopted-by-a-deposit'({ payments, simulator, temporal }) {
    const account_id = await open(payments, 'h-adopted');
    const { out_trade_no } = await simulator.deposit(account_id, '7.00');
    await counted(payments, account_id, 1);
    await temporal.client.workflow.getHandle(accountOf(account_id)).terminate();
    await simulator.notify(out_trade_no);
    await simulator.deposit(account_id, '8.00');
    await counted(payments, account_id, 2);
    return accountOf(account_id);
  },
  async 'account-unknown-to-the-gateway'({ payments, temporal, taskQueue }) {
    const args = [{ app_id: APP.app_id, account_id: 'nobody' }];
    await temporal.client.workflow.start('speiAccount', { workflowId: accountOf('nobody'), taskQueue, args });
    await payments.accounts.recheck('nobody');
    await payments.accounts.cancel('nobody').catch(() => undefined);
    return accountOf('nobody');
  },
  async 'account-continued-as-new'({ payments, simulator, temporal }) {
    const account_id = await open(payments, 'h-continued');
    // The run ends with events that no handler has taken.
    refused.add(account_id);
    await Promise.all(Array.from({ length: MANY }, () => simulator.deposit(account_id, '1.00')));
    await counted(payments, account_id, MANY);
    const workflowId = accountOf(account_id);
    const runs = await until(
      () => runsOf(temporal.client, workflowId),
      ({ length }) => length > 1,
    );
    refused.delete(account_id);
    // The run that hands on, and the one that goes on with it.
    return [runs.at(-1), runs.at(0)].map((run) => ({ workflowId, runId: run?.runId ?? '' }));
  },
  async 'account-quantity'({ payments, simulator, temporal }) {
    await payments.accounts.quantity();
    const workflowId = `spei-account-quantity:${APP.app_id}`;
    const { accountPool } = simulator.settings;
    simulator.configure({ accountPool: simulator.accounts().length + 1 });
    const state = () => temporal.client.workflow.getHandle(workflowId).query<SpeiAccountQuantityState>('state');
    await until(state, ({ attention }) => attention !== null);
    simulator.configure({ accountPool });
    return workflowId;
  },
};

const creationOf = (buyer_id: string) => `create-spei-account:${APP.app_id}:${accountKeyOf(buyer_id)}`;
const accountOf = (account_id: string) => `spei-account:${APP.app_id}:${account_id}`;

async function open({ accounts }: Stack['payments'], buyer_id: string): Promise<string> {
  const identify = { number: 'HESO900101MDFRFF09', type: 'CURP' };
  const { account_id } = await accounts.create({ customer: { buyer_id, email: 'sofia@example.com', identify } });
  return account_id;
}

function counted({ accounts }: Stack['payments'], account_id: string, count: number): Promise<unknown> {
  const state = (): Promise<SpeiAccountState | undefined> => accounts.get(account_id).catch(() => undefined);
  return until(state, (account) => account?.deposits.count === count);
}
