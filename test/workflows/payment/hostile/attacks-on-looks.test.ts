/** Attacks on what a payment has looked at, and on why it needs a person: each once lost or doubled money, or told nobody. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  answers,
  attentions,
  begin,
  end,
  madeByAnother,
  outcomeNow,
  pay,
  stateNow,
  tradeAt,
  world,
} from './attack-world';

const SECOND = 1_000;
afterEach(async () => end());

/** What the open workflows say that a person is needed for. */
const open = () =>
  world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return run.isRunning && typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });

// — An unknown creation is sent again only on a fresh look —

const refusedConnections = (n: number) => [
  'answer lost' as const,
  ...Array.from({ length: n }, () => 'unreachable' as const),
];

test('promise 2: an unknown order is not sent again on the word of a look that is minutes old', async () => {
  await begin({ creations: refusedConnections(8), lag_ms: 60 * SECOND });
  await pay(20 * MINUTE);
  const { trades } = world.gateway;
  expect(trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

test('promise 2: an unknown order that is carried out late is not sent again on the word of an old look', async () => {
  const creations = ['carried out late' as const, ...Array.from({ length: 8 }, () => 'unreachable' as const)];
  await begin({ creations, late_ms: 40 * SECOND });
  await pay(20 * MINUTE);
  expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

test('promise 2: an unknown order is sent again only right after a look, however long the gateway took no connection', async () => {
  await begin({ creations: refusedConnections(31), lag_ms: 60 * SECOND });
  await pay(HOUR);
  const { exchanges } = world.gateway;
  const second = exchanges.findLast(({ is }) => is === 'creation')?.at ?? 0;
  const look = exchanges.findLast(({ is, at }) => is === 'query' && at <= second)?.at ?? 0;
  expect(second - look).toBeLessThan(2 * MINUTE);
});

// — A reason that comes second is not lost with the first —

test('promise 1: another system’s trade is before a person although ours was unknown before', async () => {
  await begin({ hidesTradeNo: true, findsBy: 'trade_no alone' });
  await pay(MINUTE);
  world.recheck();
  await world.pass(2 * MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 1: another system’s trade is before a person where ours has no number', async () => {
  await begin({ hidesTradeNo: true, findsBy: 'trade_no alone' });
  await pay(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 3: money of our first trade that is notified right after an outage is before a person', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the latest' });
  await pay(10 * MINUTE);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us', 'us']);
  world.gateway.trouble = '503';
  world.notify(tradeAt(1), 'PROCESSING');
  await world.pass(15 * MINUTE);
  world.gateway.trouble = undefined;
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(6 * DAY);
  expect(open()).not.toEqual([]);
});

test('promise 3: money of our first trade that is notified without an outage is before a person', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the latest' });
  await pay(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(6 * DAY);
  expect(open()).not.toEqual([]);
});

test('promise 1: a second trade that is notified in an outage stays before a person after the gateway answers again', async () => {
  await begin({});
  await pay(MINUTE);
  world.gateway.trouble = '503';
  world.notify(tradeAt(0), 'PROCESSING');
  await world.pass(15 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(3 * HOUR);
  expect((await stateNow()).other_trades.map(({ trade_no }) => trade_no)).toEqual(['T2']);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * HOUR);
  expect(attentions()).toContain('second-trade');
});

test('promise 1: a second trade that is notified under unconfirmed-notification stays before a person', async () => {
  await begin({});
  await pay(MINUTE);
  world.notify(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  expect(attentions()).toEqual(['unconfirmed-notification']);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 8: a late payment that is notified and believed in an outage is told as late', async () => {
  await begin({ confirmByQuery: false });
  await pay(DAY);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.adopt();
  await world.pass(MINUTE);
  world.gateway.trouble = '503';
  world.recheck();
  await world.pass(20 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(2 * DAY);
  expect(attentions()).toContain('late-payment');
});

test('promise 1: a second trade behind refused credentials is before a person where notifications are believed', async () => {
  await begin({ confirmByQuery: false });
  await pay(MINUTE);
  world.gateway.trouble = 'credentials';
  await world.pass(HOUR);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  expect(attentions()).toContain('second-trade');
});

// — An adoption that compares an end with a notified SUCCESS tells of an outage —

test('promise 5: a late SUCCESS that an outage keeps from being compared is before a person', async () => {
  await begin({ lag_ms: 120 * SECOND });
  await pay(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(2 * HOUR);
  expect(await outcomeNow()).toBe('CANCEL');
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * SECOND);
  world.gateway.trouble = '503';
  await world.pass(5 * DAY);
  expect(attentions()).not.toEqual([]);
});

test.each(['503', 'no such order', 'credentials'] as const)(
  'promise 5: a late SUCCESS is before a person while the gateway says %s, after a recheck',
  async (trouble) => {
    await begin({ lag_ms: 120 * SECOND });
    await pay(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'CANCEL');
    await world.pass(2 * HOUR);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(2 * SECOND);
    world.gateway.trouble = trouble;
    world.recheck();
    await world.pass(5 * DAY);
    expect(attentions()).not.toEqual([]);
  },
);

test('promise 5: a late SUCCESS of an order that the gateway forgets while it is compared is before a person', async () => {
  await begin({ lag_ms: 120 * SECOND, forgetsAfter_ms: 4 * HOUR });
  await pay(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(2 * HOUR);
  expect(await outcomeNow()).toBe('CANCEL');
  const made = tradeAt(0).states[0]?.at ?? 0;
  await world.pass(made + 4 * HOUR - 10 * SECOND - world.now);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(5 * DAY);
  expect(attentions()).not.toEqual([]);
});

test('promise 5: a late SUCCESS of an order that the gateway has forgotten already', async () => {
  await begin({ lag_ms: 120 * SECOND, forgetsAfter_ms: 4 * HOUR });
  await pay(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(5 * HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(5 * DAY);
  expect(attentions()).not.toEqual([]);
});

// — What is settled, and what cannot be compared —

test('promise 8: `no-answer` goes once the gateway refuses the order that it would not take', async () => {
  await begin({ takesNumbersTwice: false, creations: Array.from({ length: 31 }, () => 'unreachable' as const) });
  madeByAnother();
  await pay(30 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  await world.pass(2 * HOUR);
  expect(open()).toEqual([]);
});

test('promise 1: nobody is told that a trade is theirs which a person ended before the gateway had said what it is', async () => {
  await begin({});
  world.gateway.trouble = '503';
  world.notify(madeByAnother());
  await world.pass(MINUTE);
  await world.resolve('SUCCESS');
  await pay(MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
});

test('promise 8: `no-answer` goes with an order that was certainly not sent in its time', async () => {
  await begin({});
  world.gateway.trouble = 'unreachable';
  await pay(30 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  await world.pass(30 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  expect(world.gateway.trades).toEqual([]);
  expect(open()).toEqual([]);
});

// — What was paid is known once the trade is sold —

test.each([
  ['150.00', ['150']],
  ['15.00', []],
])('promise 5: a refund of 150.00 is asked for before the buyer pays %s, and again afterwards', async (paid, sent) => {
  await begin();
  await pay(MINUTE);
  world.refund();
  await world.pass(MINUTE);
  world.gateway.trades.splice(0, 1, { ...tradeAt(0), amount: paid });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.map(({ amount }) => amount)).toEqual(sent);
});
