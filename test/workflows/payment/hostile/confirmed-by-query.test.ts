/** Promise 4: a notification is a hint, the query is the truth. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  afterSale,
  anotherMade,
  attentions,
  begin,
  decide,
  happens,
  move,
  notify,
  oddSignal,
  open,
  pay,
  reset,
  sale,
  startAgain,
  stateNow,
  tell,
  terminate,
  tradeAt,
  trouble,
  works,
  world,
} from './acts';
import { type Body, changeQueries, saysSuccess, without } from './changed-answers';
import { keeps, resolve, SECOND, notify as told } from './schedule';
import { AMOUNT } from './world';

const unreachable = Array<'unreachable'>(8).fill('unreachable');
const OTHER = { amount: '150.00', isPaid: true, isNotified: false };

for (const isTerminated of [false, true])
  test(`promise 4: a SUCCESS that a look had contradicted ends before a person${isTerminated ? ', although its run was terminated' : ''}`, async () => {
    await begin({});
    await happens(pay, MINUTE, notify('T1', 'SUCCESS'), 20 * MINUTE);
    if (isTerminated) await happens(terminate, MINUTE, startAgain, MINUTE);
    await happens(move('T1', 'CANCEL'), 2 * DAY);
    const { outcome } = await stateNow();
    expect([outcome, attentions(), open()]).not.toEqual(['CANCEL', [], []]);
  });

test('promise 4: a trade that is named after a person called the order sold is asked for, also after a reset', async () => {
  const traits = { takesNumbersTwice: false, creations: ['none' as const, ...unreachable], before: OTHER };
  await keeps([resolve('SUCCESS'), told, { do: 'reset' }], traits, 1_682_413_212);
});

test.each(['PROCESSING', 'SUCCESS'])(
  'promise 4: an acknowledged SUCCESS of another trade is told as such, although copies lag (%s at first)',
  async (status) => {
    await begin({ lag_ms: 120 * SECOND });
    await happens(pay, 10 * MINUTE, anotherMade(status), 10 * MINUTE);
    if (status !== 'SUCCESS') world.gateway.move(tradeAt(1), 'SUCCESS');
    await happens(notify('T2'), HOUR, tell('T1', 'SUCCESS'), DAY);
    expect((await stateNow()).other_trades).toMatchObject([{ trade_no: 'T2', trade_status: 'SUCCESS' }]);
  },
);

test('promise 4: another amount that was notified before a reset is before a person, where notifications are believed', async () => {
  await begin({ confirmByQuery: false, lag_ms: 20 * MINUTE, creations: ['answer lost'], takesNumbersTwice: false });
  await happens(pay, SECOND, notify('T1', 'SUCCESS', { amount: '1.00' }), 5 * MINUTE, reset, 30 * MINUTE);
  expect(open()).toContain('amount-mismatch');
});

test('promise 4: no event calls a payment sold that a person has ended as CANCEL', async () => {
  await begin();
  saysSuccess(false);
  await happens(pay, 10 * MINUTE, decide('CANCEL'), HOUR, notify('T1', 'CHARGEBACK'), 10 * HOUR);
  const payments = world.events.flatMap((event) => ('payment' in event ? [event.payment.outcome] : []));
  expect(payments).not.toContain('SUCCESS');
});

test('promise 4: an answer about another, paid trade does not sell ours', async () => {
  await begin();
  // Whichever number it is given, this gateway shows the latest trade of the order; its answer says which trade that is.
  const byOurs = (body: Body) => ({ ...without('trade_no')(body), out_trade_no: 'order-1' });
  changeQueries({ asked: byOurs });
  await happens(pay, MINUTE, anotherMade('SUCCESS'), 3 * HOUR);
  expect(tradeAt(0)).toMatchObject({ trade_no: 'T1', made_by: 'us', states: [{ status: 'PROCESSING' }] });
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 4: a signal that names the paid trade of another order does not sell ours', async () => {
  await begin({ creations: ['lost before it arrived'] });
  const other = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'SUCCESS');
  await happens(pay, 5 * SECOND);
  await happens(oddSignal('notification', { trade_no: other.trade_no, trade_status: 'SUCCESS' }), 20 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T2', attention: 'unexpected-signal' });
});

test('promise 4: nor does one that is named while the gateway is silent, whose trade a search finds', async () => {
  await begin({ creations: ['lost before it arrived'], takesNumbersTwice: false });
  const other = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'SUCCESS');
  await happens(pay, 5 * SECOND, trouble('unreachable'));
  await happens(oddSignal('notification', { trade_no: other.trade_no, trade_status: 'SUCCESS' }), 2 * HOUR);
  await happens(works, 3 * HOUR);
  expect(await sale()).toEqual({ outcome: null, trade_no: null, attention: 'unexpected-signal' });
});

test('promise 4: nor does one that is named after our order has ended without a trade', async () => {
  await begin({ creations: ['lost before it arrived'], takesNumbersTwice: false });
  const { trade_no } = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'SUCCESS');
  await happens(pay, 5 * SECOND, trouble('unreachable'), HOUR, decide('CANCEL'), works, HOUR);
  const signal = { trade_no, trade_status: 'SUCCESS' };
  expect(world.temporal.signal(AFTER, 'notification', signal)).toBe(true);
  await happens(3 * HOUR);
  const { payment, trade_no: ours, attention } = (await afterSale()) ?? {};
  expect([payment?.outcome, ours, attention]).toEqual(['CANCEL', null, 'unexpected-signal']);
});

test.each([
  ['PROCESSING', { outcome: null, attention: 'unconfirmed-notification' }],
  ['CANCEL', { outcome: 'CANCEL', attention: 'unconfirmed-notification' }],
])(
  'promise 4: a notified SUCCESS that queries without a trade’s number contradict (%s) is before a person',
  async (status, told) => {
    await begin({ hidesTradeNo: true });
    changeQueries({ answer: without('trade_no') });
    await happens(pay, MINUTE);
    if (status === 'CANCEL') world.gateway.move(tradeAt(0), 'CANCEL');
    await happens(notify('T1', 'SUCCESS'), HOUR);
    expect(await sale()).toMatchObject(told);
  },
);
