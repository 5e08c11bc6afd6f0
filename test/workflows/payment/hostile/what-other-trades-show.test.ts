/** Other trades under the number, or named by mistake: what they show is never ours. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  begin,
  end,
  madeByAnother,
  outcomeNow,
  paid,
  pay,
  sale,
  startAgain,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './attack-world';
import { AMOUNT } from './world';

const SECOND = 1_000;
afterEach(async () => end());

const answered = (status: number, body: string) => ({ status, body: new TextEncoder().encode(body) });
const DENIAL = JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' });

/** The gateway gives queries by these trades’ own numbers no answer, or denies them. Returns what mends it. */
function hideTrades(trade_nos: readonly string[], how: 'silent' | 'denied' = 'silent'): () => void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    if (path !== '/trade/query' || !trade_nos.includes(JSON.parse(text).trade_no)) return post(path, headers, text);
    return how === 'silent' ? answered(502, '<html>') : answered(200, DENIAL);
  };
  return () => {
    gateway.post = post;
  };
}

/** No answer to a query names the trade. */
function hideNumbers(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/query') return response;
    const { trade_no: _hidden, ...body } = JSON.parse(new TextDecoder().decode(response.body));
    return answered(200, JSON.stringify(body));
  };
}

/** The first request is answered as by a busy gateway, which makes the order all the same. */
function busyAtFirst(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/pay') return response;
    gateway.post = post;
    return answered(200, JSON.stringify({ code: '20000', msg: 'Service Currently Unavailable' }));
  };
}

// — A poll that runs beside a look finds another trade —

test.each([
  ['silent', 'SUCCESS'],
  ['denied', 'SUCCESS'],
  ['silent', 'CANCEL'],
  ['denied', 'CANCEL'],
] as const)(
  'promise 4: an order that was sent again is not ended by another trade that a poll finds while a look at ours is %s: %s',
  async (how, status) => {
    await begin({ creations: ['lost before it arrived'], shows: 'the latest' });
    await pay(35 * SECOND);
    madeByAnother(status);
    const mend = hideTrades(['T1'], how);
    world.recheck();
    await world.pass(30 * MINUTE);
    mend();
    await world.pass(HOUR);
    expect(await sale()).toEqual({ outcome: null, trade_no: 'T1', attention: 'second-trade' });
  },
);

test('promise 5: ours is found while the number shows another trade, after a look at ours that had no answer', async () => {
  await begin({ creations: ['lost before it arrived'], shows: 'the latest' });
  await pay(35 * SECOND);
  const mend = hideTrades(['T1']);
  await world.pass(2 * MINUTE);
  madeByAnother();
  world.recheck();
  await world.pass(15 * MINUTE);
  mend();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(10 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test('promise 1: an order whose trade has no answer is not sent again because its number is denied', async () => {
  await begin({ creations: ['answer lost'] });
  await pay(MINUTE);
  expect(await sale()).toMatchObject({ trade_no: 'T1' });
  world.terminate();
  await world.pass(MINUTE);
  hideTrades(['T1']);
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) =>
    path === '/trade/query' && JSON.parse(text).out_trade_no ? answered(200, DENIAL) : post(path, headers, text);
  await startAgain(DAY);
  expect(world.gateway.trades).toHaveLength(1);
});

// — A trade of another order is named by mistake —

test('promise 4: a signal that names the paid trade of another order does not sell ours', async () => {
  await begin({ creations: ['lost before it arrived'] });
  const other = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'SUCCESS');
  await pay(5 * SECOND);
  world.oddSignal('notification', { trade_no: other.trade_no, trade_status: 'SUCCESS' });
  await world.pass(20 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T2', attention: 'unexpected-signal' });
});

test.each([true, false])(
  'promise 5: other trades that have no answer do not keep our SUCCESS back (confirmed by a query: %s)',
  async (confirmByQuery) => {
    await begin({ confirmByQuery });
    await pay(MINUTE);
    const others = ['X1', 'X2', 'X3'];
    hideTrades(others);
    for (const trade_no of others) world.oddSignal('notification', { trade_no, trade_status: 'PROCESSING' });
    await world.pass(SECOND);
    paid(tradeAt(0));
    await world.pass(10 * SECOND);
    expect((await stateNow()).outcome).toBe('SUCCESS');
  },
);

// — The gateway’s answers name no trade —

test.each([
  ['PROCESSING', { outcome: null, attention: 'unconfirmed-notification' }],
  ['CANCEL', { outcome: 'CANCEL', attention: 'unconfirmed-notification' }],
])(
  'promise 4: a notified SUCCESS that queries without a trade’s number contradict (%s) is before a person',
  async (status, told) => {
    await begin({ hidesTradeNo: true });
    hideNumbers();
    await pay(MINUTE);
    if (status === 'CANCEL') world.gateway.move(tradeAt(0), 'CANCEL');
    world.notify(tradeAt(0), 'SUCCESS');
    await world.pass(HOUR);
    expect(await sale()).toMatchObject(told);
  },
);

test('promise 3: another trade that was notified as paid is known where queries name no trade, and ours has ended', async () => {
  await begin({ hidesTradeNo: true, shows: 'the first' });
  hideNumbers();
  await pay(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(10 * DAY);
  expect((await sale()).attention).not.toBe(null);
});

// — A gateway that was busy has made an order, and makes another one —

test('promise 1: where a busy gateway has made the order twice, and both are paid, a person hears of the second', async () => {
  await begin({ method: 'Wallet', shows: 'the first' });
  busyAtFirst();
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.move(tradeAt(1), 'SUCCESS');
  await world.pass(10 * DAY);
  expect([await tradesKnown(), await sale()]).toMatchObject([['T2', 'T1'], { attention: 'second-trade' }]);
});

test('promise 5: where a busy gateway has made the order twice, money of the first is found after the end of the second', async () => {
  await begin({ shows: 'the first' });
  busyAtFirst();
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(10 * DAY);
  expect((await sale()).attention).not.toBe(null);
});

test('promise 5: an order whose creation was refused, and that the gateway shows as INITIAL, is watched', async () => {
  await begin({ creations: ['created and refused'] });
  const { gateway } = world;
  const { make } = gateway;
  gateway.make = (order, by) => make.call(gateway, order, by, 'INITIAL');
  await pay(MINUTE);
  gateway.move(tradeAt(0), 'PROCESSING');
  await world.pass(MINUTE);
  gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(10 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

// — What a person has seen is not asked again without news —

const seen = async () => {
  const asked = world.temporal.update(world.workflowId, 'resolve', { by: 'ana', reason: 'looked' });
  if (asked) await world.temporal.answerTo(asked, MINUTE);
};

test('promise 8: a second trade that a person has seen is not before them again because it is notified once more', async () => {
  await begin();
  await pay(MINUTE);
  const other = madeByAnother('SUCCESS');
  world.notify(other);
  await world.pass(20 * MINUTE);
  await seen();
  world.notify(other);
  await world.pass(10 * MINUTE);
  expect((await stateNow()).attention).toBe(null);
});

test('promise 8: a transition that no table has, and that a person has seen, is not before them again at each look', async () => {
  await begin();
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'RISK_CONTROLLING');
  await world.pass(15 * MINUTE);
  const { attention } = await stateNow();
  await seen();
  world.recheck();
  await world.pass(10 * MINUTE);
  expect([attention, (await stateNow()).attention]).toEqual(['unlisted-transition', null]);
});

test('promise 3: money of an adopted order that was notified in an outage is known after a person has said CANCEL', async () => {
  await begin({ findsBy: 'trade_no alone' });
  world.adopt();
  await world.pass(30 * MINUTE);
  world.gateway.trouble = '503';
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(10 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS' });
});
