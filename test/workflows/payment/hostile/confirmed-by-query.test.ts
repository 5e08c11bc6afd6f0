/** Promise 4: a notification is a hint, the query is the truth. */

import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  afterSale,
  attentions,
  begin,
  end,
  found,
  madeByAnother,
  open,
  pay,
  sale,
  startAgain,
  stateNow,
  tradeAt,
  world,
} from './acts';
import { brokenIn, notify, resolve, SECOND, story } from './schedule';
import { AMOUNT } from './world';

/** A worker is away, so what comes meanwhile meets the workflow's first task. */
async function whileAway(act: () => void): Promise<void> {
  await world.leaveWithoutWorker(MINUTE);
  act();
  await world.pass(SECOND);
}
const startWith = (args: unknown[]) => world.start('ALLOW_DUPLICATE', world.workflowId, args);
async function isFoundAfterAll(): Promise<void> {
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * HOUR);
  await world.resolve('CANCEL');
  await world.pass(24 * HOUR);
  const { outcome, other_trades } = await stateNow();
  expect([outcome, other_trades]).not.toEqual(['CANCEL', []]);
}
const unreachable = Array<'unreachable'>(8).fill('unreachable');
const OTHER = { amount: '150.00', isPaid: true, isNotified: false };
/** The answer to the creation says SUCCESS; queries show what the ledger says. `charges`: it is true. */
function saysSuccess(charges: boolean): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/pay') return response;
    if (charges) gateway.move(tradeAt(0), 'SUCCESS');
    const body = new TextDecoder().decode(response.body).replace('"PROCESSING"', '"SUCCESS"');
    return { ...response, body: new TextEncoder().encode(body) };
  };
}
const outcome = async () => (await stateNow()).outcome;
const othersOf = ({ other_trades }: PaymentState) => other_trades.map((one) => `${one.trade_no} ${one.trade_status}`);
const without = (field: string) => (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
/** Changes the bodies that go to `/trade/query`, or that come back. */
const changeQueries = (change: Change): void => changeBodies('/trade/query', change);
function changeBodies(of: string, { asked = (body) => body, answer = (body) => body }: Change): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    if (path !== of) return post(path, headers, text);
    const response = await post(path, headers, JSON.stringify(asked(JSON.parse(text))));
    const body: object = JSON.parse(new TextDecoder().decode(response.body));
    return { ...response, body: new TextEncoder().encode(JSON.stringify(answer(body))) };
  };
}
interface Change {
  asked?: (body: object) => object;
  answer?: (body: object) => object;
}
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
const answered = (status: number, body: string) => ({ status, body: new TextEncoder().encode(body) });
const DENIAL = JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' });
afterEach(end);
afterEach(() => (world ? end() : undefined));

for (const isTerminated of [false, true])
  test(`promise 4: a SUCCESS that a look had contradicted ends before a person${isTerminated ? ', although its run was terminated' : ''}`, async () => {
    await begin({});
    await pay(MINUTE);
    world.notify(tradeAt(0), 'SUCCESS');
    await world.pass(20 * MINUTE);
    if (isTerminated) {
      world.terminate();
      await world.pass(MINUTE);
      await startAgain(MINUTE);
    }
    world.gateway.move(tradeAt(0), 'CANCEL');
    await world.pass(2 * DAY);
    const { outcome } = await stateNow();
    expect([outcome, attentions(), open()]).not.toEqual(['CANCEL', [], []]);
  });

// — A run that adopts by number alone never asks for a trade by the number that was notified, or that callers were given —
// Lost: acknowledged money of our own trade. A person reads "unknown-trade" without any number, says CANCEL, and then
// nothing watches T1.

test('promise 4: a SUCCESS that is notified to a startWith start is asked for by its own number', async () => {
  await begin({ creations: ['answer lost'], findsBy: 'trade_no alone' });
  await pay(3 * SECOND);
  world.terminate();
  await whileAway(() => startWith([{ kind: 'direct', app_id: 'hostile' }]));
  await isFoundAfterAll();
});

test('promise 4: a SUCCESS that is notified after an adoption without any number is asked for', async () => {
  await begin();
  startWith([{ kind: 'adopt', app_id: 'hostile' }]);
  await world.pass(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(3 * HOUR);
  expect(world.gateway.exchanges).not.toEqual([]);
});

// — Inputs that no rule refuses —
// Lost: goods for which nothing was paid (one trade sells two orders).

test('promise 4: money that comes to our trade after a start without an argument was terminated is taken by the webhook', async () => {
  await begin();
  await pay(MINUTE);
  world.terminate();
  await whileAway(() => startWith([]));
  world.terminate();
  await world.pass(5 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(world.acknowledged).toHaveLength(1);
});

test('promise 4: a trade that is named after a person called the order sold is asked for, also after a reset', async () => {
  const traits = { takesNumbersTwice: false, creations: ['none' as const, ...unreachable], before: OTHER };
  const told = story([resolve('SUCCESS'), notify, { do: 'reset' }], traits);
  expect(await brokenIn({ ...told, chance: 1682413212 })).toEqual([]);
});

// — An acknowledged SUCCESS of another trade is told as PROCESSING —

test.each(['PROCESSING', 'SUCCESS'])(
  'promise 4: an acknowledged SUCCESS of another trade is told as such, although copies lag (%s at first)',
  async (status) => {
    await begin({ lag_ms: 120 * SECOND });
    await pay(10 * MINUTE);
    const other = madeByAnother(status);
    await world.pass(10 * MINUTE);
    if (status !== 'SUCCESS') world.gateway.move(other, 'SUCCESS');
    world.notify(other);
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(DAY);
    expect((await stateNow()).other_trades).toMatchObject([{ trade_no: 'T2', trade_status: 'SUCCESS' }]);
  },
);

// — Candidates that are handed on as notifications lose their amount —

test('promise 4: another amount that was notified before a reset is before a person, where notifications are believed', async () => {
  await begin({ confirmByQuery: false, lag_ms: 20 * MINUTE, creations: ['answer lost'], takesNumbersTwice: false });
  await pay(SECOND);
  world.notify(tradeAt(0), 'SUCCESS', { amount: '1.00' });
  await world.pass(5 * MINUTE);
  world.reset();
  await world.pass(30 * MINUTE);
  expect(found({ open: true })).toContain('amount-mismatch');
});

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

// Lost: the merchant's books: an event says that the payment's outcome is SUCCESS; its state, and everybody else, say CANCEL.
test('promise 4: no event calls a payment sold that a person has ended as CANCEL', async () => {
  await begin();
  saysSuccess(false);
  await pay(10 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.notify(tradeAt(0), 'CHARGEBACK');
  await world.pass(10 * HOUR);
  const payments = world.events.flatMap((event) => ('payment' in event ? [event.payment.outcome] : []));
  expect(payments).not.toContain('SUCCESS');
});

// — "No such order" for half a minute settles an acknowledged SUCCESS for good —

test('promise 4: a SUCCESS that the gateway denied for two minutes, and contradicts from then on, ends before a person', async () => {
  await begin({});
  await pay(HOUR);
  world.gateway.trouble = 'no such order';
  world.notify(tradeAt(0), 'SUCCESS');
  await world.pass(2 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(2 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

// — Other trades under the number —

test('promises 4 and 6: an acknowledged SUCCESS of another trade does not become PROCESSING by a late word of it', async () => {
  await begin({ lag_ms: 10 * MINUTE });
  await pay(20 * MINUTE);
  const other = madeByAnother('PROCESSING');
  await world.pass(20 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  world.notify(other, 'SUCCESS');
  await world.pass(2 * MINUTE);
  expect(othersOf(await stateNow())).toEqual(['T2 SUCCESS']);
  world.notify(other, 'PROCESSING');
  await world.pass(HOUR);
  expect(othersOf(await stateNow())).toEqual(['T2 SUCCESS']);
});

// — Money —

test('promise 4: an answer about another, paid trade does not sell ours', async () => {
  await begin();
  // Where it is given both numbers, this gateway looks by the merchant's; its answer says which trade it is.
  const byOurs = (body: object) => ('out_trade_no' in body ? without('trade_no')(body) : body);
  changeQueries({ asked: byOurs });
  await pay(MINUTE);
  madeByAnother('SUCCESS');
  await world.pass(3 * HOUR);
  expect(tradeAt(0)).toMatchObject({ trade_no: 'T1', made_by: 'us', states: [{ status: 'PROCESSING' }] });
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 4: an order whose creation was lost is not taken for one whose number differs in case', async () => {
  await begin({ creations: ['lost before it arrived'], takesNumbersTwice: false });
  const other = world.gateway.make({ out_trade_no: 'ORDER-1', amount: AMOUNT }, 'another system', 'SUCCESS');
  // This gateway's lookup ignores case; its answer says which order it is.
  const inCapitals = (body: object) => ('out_trade_no' in body ? { ...body, out_trade_no: 'ORDER-1' } : body);
  changeQueries({ asked: inCapitals });
  await pay(3 * HOUR);
  expect((await stateNow()).trade_no).not.toBe(other.trade_no);
  expect(await sale()).not.toMatchObject({ outcome: 'SUCCESS' });
  expect(attentions()).toEqual(['no-answer']);
});

test('promise 4: the answer to another order’s creation is not learnt as ours', async () => {
  await begin();
  const other = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'PROCESSING');
  const crossed = { out_trade_no: 'order-2', trade_no: other.trade_no, qr_code: 'of-order-2' };
  changeBodies('/trade/pay', { answer: (body) => ({ ...body, ...crossed }) });
  await pay(5 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(3 * HOUR);
  const ours = world.gateway.trades.find(({ out_trade_no }) => out_trade_no === 'order-1');
  expect(await stateNow()).toMatchObject({ trade_no: ours?.trade_no, outcome: null });
  expect(JSON.stringify(await stateNow())).not.toContain('of-order-2');
});

test('promise 4: a query by the trade’s number whose answer names another order does not sell ours', async () => {
  await begin();
  await pay(MINUTE);
  changeQueries({ answer: (body) => ({ ...body, out_trade_no: 'order-9' }) });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(5 * HOUR);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'no-answer' });
});

test.each(['attention', 'accept', 'refund'] as const)(
  'an order that nobody has paid is no sale, although the after-sale had another trade (%s)',
  async (late) => {
    await begin({ method: 'Wallet', late });
    const other = madeByAnother('SUCCESS');
    await world.pass(MINUTE);
    world.gateway.move(other, 'DISPUTE');
    world.notify(other);
    await world.pass(10 * MINUTE);
    const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'answered the dispute' });
    if (asked) await world.temporal.answerTo(asked, MINUTE);
    await world.pass(10 * MINUTE);
    await pay(MINUTE);
    world.awaitOutcome();
    if (world.run) await world.resolveRun(world.run, 'CANCEL');
    for (const ms of [MINUTE, 10 * MINUTE, HOUR]) {
      await world.pass(ms);
      await afterSale();
    }
    expect((await sale()).outcome).toBe('CANCEL');
  },
);

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

// — A trade of another order is named by mistake —

test('promise 4: a signal that names the paid trade of another order does not sell ours', async () => {
  await begin({ creations: ['lost before it arrived'] });
  const other = world.gateway.make({ out_trade_no: 'order-2', amount: AMOUNT }, 'another system', 'SUCCESS');
  await pay(5 * SECOND);
  world.oddSignal('notification', { trade_no: other.trade_no, trade_status: 'SUCCESS' });
  await world.pass(20 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T2', attention: 'unexpected-signal' });
});

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

test('nobody is told SUCCESS of an order that nobody has paid', async () => {
  await begin({});
  await pay(MINUTE);
  world.gateway.trouble = '503';
  world.refund();
  await world.pass(20 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(20 * MINUTE);
  expect(world.events.filter((event) => 'payment' in event && event.payment.outcome === 'SUCCESS')).toEqual([]);
});
