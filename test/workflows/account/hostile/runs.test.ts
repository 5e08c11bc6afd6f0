/** An account over terminations, odd starts and other accounts: nothing is lost, and what people read is true. */

import { accountActivities, accountPolicyOf } from '../../../../src/activities';
import { accountBefore } from '../../../../src/activities/account-before';
import { PayloadDecryptionError } from '../../../../src/codec';
import { paymentWorkflowId, speiAccountWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { loadConfig } from '../../../../src/process/settings';
import { answering } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import { said } from '../../hostile/gateway';
import {
  A1,
  accountNow,
  answers,
  attention,
  create,
  earlierRunsAreSilent,
  happens,
  made,
  notify,
  noWorker,
  open,
  resolve,
  terminate,
  transfer,
  trouble,
  update,
  works,
  world,
} from './acts';

const A2 = speiAccountWorkflowId(APP, 'A2');
beforeEach(() => open());

test.each(['SUCCESS', 'CANCEL'])(
  'promise 8: a person’s %s of a deposit’s payment settles it, although the deposit was notified again before',
  async (outcome) => {
    // Operators: the decision is taken, and the same order is before a person again, as often as the gateway repeats itself.
    world.gateway.trouble = 'no such order';
    const deposit = world.gateway.deposit('A1', '100.00');
    await happens(notify(deposit), HOUR, notify(deposit), HOUR);
    const id = paymentWorkflowId(APP, deposit.out_trade_no);
    const decision = { by: 'ana', reason: 'the dashboard', outcome };
    await update('resolve', id, decision);
    await world.pass(DAY);
    expect((await accountNow())?.deposits).toMatchObject({ pending: 0, count: outcome === 'SUCCESS' ? 1 : 0 });
    expect(world.temporal.runs(id)).toHaveLength(1);
  },
);

test('promise 8: "we keep asking" is true of a cancel that came to a run which nobody can ask any more', async () => {
  // The merchant: the account stays open at the gateway, and nobody asks it to cancel ever again.
  await happens(transfer('1.00'), HOUR, trouble('unreachable'));
  const asked = await update('cancel');
  await world.pass(HOUR);
  expect(JSON.stringify(asked?.outcome)).toContain('We keep asking it');
  // Its code does not replay with the worker that was deployed, so somebody ends it, and no query of it is answered.
  earlierRunsAreSilent();
  await happens(terminate, works, MINUTE, transfer('2.00'), DAY);
  expect(world.gateway.accounts[0]?.status).toBe('CANCELED');
});

test('promise 8: a deposit that comes long after its account began to read what it knew, and cannot, is before a person', async () => {
  // The buyer waits for as long as the list of workflows is down: the one look for deposits that wait was before the first came.
  const { workflow } = world.temporal.client;
  const listed = workflow.list.bind(workflow);
  const list = jest.spyOn(workflow, 'list').mockImplementation((options) => {
    if (world.temporal.latest(A2)) throw new Error('visibility is down');
    return listed(options);
  });
  await happens(create('k1'), HOUR);
  world.notify(world.gateway.deposit('A2', '500.00'));
  await world.pass(DAY);
  expect(await world.state('A2')).toMatchObject({ attention: 'overdue-deposit', deposits: { pending: 1 } });
  list.mockRestore();
  await world.pass(DAY);
  expect(await world.state('A2')).toMatchObject({ attention: null, deposits: { count: 1, pending: 0 } });
});

test('promise 4: one trade is not counted by two accounts where the list of workflows does not know yet how a payment has ended', async () => {
  // The merchant loses 100.00: one transfer credited to two buyers, no attention.
  world.gateway.makeAccount('other');
  const deposit = world.gateway.deposit('A1', '100.00');
  await happens(notify(deposit), HOUR);
  const first = world.temporal.latest(paymentWorkflowId(APP, deposit.out_trade_no))?.runId;
  const { workflow } = world.temporal.client;
  const listed = workflow.list.bind(workflow);
  jest.spyOn(workflow, 'list').mockImplementation((options) => {
    const runs = listed(options);
    async function* behind() {
      for await (const run of runs)
        yield run.runId === first ? { ...run, status: { code: 1 as const, name: 'RUNNING' as const } } : run;
    }
    return Object.assign(behind(), { intoHistories: runs.intoHistories.bind(runs) });
  });
  world.notify({ ...deposit, account_id: 'A2' });
  await world.pass(HOUR);
  const [one, other] = [await accountNow(), await world.state('A2')];
  expect([one?.deposits.count, other?.deposits.count]).toEqual([1, 0]);
  expect(other?.attention).toBe('old-deposit');
});

test('promise 8: deposits of a terminated run that is deleted while it is read are not passed over in silence', async () => {
  // Its retention, or a person: the first page has said that there are more, and by the next one nobody has them.
  // No worker ever had the run with the second deposit, so only its history has that.
  await happens(transfer('1.00'), HOUR, terminate, noWorker(MINUTE), transfer('2.00'), 1_000, terminate);
  Object.assign(world.temporal.activities.functions, {
    'payments.account-before': async (input: Parameters<typeof accountBefore>[0]) => {
      if (input.left !== null) await world.temporal.forget(A1);
      return accountBefore(input);
    },
  });
  await happens(transfer('3.00'), HOUR);
  expect(await accountNow()).toMatchObject({
    attention: 'lost-deposits',
    deposits: { count: 2, total: { MXN: '4.00' } },
  });
  // It stays until a person has looked, whatever is counted meanwhile.
  await happens(transfer('5.00'), HOUR);
  expect(await attention()).toBe('lost-deposits');
  await happens(resolve, MINUTE);
  expect(await attention()).toBeNull();
});

test('promise 3: a signal that no converter reads does not stop the next run of a terminated account', async () => {
  const data = Buffer.from('{}');
  const poison = [{ metadata: { encoding: Buffer.from('refused (clear text)') }, data }];
  await happens(transfer('100.00'), HOUR);
  expect((await accountNow())?.deposits.count).toBe(1);
  await happens(noWorker(MINUTE), () => world.temporal.latest(A1)?.signal('deposit', poison), terminate, HOUR);
  await happens(transfer('7.00'), 3 * DAY);
  expect(world.acknowledged).toHaveLength(2);
  expect(await accountNow()).toMatchObject({ deposits: { count: 2, total: { MXN: '107.00' } } });
});

test('promise 3: a deposit that a worker has no key for is not passed over: another worker reads it', async () => {
  await happens(transfer('1.00'), MINUTE, noWorker(15 * MINUTE), transfer('2.00'), MINUTE, terminate, 20 * MINUTE);
  let tries = 0;
  Object.assign(world.temporal.activities.functions, {
    'payments.account-before': async (input: Parameters<typeof accountBefore>[0]) => {
      tries += 1;
      if (tries === 1) throw new PayloadDecryptionError('it was encrypted with the key "k2"');
      return accountBefore(input);
    },
  });
  await happens(transfer('3.00'), 2 * HOUR);
  expect((await accountNow())?.deposits).toMatchObject({ count: 3, total: { MXN: '6.00' } });
});

test.each([
  ['also where their endpoint was down for an hour', false],
  ['also where the account was terminated in that hour', true],
])('what merchants were told: each counted deposit, at least once: %s', async (_, isTerminated) => {
  const { push } = world.events;
  world.events.push = () => {
    throw new Error('the endpoint is down');
  };
  await happens(transfer('500.00'), HOUR);
  expect((await accountNow())?.deposits.count).toBe(1);
  if (isTerminated) world.terminate('A1');
  await world.pass(MINUTE);
  world.events.push = push;
  await happens(transfer('1.00'), DAY);
  const heard = world.events.flatMap((event) => (event.type === 'deposit' ? [event.deposit.out_trade_no] : []));
  expect((await accountNow())?.deposits).toMatchObject({ count: 2, total: { MXN: '501.00' } });
  expect(heard.toSorted()).toEqual(['D1', 'D2']);
});

test('promise 3: a deposit of which a person says that it came is counted, although the gateway gives no answer', async () => {
  world.gateway.trouble = 'unreachable';
  const deposit = world.gateway.deposit('A1', '0.10');
  const { out_trade_no } = deposit;
  await happens(notify(deposit), 3 * HOUR, resolve, works, HOUR);
  expect(await accountNow()).toMatchObject({
    // No query has confirmed the amount: a person compares it.
    attention: 'amount-mismatch',
    deposits: { latest: [{ out_trade_no, amount: '0.10' }], set_aside: [] },
  });
});

describe('promise 1: one key, one account, also after retention has forgotten the creation and every closed run', () => {
  const depositInto = async (account_id: string) => {
    world.notify(world.gateway.deposit(account_id, '5.00'));
    await world.pass(MINUTE);
  };
  const depositBeforeTheAnswer = async () => {
    await world.close();
    await open({ creations: ['answer lost'] });
    await happens(create('k1'), MINUTE);
    await depositInto('A2');
  };
  const createAgain = async () => {
    await world.pass(HOUR);
    await world.forget();
    await happens(create('k1'), HOUR);
    expect(made()).toHaveLength(1);
    expect(answers()).not.toHaveLength(0);
    expect(new Set(answers())).toEqual(new Set([made()[0]?.account_id]));
  };

  test('where a deposit came before the creation’s answer was known', async () => {
    await happens(depositBeforeTheAnswer, resolve, createAgain);
  });

  test('where somebody has terminated the account, and a deposit has started it again', async () => {
    await happens(create('k1'), HOUR);
    world.terminate('A2');
    await depositInto('A2');
    await createAgain();
  });
});

describe('promise 8: an account whose run somebody has ended knows what it is', () => {
  const run = () => world.temporal.latest(A2);
  const ENDS = {
    terminated: () => world.terminate('A2'),
    'terminated, and asked in vain': () => {
      earlierRunsAreSilent();
      world.terminate('A2');
    },
    reset: () =>
      world.within(async () => {
        const ended = run();
        if (ended) world.temporal.reset(ended);
      }),
  };
  const ends = Object.entries(ENDS);
  const deposit = () => world.notify(world.gateway.deposit('A2', '5.00'));

  test.each(ends)('whose it is: a deposit of another buyer is before a person: %s', async (_, end) => {
    await happens(create('k1'), HOUR, end, deposit, HOUR);
    expect((await world.state('A2'))?.account).toMatchObject({ buyer_id: 'k1' });
    const { out_trade_no, trade_no, amount } = world.gateway.deposit('A2', '7.00');
    const transfer_account = { account_id: 'A2', buyer_id: 'somebody else' };
    const paid = { out_trade_no, trade_no, trade_status: 'SUCCESS', amount, currency: 'MXN', transfer_account };
    await happens(() => world.oddSignal('A2', { app_id: APP, ...paid }), HOUR);
    expect(await world.state('A2')).toMatchObject({ attention: 'account-mismatch', deposits: { count: 2 } });
  });
});

describe('promise 8: that an account waits too long for a person is told once for each wait', () => {
  const odd = () => world.oddSignal('A1', { nothing: 1 });
  const told = () => world.events.filter(({ type }) => type === 'account-attention.overdue');

  test('where PAYMENTS_OVERDUE has become shorter than a wait that an earlier run began, and then longer again', async () => {
    await world.close();
    await open({ continuesAfter: 40 });
    let PAYMENTS_OVERDUE = '10d';
    const settings = { PAYMENTS_ACCOUNT_CHECK_EVERY: '1h' };
    const now = () => {
      const policy = accountPolicyOf(loadConfig({ ...settings, PAYMENTS_OVERDUE }), ['handler']);
      return accountActivities({ gateways: world.apps, notifyUrl: undefined, policy });
    };
    Object.assign(world.temporal.activities.functions, now());
    await happens(transfer('1.00'), HOUR, odd, 5 * HOUR);
    while (world.temporal.runs(A1).length < 2) await happens(transfer('1.00'), MINUTE);
    for (const [setting, times] of [
      ['2h', 1],
      ['3h', 1],
      ['1h', 1],
    ] as const) {
      PAYMENTS_OVERDUE = setting;
      Object.assign(world.temporal.activities.functions, now());
      await world.pass(DAY);
      expect(told()).toHaveLength(times);
    }
  });
});

test('promise 8: events say that an account needs a person, and that it needs nobody any more', async () => {
  await happens(transfer('1.00'), HOUR, () => world.oddSignal('A1', { nothing: 1 }), HOUR);
  await world.resolve();
  await world.pass(HOUR);
  const told = world.events.flatMap((event) =>
    'account' in event && /attention/.test(event.type) ? [[event.type, event.account.attention]] : [],
  );
  expect(told).toEqual([
    ['account-attention', 'unexpected-signal'],
    ['account-attention.cleared', null],
  ]);
});

test('promise 8: what a person has to know of a creation’s answer does not come back with each run', async () => {
  await open({ continuesAfter: 40 });
  const undo = answering(world.gateway, async ({ path, ask }) => {
    const { status, body } = await ask();
    const text = new TextDecoder().decode(body);
    return path.endsWith('/spei/create') ? said(status, text.replace('"ACTIVE"', '"PENDING"')) : { status, body };
  });
  await happens(create('k1'), MINUTE);
  undo();
  await world.pass(2 * DAY);
  const before = (await world.state('A2'))?.attention;
  const deposit = () => world.notify(world.gateway.deposit('A2', '1.00'));
  while (world.temporal.runs(A2).length < 3) await happens(deposit, MINUTE);
  expect([before, (await world.state('A2'))?.attention]).toEqual([null, null]);
});
