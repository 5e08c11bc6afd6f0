/** Money after another end was told: it is late money, before a person or given back once (promises 5 and 7). */

import { isSold } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  adopt,
  adoptAlone,
  anotherMade,
  anotherTold,
  attentions,
  begin,
  costs,
  creations,
  decide,
  endCancelled,
  endWhileSilent,
  handOver,
  happens,
  listIsDown,
  move,
  notify,
  outcome,
  outcomeNow,
  pay,
  refund,
  reset,
  sale,
  sell,
  settle,
  startAgain,
  startBroken,
  stateNow,
  tell,
  terminate,
  tradeAt,
  trouble,
  works,
  world,
} from './acts';
import { saysSuccess } from './changed-answers';
import { refunding, SECOND } from './schedule';

test.each([
  ['before it is sent back', [settle({ outcome: 'CANCEL' }), MINUTE, refund, MINUTE]],
  ['after it was sent back', [refund, MINUTE, settle({ outcome: 'CANCEL' }), MINUTE]],
])('promise 5: late money that a person calls CANCEL %s is no sale that a shop delivers', async (_when, steps) => {
  await begin({ method: 'Wallet', plan: { takes_ms: DAY, ends: 'done' } });
  await happens(endCancelled, tell('T1', 'SUCCESS'), 10 * MINUTE, ...steps);
  const run = world.temporal.latest(AFTER);
  const { payment, trade_status } = await world.afterSale(run ?? fail('no after-sale'));
  expect([payment && isSold(payment), trade_status]).toEqual([false, 'REFUND_PROCESSING']);
});

test.each([[{}], [{ outcome: 'SUCCESS' }]])(
  'promise 5: late money whose refund was not made is a sale once a person delivers for it: %j',
  async (said) => {
    await begin({ late: 'refund', method: 'PIX' });
    await happens(endCancelled, tell('T1', 'SUCCESS'), HOUR);
    const run = () => world.temporal.latest(AFTER) ?? fail('no after-sale');
    const before = await world.afterSale(run());
    await happens(settle(said), MINUTE);
    const { payment } = await world.afterSale(run());
    expect([before.attention, payment && isSold(payment)]).toEqual(['late-payment', true]);
  },
);

test('promise 7: a sold order is not sent back where a run that adopted its number was terminated and a start was broken', async () => {
  await begin(refunding);
  await happens(sell, endWhileSilent(adopt), startBroken, HOUR);
  expect(world.gateway.refunds).toEqual([]);
});

test('promise 7: a refund of what a person had called sold does not go to another system’s trade after a notification named ours', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, method: 'Wallet' });
  await happens(pay, 8 * SECOND, decide('SUCCESS'), MINUTE, tell('T1', 'SUCCESS'), 10 * MINUTE);
  await happens(anotherMade('SUCCESS'), 5 * MINUTE, refund, HOUR);
  expect(world.gateway.refunds.map(({ trade_no }) => trade_no)).not.toContain('T2');
});

test.each([
  [3, 'is notified and acknowledged', true],
  [5, 'is not notified', false],
])(
  'promise %s: money that comes after a person’s CANCEL, and %s, is before a person where the creation’s answer had said SUCCESS too early',
  async (_promise, _how, isNotified) => {
    await begin();
    saysSuccess(false);
    await happens(pay, 10 * MINUTE);
    expect(await outcome()).toBe(null);
    await happens(decide('CANCEL'), HOUR, move('T1', 'SUCCESS'));
    if (isNotified) world.notify(tradeAt(0));
    await world.pass(10 * HOUR);
    expect(world.acknowledged).toHaveLength(isNotified ? 1 : 0);
    expect([await outcome(), attentions()]).not.toEqual(['CANCEL', []]);
  },
);

test('the setting PAYMENTS_LATE: money after EXPIRED goes back, although the payment was reset meanwhile', async () => {
  await begin(refunding);
  await happens(pay, 10 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  await happens(reset, MINUTE, tell('T1', 'SUCCESS'), 2 * DAY);
  expect([world.gateway.refunds.length, attentions().includes('late-payment')]).not.toEqual([0, false]);
});

test('promise 1: the money of an unproven trade, which a person had called off, is not sent back by itself', async () => {
  await begin({ ...refunding, heldBack: 3 });
  await happens(pay, SECOND, terminate, anotherMade(), startAgain, 10 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T1', attention: 'unproven-trade' });
  await happens(decide('CANCEL'), 10 * MINUTE, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(creations()).toEqual([]);
  expect(world.gateway.refunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test('promise 1: the money of a trade that was adopted because ours had no number is not sent back by itself', async () => {
  await begin({ ...refunding, creations: ['lost before it arrived'], lag_ms: 10 * SECOND });
  await happens(pay, 8 * SECOND, decide('CANCEL'), MINUTE, anotherMade(), notify('T1'), MINUTE);
  await happens(move('T1', 'CANCEL'), 2 * HOUR);
  expect(await sale()).toEqual({ outcome: 'CANCEL', trade_no: null, attention: null });
  await happens(tell('T1', 'SUCCESS'), 3 * HOUR);
  expect(world.gateway.refunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test('PAYMENTS_LATE=refund: what is paid in time is not sent back because somebody has terminated the payment', async () => {
  await begin(refunding);
  await happens(pay, MINUTE, terminate, MINUTE, tell('T1', 'SUCCESS'), HOUR);
  expect(world.gateway.refunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test('another amount than ordered, after a person has said SUCCESS of an order that ended without money', async () => {
  await begin({ method: 'Wallet' });
  await happens(pay, MINUTE, decide('CANCEL'), HOUR);
  await happens(
    settle({ outcome: 'SUCCESS', although: 'CANCEL' }),
    costs('T1', '15.00'),
    tell('T1', 'SUCCESS'),
    2 * DAY,
  );
  expect(attentions()).toContain('amount-mismatch');
});

test('late money is not refunded once a person has said SUCCESS', async () => {
  await begin({ late: 'refund', method: 'Wallet', mishaps: Array(60).fill('unreachable') });
  await happens(endCancelled, tell('T1', 'SUCCESS'), 3 * MINUTE, settle({ outcome: 'SUCCESS' }), 2 * DAY);
  expect(world.gateway.refunds).toEqual([]);
});

test.each(['', '2'])('a second trade that a person has settled stays settled %s', async (again) => {
  await begin({});
  await happens(sell, anotherTold('SUCCESS'), HOUR);
  expect((await sale()).attention).toBe('second-trade');
  await happens(settle({}), MINUTE);
  expect((await sale()).attention).toBe(null);
  if (again) world.recheck();
  else world.notify(tradeAt(1));
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(null);
});

test('an after-sale that is terminated before it has read leaves its hand-over to the next', async () => {
  await begin({});
  const mend = listIsDown();
  await happens(pay, MINUTE, decide('CANCEL'), MINUTE);
  world.temporal.latest(AFTER)?.terminate();
  await happens(mend, HOUR, refund, 10 * MINUTE, move('T1', 'SUCCESS'), 3 * DAY);
  expect(await outcome()).toBe('SUCCESS');
});

test.each([
  { order_amount: 7, order_currency: 9, trade_status: 5, method: 9 },
  { order_amount: 'abc', outcome: {}, mismatch: 'x', payment_data: 'x' },
  { other_trades: [{}, { trade_no: 5, trade_status: {} }], history: ['x', null] },
])('a garbage payment %j does not stop the after-sale', async (odd) => {
  await begin({});
  await sell();
  await happens(handOver({ ...(await stateNow()), ...odd }), MINUTE, refund, HOUR);
  expect(world.gateway.refunds.length).toBe(1);
});

test('money that is notified after the gateway has denied a trade is known where a person cancels before it is asked again', async () => {
  await begin();
  await happens(trouble('no such order'), anotherMade(), notify('T1'), HOUR);
  expect(attentions()).toEqual(['unknown-trade']);
  await happens(tell('T1', 'SUCCESS'), SECOND, decide('CANCEL'), MINUTE, works, 10 * HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

test.each(['150,00', 'n/a', '1e300'])(
  'late money whose amount nobody can read (%s) is before a person',
  async (amount) => {
    await begin(refunding);
    await happens(endCancelled, costs('T1', amount), move('T1', 'SUCCESS'), 5 * DAY);
    expect(await stateNow()).toMatchObject({ attention: 'amount-mismatch', mismatch: { amount } });
  },
);

test.each(['the first', 'the latest'] as const)(
  'of two trades of ours, the second is known once it is paid, although a person has seen both (the number shows %s)',
  async (shows) => {
    await begin({ method: 'Wallet', creations: ['carried out late'], late_ms: 5 * MINUTE, shows });
    await happens(pay, 6 * MINUTE);
    const { trade_no } = await stateNow();
    const [own, other] = trade_no === 'T1' ? [tradeAt(0), tradeAt(1)] : [tradeAt(1), tradeAt(0)];
    await happens(notify(other), tell(own, 'SUCCESS'), 10 * MINUTE, settle({}), MINUTE);
    await happens(move(other, 'SUCCESS'), 3 * DAY);
    expect((await stateNow()).attention).toBe('second-trade');
  },
);

test('promise 1: an order is not sent where its after-sale has seen another system’s trade under the number', async () => {
  await begin({ method: 'Wallet' });
  await happens(anotherMade('SUCCESS'), MINUTE, tell('T1', 'DISPUTE'), 10 * MINUTE, pay, MINUTE);
  expect([creations(), world.told.at(-1)]).toMatchObject([[], { is: 'failure', type: 'DuplicateOrderError' }]);
});

describe('the trade of an order of ours, which somebody takes on by its own number', () => {
  const takeOn = adoptAlone('T1');

  test('also where it is taken on once more: what was told before stays', async () => {
    await begin({ method: 'Wallet' });
    await happens(pay, MINUTE, tell('T1', 'CANCEL'), HOUR, move('T1', 'SUCCESS'), takeOn, HOUR, takeOn, HOUR);
    expect((await stateNow()).previous?.outcome).toBe('CANCEL');
  });

  test('money after CANCEL goes back where the settings say so', async () => {
    await begin({ late: 'refund', method: 'Wallet' });
    await happens(pay, MINUTE, tell('T1', 'CANCEL'), HOUR, move('T1', 'SUCCESS'), takeOn, 3 * DAY);
    expect(world.gateway.refunds).toHaveLength(1);
  });

  test('promise 6: what a person has called sold stays sold', async () => {
    await begin({ late: 'refund', method: 'Wallet' });
    await happens(pay, MINUTE, decide('SUCCESS'), HOUR, takeOn, 8 * DAY);
    expect((await sale()).outcome).toBe('SUCCESS');
    await happens(move('T1', 'SUCCESS'), 3 * DAY);
    expect([(await sale()).outcome, world.gateway.refunds]).toEqual(['SUCCESS', []]);
  });
});
