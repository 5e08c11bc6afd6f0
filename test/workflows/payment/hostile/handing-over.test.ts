/** What a payment hands over to the order’s after-sale, in whatever order it comes. */

import { isSold } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { Act } from '../../hostile/happens';
import {
  AFTER,
  adopt,
  adoptAlone,
  afterSale,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  costs,
  decide,
  endWhileSilent,
  forget,
  handOver,
  happens,
  move,
  notify,
  noWorker,
  oddSignal,
  open,
  outcome,
  outcomeNow,
  pay,
  recheck,
  refund,
  reset,
  running,
  sale,
  say,
  sell,
  settle,
  startBroken,
  stateNow,
  tell,
  terminate,
  tradeAt,
  tradesKnown,
  trouble,
  works,
  world,
} from './acts';
import { SECOND } from './schedule';
import { MERCHANTS_REFUND } from './world';

async function notMade() {
  await happens(pay, 1 * SECOND, oddSignal('somethingElse', 1), 5 * MINUTE);
  expect(answers()).toEqual(['NotCreatedError']);
  expect((await afterSale())?.attention).toBe('unexpected-signal');
}

test.each([200, 500, 1000, 1500, 2000, 3000, 4000, 5000])(
  'a payment that hands itself over while the after-sale finds nobody is not lost: %s',
  async (ms) => {
    await begin({ lag_ms: 30 * SECOND });
    await happens(trouble('unreachable'), refund, ms, works, pay, 10);
    if (world.run) await world.resolveRun(world.run, 'CANCEL');
    await happens(10, 10 * MINUTE, move('T1', 'SUCCESS'), 3 * DAY);
    expect(await outcome()).toBe('SUCCESS');
  },
);

test('a reset of the after-sale asks nobody again of what a person has settled', async () => {
  await begin({});
  await happens(pay, MINUTE, anotherTold('SUCCESS'), 10 * MINUTE, tell('T1', 'SUCCESS'), HOUR, settle({}), HOUR);
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run);
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(null);
});

test('a reset of the after-sale while late money is refunded sends nothing twice', async () => {
  await begin({ late: 'refund', method: 'Wallet', mishaps: ['answer lost'] });
  await happens(pay, MINUTE, decide('CANCEL'), HOUR, tell('T1', 'SUCCESS'), 10);
  for (let i = 0; i < 40 && world.gateway.refunds.length === 0; i += 1) await world.pass(100);
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run);
  await world.pass(2 * DAY);
  expect(world.gateway.refunds.length).toBe(1);
});

test('a payment of another order, signalled by mistake, changes nothing', async () => {
  await begin({ late: 'refund', method: 'Wallet' });
  await happens(sell, anotherTold('PROCESSING'), MINUTE);
  const other = { out_trade_no: 'order-2', trade_no: 'T77', outcome: 'CANCEL', confirmed_by: 'query' };
  await happens(handOver({ ...(await stateNow()), ...other, other_trades: [], history: [] }), HOUR);
  expect((await sale()).trade_no).toBe('T1');
});

test.each(['attention', 'refund', 'accept'] as const)(
  'a CANCEL of an order that was not made does not make the next sale late money (%s)',
  async (late) => {
    await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    await happens(notMade, settle({ outcome: 'CANCEL' }), 5 * MINUTE, pay, MINUTE, tell('T1', 'SUCCESS'), HOUR);
    const one = await sale();
    await happens(tell('T1', 'DISPUTE'), HOUR);
    await happens(move('T1', 'CHARGEBACK'), move('T1', 'CHARGEBACK_REVERSED'), tell('T1', 'SUCCESS'), DAY);
    await afterSale();
    expect(one.outcome).toBe('SUCCESS');
    expect(world.gateway.refunds).toEqual([]);
  },
);

describe('a refund that is asked for before its payment has ended', () => {
  /** The buyer has paid, and the payment has not heard of it when the merchant asks for the money back. */
  const notifyRefund = (status: string) => () => world.notify(tradeAt(0), status, { number: MERCHANTS_REFUND });
  const paidUnheard = () => happens(pay, MINUTE, move('T1', 'SUCCESS'), SECOND, refund, 10 * SECOND);

  test.each([
    ['hears of the end that a notification brings', notify('T1', 'SUCCESS')],
    ['hears of the end that a poll brings', recheck],
  ])('%s: nobody delivers what went back', async (_title, ends) => {
    await begin({ plan: { startsAfter_ms: HOUR, takes_ms: 0, ends: 'done' } });
    await happens(paidUnheard, ends, MINUTE);
    expect((await afterSale())?.payment).toMatchObject({ outcome: 'SUCCESS' });
    await happens(DAY);
    expect(world.gateway.refunds).toHaveLength(1);
    const state = await stateNow();
    expect([state.trade_status, isSold(state)]).toEqual(['REFUNDED', false]);
    expect((await afterSale())?.payment).toMatchObject({ outcome: 'SUCCESS', trade_status: 'REFUNDED' });
  });

  test('knows the sale of an order that was not paid when it was asked for', async () => {
    await begin({});
    await happens(pay, MINUTE, refund, MINUTE, tell('T1', 'SUCCESS'), MINUTE);
    expect(world.gateway.refunds).toEqual([]);
    const payment = { outcome: 'SUCCESS', trade_status: 'SUCCESS' };
    expect(await afterSale()).toMatchObject({ payment, order_amount: '150', attention: null });
    expect(running()).toEqual([]);
  });

  test('tells a payment once, however often it is asked for', async () => {
    await begin({});
    await happens(pay, MINUTE, refund, MINUTE);
    const [payment] = world.temporal.runs(world.workflowId);
    const told = payment?.events;
    await happens(refund, MINUTE, refund, MINUTE);
    expect(world.temporal.runs(AFTER)).toHaveLength(3);
    expect(payment?.events).toBe(told);
  });

  describe('while a person is asked about another amount', () => {
    const otherAmount = () => happens(pay, MINUTE, costs('T1', '100'), tell('T1', 'SUCCESS'), MINUTE);
    const eventsOfPayment = () => world.temporal.runs(world.workflowId)[0]?.events;

    test('tells the payment of us and of its money, however often it is asked for', async () => {
      await begin({});
      await happens(otherAmount, refund, MINUTE, refund, MINUTE);
      const told = eventsOfPayment();
      await happens(refund, MINUTE, refund, MINUTE, refund, MINUTE);
      expect(eventsOfPayment()).toBe(told);
      expect(world.gateway.refunds).toEqual([]);
    });

    test('says that it waits for the payment, and goes once a person has decided', async () => {
      await begin({});
      await happens(otherAmount);
      const asked = world.payments.refund(world.out_trade_no, { out_request_no: MERCHANTS_REFUND });
      const refused = expect(asked).rejects.toThrow('The payment still runs');
      await happens(MINUTE);
      await refused;
      await happens(decide('CANCEL'), MINUTE, refund, MINUTE);
      expect(world.gateway.refunds).toHaveLength(1);
    });

    test('goes once somebody has terminated the payment', async () => {
      await begin({});
      await happens(otherAmount, refund, MINUTE, refund, MINUTE, terminate, MINUTE, refund, MINUTE);
      expect(world.gateway.refunds).toHaveLength(1);
    });
  });

  test('hears of the end by the next run, where the payment is terminated before it has seen anything', async () => {
    await begin({ plan: { startsAfter_ms: HOUR, takes_ms: 0, ends: 'done' } });
    await happens(
      anotherMade('SUCCESS'),
      endWhileSilent(() => happens(adopt, SECOND, refund)),
      adopt,
      MINUTE,
    );
    expect((await afterSale())?.payment).toMatchObject({ outcome: 'SUCCESS' });
  });

  test('hears of the end of a payment that begins later', async () => {
    await begin({});
    await happens(anotherMade('SUCCESS'), refund, MINUTE, adopt, MINUTE);
    expect((await afterSale())?.payment).toMatchObject({ outcome: 'SUCCESS' });
  });

  test.each(['REFUND_REFUSED', 'REFUNDED'])(
    'hears of the end that a notification to its payment names: %s',
    async (named) => {
      await begin({ plan: { startsAfter_ms: HOUR, takes_ms: 0, ends: named === 'REFUNDED' ? 'done' : 'refused' } });
      await happens(paidUnheard);
      world.gateway.move(tradeAt(0), named, MERCHANTS_REFUND);
      await happens(notifyRefund(named), HOUR);
      expect((await afterSale())?.payment).toMatchObject({ outcome: 'SUCCESS' });
      expect((await afterSale())?.refunds).toMatchObject([{ outcome: named, confirmed_by: 'notification' }]);
    },
  );
});

test.each<[string, Act]>([
  ['reset', reset],
  ['terminated and adopted', () => happens(terminate, 5 * SECOND, adopt)],
])('an order that was sent twice is known to be so by the run after one that was %s', async (_how, act) => {
  await begin({ creations: ['carried out late', 'none'], late_ms: 20_000, lag_ms: 29_000, shows: 'the first' });
  await happens(pay, 42 * SECOND, act, MINUTE, move('T1', 'SUCCESS'), 10 * HOUR, move('T2', 'SUCCESS'), 10 * HOUR);
  expect((await tradesKnown()).sort()).toEqual(['T1', 'T2']);
});

test('a trade that is taken on is found by a gateway that knows it by the order’s number alone', async () => {
  await begin({ findsBy: 'out_trade_no alone' });
  await happens(pay, MINUTE, terminate, MINUTE, tell('T1', 'SUCCESS'), 3 * HOUR);
  expect(await outcome()).toBe('SUCCESS');
});

test('an order that has ended stays so, and is answered as before, where its number is started anew in a broken way', async () => {
  await begin({ forgetsAfter_ms: 3 * MINUTE });
  await happens(pay, MINUTE, move('T1', 'EXPIRED'), recheck, 10 * MINUTE, startBroken, 12 * HOUR, pay, MINUTE);
  expect([await outcome(), await outcomeNow(), answers(), running()]).toEqual(['EXPIRED', 'EXPIRED', ['T1', 'T1'], []]);
});

test('promise 3: what was notified just before the end is not lost where the payment is terminated before its after-sale starts', async () => {
  await begin({ method: 'Wallet', childStarts_ms: HOUR });
  await happens(
    pay,
    MINUTE,
    anotherMade('SUCCESS'),
    noWorker(MINUTE),
    1_000,
    notify('T2'),
    say({ outcome: 'CANCEL' }),
    5 * MINUTE,
  );
  await happens(terminate, HOUR, adopt, 2 * DAY);
  expect(await tradesKnown()).toEqual(expect.arrayContaining(['T1', 'T2']));
  expect(attentions()).toContain('late-payment');
});

test('promise 8: a reason that comes while the after-sale is told for the first time is not lost by a termination', async () => {
  await begin({ method: 'Wallet', childStarts_ms: HOUR });
  await happens(pay, MINUTE, say({ outcome: 'CANCEL' }), 10 * MINUTE, oddSignal('somethingElse', 1), 52 * MINUTE);
  await happens(terminate, HOUR, adopt, DAY);
  expect(open()).toEqual(['unexpected-signal']);
});

test('promise 8: an after-sale that begins to wait while the app’s attention is started is told that there is no order', async () => {
  await begin({ creations: ['credentials'], childStarts_ms: MINUTE });
  await happens(pay, 10_000, refund, 2 * DAY);
  expect([open(), running().includes('afterSale')]).toEqual([['credentials'], false]);
});

test('a contradicted notification that is handed over asks nobody once the gateway confirms it', async () => {
  await begin({ method: 'Wallet', late: 'accept' });
  await happens(pay, MINUTE, notify('T1', 'SUCCESS'), HOUR, move('T1', 'CANCEL'), 30 * MINUTE);
  await happens(move('T1', 'SUCCESS'), notify('T1', 'SUCCESS'), 2 * HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: null });
});

describe('an end of a run that ordered nothing', () => {
  const takeOnSecond = () =>
    world.start('ALLOW_DUPLICATE', world.workflowId, [
      { kind: 'adopt', app_id: 'hostile', out_trade_no: 'order-1', trade_no: 'T2' },
    ]);

  test('tells the after-sale of another trade, also where Temporal has forgotten the order', async () => {
    await begin();
    await happens(sell, tell('T1', 'DISPUTE'), 31 * DAY, forget);
    await happens(anotherMade('SUCCESS'), takeOnSecond, DAY);
    expect((await afterSale())?.other_trades).toMatchObject([{ trade_no: 'T2', trade_status: 'SUCCESS' }]);
  });

  test('is no news where it is only restored: no dispute of long ago comes back', async () => {
    await begin();
    await happens(pay, MINUTE, tell('T1', 'DISPUTE'), HOUR, settle({}), HOUR, tell('T1', 'CHARGEBACK'), DAY);
    await happens(settle({}), HOUR, tell('T1', 'CHARGEBACK_REVERSED'), DAY, settle({}), HOUR, tell('T1', 'SUCCESS'));
    await happens(32 * DAY, forget, adopt, MINUTE);
    expect(await afterSale()).toMatchObject({ attention: null, bank_said: null });
  });

  test('puts before a person what somebody has decided there against the order', async () => {
    await begin({ method: 'Wallet' });
    await happens(pay, MINUTE, decide('EXPIRED'), HOUR, adoptAlone('T1'), HOUR);
    const said = { by: 'ana', reason: 'bank statement', outcome: 'SUCCESS' };
    await happens(() => void world.temporal.update('payment:hostile:T1', 'resolve', said), DAY);
    expect(await afterSale()).toMatchObject({ payment: { outcome: 'EXPIRED' }, attention: 'unlisted-transition' });
  });

  test.each(['PARTIAL_REFUND', 'CHARGEBACK'])(
    'says nothing of the order’s money by %s of another trade',
    async (status) => {
      await begin();
      await happens(sell, HOUR, anotherMade(status), adoptAlone('T2'), DAY);
      expect(await afterSale()).toMatchObject({ trade_no: 'T1', attention: 'second-trade', ledger_complete: true });
    },
  );

  test('asks nobody about a trade that nobody has named', async () => {
    await begin({ method: 'Wallet' });
    await happens(trouble('429'), pay, HOUR, decide('EXPIRED'), HOUR, works, 31 * DAY);
    await happens(forget, adopt, DAY);
    expect(open()).toEqual([]);
  });
});
