/** `attention.overdue`: what waits too long for a person is told once, by the payment or its after-sale, or by the account. */

import { accountKeyOf } from '../../../src/client';
import {
  type AccountEvent,
  afterSaleWorkflowId,
  createSpeiAccountWorkflowId,
  type MerchantEvent,
  type PaymentEvent,
  paymentWorkflowId,
  personDigest,
  SEARCH_ATTRIBUTE,
  speiAccountQuantityWorkflowId,
  speiAccountWorkflowId,
} from '../../../src/contract';
import { type Simulation, type SimulationOptions, simulate } from '../../../src/testing';
import { APP } from '../../../src/testing/stack';
import { publishedOrder } from '../../harness/orders';

const request = publishedOrder('pix', { timeout_express: '4d' });
const { out_trade_no } = request;
const heard: PaymentEvent[] = [];
const heardOfAccounts: AccountEvent[] = [];
const overdue = () => heard.filter(({ type }) => type === 'attention.overdue');

let simulation: Simulation;
async function start(options: SimulationOptions = {}): Promise<void> {
  heard.length = 0;
  heardOfAccounts.length = 0;
  const onEvent = (event: MerchantEvent) => {
    if ('payment' in event) heard.push(event);
    if ('account' in event) heardOfAccounts.push(event);
  };
  simulation = await simulate({ onEvent, ...options, env: { PAYMENTS_OVERDUE: '2h', ...options.env } });
}
beforeEach(() => start());
afterEach(() => simulation?.close());

const handleOf = (id: typeof paymentWorkflowId) =>
  simulation.temporal.client.workflow.getHandle(id(APP.app_id, out_trade_no));

async function waits(): Promise<void> {
  await simulation.payments.pay(request);
  await handleOf(paymentWorkflowId).signal('odd-signal');
}

test('a wait is told once it is overdue, with who has taken it, and once only', async () => {
  await waits();
  await handleOf(paymentWorkflowId).executeUpdate('take', { args: [{ by: 'ana' }] });
  await simulation.sleep('119 minutes');
  expect(overdue()).toEqual([]);
  await simulation.sleep('2 minutes');
  const [event] = overdue();
  expect(event?.payment).toMatchObject({ out_trade_no, attention: 'unexpected-signal', taken: { by: 'ana' } });
  expect(event?.id).toContain(String(event?.payment.attention_since));
  await simulation.sleep('1 day');
  expect(overdue()).toHaveLength(1);
});

test('a wait that a person ends in time is not told', async () => {
  await waits();
  await simulation.sleep('1 hour');
  await handleOf(paymentWorkflowId).executeUpdate('resolve', { args: [{ by: 'ana', reason: 'found the sender' }] });
  await simulation.sleep('1 day');
  expect(overdue()).toEqual([]);
});

test('a wait that goes on after the payment is told from its beginning, once, and stays taken', async () => {
  await waits();
  await handleOf(paymentWorkflowId).executeUpdate('take', { args: [{ by: 'ana', note: 'asked the sender' }] });
  await simulation.sleep('1 hour');
  simulation.gateway.statusAt = () => 'SUCCESS';
  for (const trade of simulation.gateway.trades.values()) trade.statusAt = () => 'SUCCESS';
  await simulation.payments.outcome(out_trade_no);
  expect(overdue()).toEqual([]);
  await simulation.sleep('61 minutes');
  expect(overdue()).toMatchObject([
    { payment: { outcome: 'SUCCESS', taken: { by: 'ana', note: 'asked the sender' } } },
  ]);
  const sale = handleOf(afterSaleWorkflowId);
  expect(await sale.query('state')).toMatchObject({ attention: 'unexpected-signal', taken: { by: 'ana' } });
  await simulation.sleep('1 day');
  expect(overdue()).toHaveLength(1);
});

test('nobody can take what waits for nobody, and a name is required', async () => {
  await simulation.payments.pay(request);
  const take = (input: object) => handleOf(paymentWorkflowId).executeUpdate('take', { args: [input] });
  await expect(take({ by: 'ana' })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('nothing of it waits') },
  });
  await handleOf(paymentWorkflowId).signal('odd-signal');
  await expect(take({ note: 'mine' })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('by: required') },
  });
});

describe('a virtual account', () => {
  const customer = {
    ...{ buyer_id: 'buyer-mx-1', name: 'Sofía Hernández', email: 'sofia@example.com' },
    identify: { type: 'CURP', number: 'HESO900101MDFRFF09' },
  };
  const workflow = (id: string) => simulation.temporal.client.workflow.getHandle(id);
  /** By this the audit log finds what a person has decided, or taken on. */
  const decidedBy = async (id: string) =>
    (await workflow(id).describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTE.decidedBy);
  const told = () => heardOfAccounts.filter(({ type }) => type === 'account-attention.overdue');

  test('that waits for a person is taken, and told once it is overdue, by whichever run it is', async () => {
    await simulation.close();
    await start({ suggestsContinueAsNewAfter: 20 });
    const { account_id } = await simulation.payments.accounts.create({ customer });
    const id = speiAccountWorkflowId(APP.app_id, account_id);
    const account = workflow(id);
    await account.signal('odd-signal');
    const { attention_since } = await simulation.payments.accounts.get(account_id);
    await account.executeUpdate('take', { args: [{ by: 'ana', note: 'asked the bank' }] });
    expect(await decidedBy(id)).toBe(personDigest('ana'));
    await simulation.sleep('1 hour');
    for (let i = 0; i < 20; i += 1) await account.signal('odd-signal');
    await simulation.sleep('59 minutes');
    expect(told()).toEqual([]);
    expect(simulation.temporal.temporal.runs(id).length).toBeGreaterThan(1);
    await simulation.sleep('2 minutes');
    const taken = { by: 'ana', note: 'asked the bank' };
    expect(told()).toMatchObject([{ account: { account_id, attention: 'unexpected-signal', attention_since, taken } }]);
    await account.executeUpdate('resolve', {
      args: [{ by: 'ben', reason: 'found the sender', seen: 'unexpected-signal:1' }],
    });
    await simulation.sleep('1 day');
    expect(told()).toHaveLength(1);
    expect(await decidedBy(id)).toBe(personDigest('ben'));
    expect(await simulation.payments.accounts.get(account_id)).toMatchObject({ attention_since: null, taken: null });
    await expect(account.executeUpdate('take', { args: [{ by: 'ana' }] })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('nothing of it waits') },
    });
  });

  test('whose creation is unknown, and too few accounts, are taken as well', async () => {
    await simulation.close();
    await start({ env: { PAYMENTS_ACCOUNTS_LOW: '1000000' } });
    simulation.gateway.accounts.mishaps.push('lost after');
    simulation.payments.accounts.create({ customer }).catch(() => undefined);
    await simulation.sleep('1 hour');
    const creation = createSpeiAccountWorkflowId(APP.app_id, accountKeyOf(customer.buyer_id));
    for (const [id, attention] of [
      [creation, 'unknown-outcome'],
      [speiAccountQuantityWorkflowId(APP.app_id), 'few-accounts'],
    ] as const) {
      const taken = await workflow(id).executeUpdate('take', { args: [{ by: 'ana' }] });
      expect(taken).toMatchObject({ attention, attention_since: expect.any(String), taken: { by: 'ana', note: null } });
      expect(await decidedBy(id)).toBe(personDigest('ana'));
    }
  });
});
