/** Promise 5: no notification is needed, and nothing hangs without an end. */

import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  afterSale,
  anotherTold,
  attentions,
  begin,
  costs,
  decide,
  happens,
  move,
  notify,
  oddSignal,
  open,
  others,
  outcome,
  outcomeNow,
  pay,
  refund,
  settle,
  startWith,
  stateNow,
  tell,
  terminate,
  tradeAt,
  trouble,
  works,
  world,
} from './acts';
import { changeQueries, hide, saysSuccess } from './changed-answers';
import { SECOND } from './schedule';

const twice = { creations: ['answer lost' as const], lag_ms: 120 * SECOND, shows: 'the first' as const };
/** How many events the history of the latest run has. */
const events = () => world.temporal.runs(world.workflowId).at(-1)?.events ?? 0;

test.each([{ currency: null, amount: null }, { currency: 986, amount: 150 }, { trade_no: 7 }, { trade_status: {} }])(
  'promise 5: a signal with %j does not stop the payment',
  async (odd) => {
    await begin({});
    await happens(pay, MINUTE);
    const { out_trade_no } = world;
    await happens(oddSignal('notification', { trade_no: 'T1', out_trade_no, trade_status: 'PROCESSING', ...odd }));
    await happens(MINUTE);
    await happens(tell('T1', 'SUCCESS'), HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
  },
);

test('promise 5: money of an order that the gateway knows by the merchant’s number alone is found', async () => {
  await begin({ findsBy: 'out_trade_no alone' });
  await happens(pay, 5 * MINUTE, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test.each([
  ['150.00', ['150']],
  ['15.00', []],
])('promise 5: a refund of 150.00 is asked for before the buyer pays %s, and again afterwards', async (paid, sent) => {
  await begin();
  const refundWhole = () => world.refund('150.00');
  await happens(pay, MINUTE, refundWhole, MINUTE, costs('T1', paid), move('T1', 'SUCCESS'), refundWhole, HOUR);
  expect(world.gateway.refunds.map(({ amount }) => amount)).toEqual(sent);
});

test('promise 5: an order whose method is no text is refused', async () => {
  await begin();
  const { input } = world;
  await happens(startWith([{ ...input, request: { ...input.request, method: 5 } }]), HOUR);
  expect(world.run?.status).toBe('FAILED');
});

test('promise 5: money of the second trade, which never ended, is found although the first has ended', async () => {
  await begin(twice);
  await happens(pay, DAY, move('T1', 'CANCEL'), DAY, move('T2', 'SUCCESS'), DAY);
  expect(attentions()).toContain('late-payment');
});

test.each([
  ['ended days after our EXPIRED', [5 * DAY, move('T1', 'CANCEL'), 2 * DAY]],
  ['ended days after a person’s CANCEL', [MINUTE, decide('CANCEL'), 6 * DAY, move('T1', 'CANCEL'), 2 * DAY]],
  ['has open still, after a person has seen that it never ended', [6 * DAY, decide('EXPIRED'), 2 * DAY]],
] as const)('promise 5: money of a trade that the gateway %s is found', async (_what, before) => {
  await begin({ method: 'Wallet' });
  await happens(pay, ...before, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(open()).toEqual(['late-payment']);
});

test('promise 5: an order that was paid at once is sold by a poll where the gateway shows it a minute late', async () => {
  await begin({ lag_ms: 60 * SECOND });
  saysSuccess(true);
  await happens(pay, 60 * MINUTE);
  // A poll has read SUCCESS.
  expect(world.gateway.exchanges.some(({ shown }) => shown?.status === 'SUCCESS')).toBe(true);
  expect(await outcome()).toBe('SUCCESS');
});

test('promise 5: a poll that reads SUCCESS while a look has no answer is heard', async () => {
  await begin();
  const began = world.now;
  await happens(pay, 20 * SECOND, trouble('429'), notify('T1', 'PROCESSING'), 39 * SECOND);
  // The look rests until 83 s after the creation. The poll goes on beside it, and asks after 60 s: the gateway answers it.
  await happens(move('T1', 'SUCCESS'), works, 2 * SECOND, trouble('429'));
  expect(world.gateway.exchanges.filter(({ shown }) => shown?.status === 'SUCCESS')).toMatchObject([
    { at: began + MINUTE, asked: { trade_no: 'T1' } },
  ]);
  await world.pass(5 * HOUR);
  expect(await outcome()).toBe('SUCCESS');
});

test.each([
  ['two copies of the gateway differ', (n: number) => ({ trade_status: n % 2 ? 'RISK_CONTROLLING' : 'PROCESSING' })],
  [
    'one of two nodes of the gateway does not take our key',
    (n: number) => (n % 2 ? { code: '40002', msg: 'Business Failed', sub_code: 'invalid-signature' } : {}),
  ],
])('promise 5: a payment asks ever less often where %s', async (_what, change) => {
  await begin();
  await happens(pay, MINUTE);
  let asked = 0;
  changeQueries({
    answer: (body) => {
      asked += 1;
      return { ...body, ...change(asked) };
    },
  });
  await world.pass(HOUR);
  const before = { asked, events: events() };
  await world.pass(HOUR);
  expect(asked - before.asked).toBeLessThan(30);
  expect(events() - before.events).toBeLessThan(200);
});

test('promise 5: our own trade is watched after its run was terminated and another trade was notified', async () => {
  await begin({});
  await happens(pay, MINUTE, terminate, SECOND, anotherTold('SUCCESS'), 10 * MINUTE);
  expect([(await stateNow()).trade_no, attentions()]).toEqual(['T1', ['second-trade']]);
  await happens(move('T1', 'SUCCESS'), 2 * DAY);
  expect([await outcomeNow(), await others()]).toEqual(['SUCCESS', ['T2 SUCCESS']]);
  expect(open()).not.toEqual([]);
});

test('promise 5: an open trade is watched for its whole time, although an earlier run under its number made no order', async () => {
  await begin({ kind: 'checkout' });
  await happens(trouble('unreachable'), pay, SECOND, refund, 2 * HOUR, works, 25 * DAY);
  await happens(pay, 5 * DAY, settle({}), MINUTE);
  const left = Date.parse((await afterSale())?.watched_until ?? '') - world.now;
  expect(Math.round(left / DAY)).toBe(32);
  await happens(10 * DAY, move('T1', 'SUCCESS'), 10 * DAY);
  expect(open()).toEqual(['late-payment']);
});

test('a gateway that forgets orders that have ended needs no person for each order that was not paid', async () => {
  await begin({ method: 'Wallet', forgetsAfter_ms: 2 * DAY });
  await happens(pay, MINUTE, tell('T1', 'CANCEL'), 10 * DAY);
  expect(open()).toEqual([]);
});

test.each(['nobody', 'recheck', 'notification'])(
  'money of the last minutes is found, whoever asks during the last look (%s)',
  async (who) => {
    await begin({ method: 'Wallet', lag_ms: 5 * MINUTE });
    await happens(pay, 10 * MINUTE, tell('T1', 'CANCEL'), HOUR);
    const until = Date.parse((await afterSale())?.watched_until ?? '');
    await world.pass(until - world.now - 2 * MINUTE);
    await happens(move('T1', 'SUCCESS'), 2 * MINUTE + 30 * SECOND);
    if (who === 'recheck') world.recheck();
    if (who === 'notification') world.notify(tradeAt(0), 'CANCEL');
    await world.pass(HOUR);
    expect(await outcome()).toBe('SUCCESS');
  },
);

test.each([true, false])(
  'promise 5: other trades that have no answer do not keep our SUCCESS back (confirmed by a query: %s)',
  async (confirmByQuery) => {
    await begin({ confirmByQuery });
    await happens(pay, MINUTE);
    const others = ['X1', 'X2', 'X3'];
    hide(others);
    for (const trade_no of others) world.oddSignal('notification', { trade_no, trade_status: 'PROCESSING' });
    await happens(SECOND, tell('T1', 'SUCCESS'), 10 * SECOND);
    expect(await outcome()).toBe('SUCCESS');
  },
);
