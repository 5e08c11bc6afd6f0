/** Promises 3 and 4: each deposit is counted once, with the amount that a query shows, or is before a person. */

import { tellOrder } from '../../../../src/activities/account-workflows';
import {
  type AfterSaleState,
  afterSaleWorkflowId,
  type PaymentState,
  paymentWorkflowId,
  speiAccountWorkflowId,
} from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { order } from '../../../harness/orders';
import { rewording } from '../../hostile/answering';
import { APP } from '../../hostile/base-world';
import {
  accountNow,
  attentionOf,
  happens,
  move,
  notify,
  open,
  resolve,
  terminate,
  transfer,
  trouble,
  works,
  world,
} from './acts';

/** A deposit of A1 whose payment the webhook started, because no worker ran when it was notified as open. */
async function countedOfWebhook() {
  await world.leaveWithoutWorker(MINUTE);
  const deposit = world.gateway.deposit('A1', '100.00', 'PROCESSING');
  await happens(notify(deposit, 'PROCESSING'), 2 * MINUTE, move(deposit, 'SUCCESS'), notify(deposit), HOUR);
  expect((await accountNow())?.deposits).toMatchObject({ count: 1, total: { MXN: '100.00' } });
  return deposit;
}
beforeEach(() => open());

test.each(['-100.00', '0.00', '1e300', '1.500,00'])(
  'a deposit whose amount is no money (%s) is before a person, and never counted',
  async (amount) => {
    world.notify(world.gateway.deposit('A1', '500.00'));
    await world.pass(DAY);
    const deposit = world.gateway.deposit('A1', amount);
    world.notify(deposit);
    await world.pass(DAY);
    const deposits = { count: 1, total: { MXN: '500.00' } };
    expect(await world.state('A1')).toMatchObject({ attention: 'overdue-deposit', deposits });
    const payment = paymentWorkflowId(APP, deposit.out_trade_no);
    expect(attentionOf(payment)).toBe('amount-mismatch');
    const decision = { outcome: 'SUCCESS', by: 'ana', reason: 'the bank shows it' };
    await world.within(async () => void world.temporal.update(payment, 'resolve', decision));
    await world.pass(DAY);
    expect(await world.state('A1')).toMatchObject({ attention: 'unconfirmed-deposit', deposits });
  },
);

test.each([
  ['after that one was counted', HOUR],
  ['while that one is pending', 0],
])(
  'a deposit of another trade under the number of an earlier one, notified %s, is before a person once',
  async (_, after_ms) => {
    const first = world.gateway.deposit('A1', '100.00');
    await happens(notify(first), after_ms);
    const second = { ...first, trade_no: 'T2', amount: '70.00' };
    world.gateway.trades.push(second);
    await happens(notify(second, 'SUCCESS', { times: 3 }), DAY);
    expect(await accountNow()).toMatchObject({
      attention: 'second-deposit',
      deposits: {
        ...{ count: 1, total: { MXN: '100.00' }, pending: 0 },
        set_aside: [{ out_trade_no: 'D1', trade_no: 'T2', amount: '70.00', because: 'second-deposit' }],
      },
    });
    expect(world.events.filter(({ type }) => type === 'deposit-set-aside')).toHaveLength(1);
    await happens(resolve, notify(second), DAY);
    expect(await accountNow()).toMatchObject({ attention: null, deposits: { count: 1 } });
  },
);

test.each(['100.00', '70.00'])(
  'promise 4: a deposit of %s that the gateway denies is not counted with the money of another account’s, whose number it has',
  async (amount) => {
    const other = world.gateway.makeAccount('other');
    await countedOfWebhook();
    world.notify(world.gateway.deposit(other.account_id, amount, 'CANCEL', 'D1'), 'SUCCESS');
    await world.pass(DAY);
    expect(await world.state(other.account_id)).toMatchObject({
      attention: expect.any(String),
      deposits: { count: 0, pending: 0, set_aside: [{ out_trade_no: 'D1', trade_no: 'T2', amount }] },
    });
  },
);

test('promise 4: a trade that one account has counted is not counted by another one under a second number', async () => {
  const other = world.gateway.makeAccount('other');
  const deposit = world.gateway.deposit('A1', '100.00');
  await happens(notify(deposit), HOUR);
  world.notify({ ...deposit, account_id: other.account_id, out_trade_no: 'X-D1' });
  await world.pass(DAY);
  expect(await accountNow()).toMatchObject({ attention: null, deposits: { count: 1 } });
  expect(await world.state(other.account_id)).toMatchObject({
    attention: 'second-deposit',
    deposits: { count: 0, pending: 0, set_aside: [{ out_trade_no: 'X-D1', trade_no: 'T1' }] },
  });
});

test('a deposit that is notified in one currency and confirmed in another is before a person', async () => {
  rewording(world.gateway, '', (text) => text.replace('"MXN"', '"USD"'));
  await happens(transfer('100.00'), HOUR);
  expect((await accountNow())?.attention).not.toBeNull();
});

test('promise 8: a deposit that is not confirmed is overdue after ten minutes in an account that is busy, too', async () => {
  await world.close();
  await open({ continuesAfter: 40 });
  world.notify(world.gateway.deposit('A1', '500.00', 'PROCESSING'), 'SUCCESS');
  for (let minute = 0; minute < 21; minute += 1) await happens(transfer('1.00'), MINUTE);
  expect(world.temporal.runs(speiAccountWorkflowId(APP, 'A1')).length).toBeGreaterThan(2);
  expect(await accountNow()).toMatchObject({ attention: 'overdue-deposit', deposits: { count: 21, pending: 1 } });
});

describe('promise 8: that a deposit was unconfirmed', () => {
  /** The gateway denies it until a person ends its payment. */
  const unconfirmed = async () => {
    const first = world.gateway.deposit('A1', '100.00');
    await happens(trouble('no such order'), notify(first), HOUR, () => world.terminatePayment(first), MINUTE, works);
    expect(await accountNow()).toMatchObject({ attention: 'unconfirmed-deposit' });
    return first;
  };

  test.each([
    ['', []],
    [', by a later run', [terminate, MINUTE]],
  ] as const)('is settled once it is counted%s', async (_, before) => {
    const first = await unconfirmed();
    await happens(...before, notify(first), HOUR);
    expect(await accountNow()).toMatchObject({ attention: null, unseen: [], deposits: { count: 1, set_aside: [] } });
  });

  test('stays where another trade under its number is counted', async () => {
    const first = await unconfirmed();
    first.states.splice(0);
    world.notify(world.gateway.deposit('A1', '70.00', 'SUCCESS', first.out_trade_no));
    await world.pass(HOUR);
    expect(await accountNow()).toMatchObject({
      attention: 'unconfirmed-deposit',
      unseen: [{ because: 'unconfirmed-deposit', deposit: { trade_no: 'T1', amount: '100.00' } }],
      deposits: { count: 1, total: { MXN: '70.00' } },
    });
  });
});

describe('promise 3: money that was notified as a deposit before its number was an order’s is told to that order', () => {
  const ORDER = paymentWorkflowId(APP, 'D1');
  const AFTER = afterSaleWorkflowId(APP, 'D1');
  /** A merchant asks for an order under the number of the deposit. */
  const ask = () =>
    world.within(async () => {
      const { request } = order({ out_trade_no: 'D1' });
      world.temporal.start('payment', ORDER, { kind: 'direct', app_id: APP, request });
    });
  /** The activity that tells the order does it so, until it is mended. */
  function tellingBy(way: (tell: () => ReturnType<typeof tellOrder>) => ReturnType<typeof tellOrder>): () => void {
    const { functions } = world.temporal.activities;
    const by = (input: Parameters<typeof tellOrder>[0]) => way(() => tellOrder(input));
    Object.assign(functions, { 'payments.tell-order': by });
    return () => void Object.assign(functions, { 'payments.tell-order': tellOrder });
  }
  /** As where a worker lacks a key. */
  const cannotTell = () => tellingBy(() => Promise.reject(new Error('it was encrypted with the key "k2"')));
  const stateOf = <State>(id: string) =>
    world.within(async () => {
      const run = world.temporal.latest(id);
      return run && world.temporal.query<State>(run, 'state');
    });
  const acknowledgedBeforeTheOrder = (status?: string) => async () => {
    await happens(() => world.leaveWithoutWorker(HOUR), transfer('500.00', status), MINUTE);
    expect(world.acknowledged).toHaveLength(1);
    await ask();
  };
  const SECOND = { other_trades: [{ trade_no: 'T1', trade_status: 'SUCCESS', order_amount: '500.00' }] };
  const isBeforeAPerson = async () => {
    expect(world.attentions).toContainEqual(expect.objectContaining({ workflowId: ORDER, attention: 'second-trade' }));
    expect(await stateOf<PaymentState>(ORDER)).toMatchObject(SECOND);
    expect(await accountNow()).toMatchObject({ deposits: { count: 0, pending: 0 } });
  };

  test('which runs, where the account is terminated before it has told it', async () => {
    await happens(acknowledgedBeforeTheOrder());
    const mend = cannotTell();
    await happens(2 * HOUR, terminate, mend, transfer('1.00'), HOUR);
    expect(world.attentions).toContainEqual(expect.objectContaining({ workflowId: ORDER, attention: 'second-trade' }));
    expect(await stateOf<PaymentState>(ORDER)).toMatchObject(SECOND);
    expect(await accountNow()).toMatchObject({ deposits: { count: 1, pending: 0 } });
  });

  test('which somebody has terminated', async () => {
    await happens(acknowledgedBeforeTheOrder());
    const mend = cannotTell();
    await happens(2 * HOUR, () => world.within(async () => world.temporal.latest(ORDER)?.terminate()), mend, HOUR);
    await isBeforeAPerson();
  });

  test('which has ended', async () => {
    await happens(acknowledgedBeforeTheOrder());
    const mend = cannotTell();
    await happens(
      2 * HOUR,
      () => world.gateway.trades.flatMap((one) => one.trade_no === 'T2' && move(one, 'SUCCESS')()),
      DAY,
    );
    expect(await stateOf<PaymentState>(ORDER)).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T2', other_trades: [] });
    await happens(mend, DAY);
    expect(await stateOf<AfterSaleState>(AFTER)).toMatchObject({ attention: 'second-trade', ...SECOND });
  });

  test('where it was notified as open at first, and as paid while the order was told of that', async () => {
    await happens(acknowledgedBeforeTheOrder('PROCESSING'));
    // The order has the news and has looked; the worker's word that it was told is slow.
    let isSlow = false;
    const mend = tellingBy(async (tell) => {
      if (!isSlow) await tell();
      if (!isSlow) throw new Error('the worker cannot report yet');
      mend();
      return { is: 'told', told: true };
    });
    await happens(2 * HOUR);
    // The webhook had asked for the order a moment before it was there.
    const paid = { out_trade_no: 'D1', trade_no: 'T1', trade_status: 'SUCCESS', amount: '500.00', currency: 'MXN' };
    await happens(move('D1', 'SUCCESS'), () => world.oddSignal('A1', { app_id: APP, ...paid }));
    isSlow = true;
    await happens(2 * DAY);
    await isBeforeAPerson();
  });
});
