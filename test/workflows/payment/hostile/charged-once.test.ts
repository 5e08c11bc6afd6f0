/** Promises 1 and 2: never two charges of ours under one number, and an order of unknown outcome is not blindly sent again. */

import { ApplicationFailure } from '@temporalio/common';
import { paymentWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { answering, rewording } from '../../hostile/answering';
import type { Mishap } from '../../hostile/gateway';
import type { Act } from '../../hostile/happens';
import {
  adopt,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  creations,
  decide,
  happens,
  killWorker,
  listIsDown,
  madeByAnother,
  move,
  notify,
  noWorker,
  open,
  others,
  outcome,
  outcomeNow,
  pay,
  recheck,
  reset,
  sale,
  sell,
  sellAdopted,
  startAgain,
  startBroken,
  startWith,
  stateNow,
  tell,
  terminate,
  tradeAt,
  tradesBeforeAPerson,
  tradesKnown,
  trouble,
  withdraw,
  works,
  world,
} from './acts';
import { busyAtFirst, hide } from './changed-answers';
import { safety } from './oracle';
import { another, keeps, SECOND, wait } from './schedule';
import { seenIn } from './stories';
import { AMOUNT } from './world';

const refusedConnections = (n: number) => [
  'answer lost' as const,
  ...Array.from({ length: n }, () => 'unreachable' as const),
];
const unreachable = Array<'unreachable'>(8).fill('unreachable');
const OTHER = { amount: '150.00', isPaid: true, isNotified: false };
/** The gateway's numbers of trades are JSON numbers in its answers to creations, and text elsewhere: T1 is 10001. */
function nameTradesByNumbers(): void {
  answering(world.gateway, ({ text, ask }) => ask(text.replace(/"trade_no":"1000(\d)"/, '"trade_no":"T$1"')));
  const named = (number: string) => (text: string) => text.replace(/"trade_no":"T(\d)"/, `"trade_no":${number}`);
  rewording(world.gateway, '/query', named('"1000$1"'));
  rewording(world.gateway, '', named('1000$1'));
}
/** The worker's next attempt at an activity of this type ends as `after` says, once its own code has run. */
function failsOnce(type: string, after: (result: unknown) => unknown): void {
  const { functions } = world.temporal.activities;
  const activity = functions[type];
  if (typeof activity !== 'function') throw new Error(`no activity ${type}`);
  let isOver = false;
  const once = async (...args: unknown[]) => {
    const result: unknown = await activity.apply(functions, args);
    if (isOver) return result;
    isOver = true;
    return after(result);
  };
  Object.assign(functions, { [type]: once });
}
/** A caller starts another order under the number, by the plain contract. */
const startAnotherOrder = () =>
  startWith([{ ...world.input, request: { ...world.input.request, order_amount: '151.00' } }])();
/** When the first try of a reset run has said that it sends nothing, and that is under way to the server, in ms. */
const FIRST_TRY_MS = 150;

// — A run that only watched a trade of others is no earlier run —
// Lost: money that the merchant was told would not come is an ordinary sale (goods go out twice, or nobody gives it back); a trade that
// was notified, and of two trades under a number nobody hears.

test('promise 1: of two adopted trades the first is known where its run was terminated before the second was notified', async () => {
  await begin();
  await happens(anotherTold(), MINUTE, terminate, MINUTE, anotherTold(), 10 * HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});

// — Two trades are notified while the gateway refuses every query —
// Lost: a person's word on the second trade, for as long as nobody mends the credentials.

test('promise 1: of two trades that were notified a person hears although the gateway answers no query', async () => {
  const steps = [{ do: 'outage', kind: 'credentials' } as const, another(false), another(false)];
  const traits = { takesNumbersTwice: false, shows: 'the first', forgetsAfter_ms: 4 * HOUR } as const;
  // The chance of a random story that was red.
  await keeps([...steps, wait(10 * HOUR)], traits, 1_207_150_565);
});

// — What the next run knows —

test.each([true, false])('promise 1: a second trade stays before a person (a new run goes on: %s)', async (goesOn) => {
  await begin({ lag_ms: 10 * MINUTE });
  await happens(pay, 3 * HOUR, anotherTold('SUCCESS'), HOUR);
  expect(attentions()).toContain('second-trade');
  await happens(move('T1', 'CANCEL'), 10 * MINUTE + SECOND);
  if (goesOn) await happens(tell('T1', 'SUCCESS'));
  await world.pass(DAY);
  expect(await tradesBeforeAPerson()).toContain('T2');
});

test('promise 1: a merchant reads of every other trade, whichever run answers', async () => {
  await begin({});
  await happens(sell, anotherTold('SUCCESS'), HOUR, anotherTold('SUCCESS'), HOUR);
  expect((await stateNow()).other_trades.map(({ trade_no }) => trade_no)).toEqual(['T2', 'T3']);
});

// — What callers are told —

test('promise 1: a run that was reset and is withdrawn repeats the whole answer', async () => {
  await begin({});
  await happens(pay, HOUR, reset, withdraw, pay, MINUTE);
  const told = world.told.flatMap((one) => (one.is === 'payment data' ? [one.data.qr_code] : []));
  expect(told).toEqual([expect.any(String), told[0]]);
});

test('promise 1: nobody is told to pay a trade of another amount that was found after the order’s workflow was terminated', async () => {
  await begin({});
  await happens(trouble('unreachable'), pay, MINUTE, terminate, works);
  const { out_trade_no } = world;
  world.notify(world.gateway.make({ out_trade_no, amount: '15.00' }, 'another system'));
  await happens(MINUTE, pay, MINUTE);
  expect(world.told.filter(({ is }) => is === 'payment data')).toEqual([]);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: an order that is mended while the refused one still ends is made as soon as that has ended, and not called another one', async () => {
  await begin({ creations: ['refused for good', 'refused for good'] }, (n) => n - 1);
  const mended = { ...world.own, amount: '151.00' };
  await happens(pay, MINUTE);
  // The second run reads at its end whether an earlier one has made the order, which takes a moment.
  world.pay();
  while (answers().length < 2) await world.pass(1);
  world.pay(mended);
  await world.pass(10 * SECOND);
  expect(answers()).toEqual(['NotCreatedError', 'NotCreatedError', 'T1']);
});

// — An unknown creation is sent again only on a fresh look —

test('promise 2: an unknown order is not sent again on the word of a look that is minutes old', async () => {
  await begin({ creations: refusedConnections(8), lag_ms: 60 * SECOND });
  await happens(pay, 20 * MINUTE);
  const { trades } = world.gateway;
  expect(trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

test('promise 2: an unknown order that is carried out late is not sent again on the word of an old look', async () => {
  const creations = ['carried out late' as const, ...Array.from({ length: 8 }, () => 'unreachable' as const)];
  await begin({ creations, late_ms: 40 * SECOND });
  await happens(pay, 20 * MINUTE);
  expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

test('promise 2: an unknown order is sent again only right after a look, however long the gateway took no connection', async () => {
  await begin({ creations: refusedConnections(31), lag_ms: 60 * SECOND });
  await happens(pay, HOUR);
  const { exchanges } = world.gateway;
  const second = exchanges.findLast(({ is }) => is === 'creation')?.at ?? 0;
  const look = exchanges.findLast(({ is, at }) => is === 'query' && at <= second)?.at ?? 0;
  expect(second - look).toBeLessThan(2 * MINUTE);
});

// — A reason that comes second is not lost with the first —

test('promise 1: another system’s trade is before a person although ours was unknown before', async () => {
  await begin({ hidesTradeNo: true, findsBy: 'trade_no alone' });
  await happens(pay, MINUTE, recheck, 2 * MINUTE, anotherTold('SUCCESS'), HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 1: another system’s trade is before a person where ours has no number', async () => {
  await begin({ hidesTradeNo: true, findsBy: 'trade_no alone' });
  await happens(pay, MINUTE, anotherTold('SUCCESS'), HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 1: a second trade that is notified in an outage stays before a person after the gateway answers again', async () => {
  await begin({});
  await happens(pay, MINUTE, trouble('503'), notify('T1', 'PROCESSING'), 15 * MINUTE);
  expect(attentions()).toEqual(['no-answer']);
  await happens(anotherTold('SUCCESS'), HOUR, works, 3 * HOUR);
  expect((await stateNow()).other_trades.map(({ trade_no }) => trade_no)).toEqual(['T2']);
  await happens(tell('T1', 'SUCCESS'), 2 * HOUR);
  expect(attentions()).toContain('second-trade');
});

test('promise 1: a second trade that is notified under unconfirmed-notification stays before a person', async () => {
  await begin({});
  await happens(pay, MINUTE, notify('T1', 'SUCCESS'), 2 * HOUR);
  expect(attentions()).toEqual(['unconfirmed-notification']);
  await happens(anotherTold('SUCCESS'), 10 * MINUTE, tell('T1', 'SUCCESS'), 2 * HOUR);
  expect(open()).not.toEqual([]);
});

test('promise 1: a second trade behind refused credentials is before a person where notifications are believed', async () => {
  await begin({ confirmByQuery: false });
  await happens(pay, MINUTE, trouble('credentials'), HOUR, anotherTold('SUCCESS'), HOUR, tell('T1', 'SUCCESS'), HOUR);
  await happens(works, DAY);
  expect(attentions()).toContain('second-trade');
});

// — What is settled, and what cannot be compared —

test('promise 1: nobody is told that a trade is theirs which a person ended before the gateway had said what it is', async () => {
  await begin({});
  await happens(trouble('503'), anotherTold(), MINUTE, decide('SUCCESS'), pay, MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
});

// — A sale of a trade that was made elsewhere is no sale to the runs after it —
// Lost: the buyer is charged twice by us under a number whose sale the merchant was answered; sales are hidden,
// before nobody.

test('promise 1: after a start without a request under an adopted sale, the next call of pay does not charge the buyer again', async () => {
  await begin();
  await happens(sellAdopted, startBroken, 5 * MINUTE);
  const after = await outcomeNow();
  await happens(pay, 5 * MINUTE);
  expect([after, answers(), world.gateway.trades.length]).toEqual(['SUCCESS', ['T1', 'T1'], 1]);
});

test('promise 1: a second start under an adopted sale sends nothing', async () => {
  await begin();
  await happens(sellAdopted, startAgain, 5 * MINUTE);
  expect([await outcome(), world.gateway.trades.length]).toEqual(['SUCCESS', 1]);
});

// — What comes after a person has said SUCCESS is looked at by nobody —
// Lost: another system's money (a refund goes to its trade), and every contradiction.

test('promise 1: two paid trades that are notified after a person had said SUCCESS are before a person', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND });
  await happens(pay, 8 * SECOND, decide('SUCCESS'), 5 * MINUTE, tell('T1', 'SUCCESS'), 10 * MINUTE);
  await happens(anotherTold('SUCCESS'), 10 * HOUR);
  expect(attentions()).not.toEqual([]);
});

// — A reset of a sold payment that was started as the contract says —
// Lost: the sale, for as long as the gateway does not answer, or for good where it has forgotten; the payment data
// (the QR code); and a person's time, for `unproven-trade` of our own sale.

test('promise 1: a sale that is reset keeps its payment data, and needs nobody', async () => {
  await begin();
  await happens(sell, reset, 5 * MINUTE, pay, 5 * MINUTE);
  const codes = world.told.flatMap((one) => (one.is === 'payment data' ? [one.data.qr_code] : []));
  expect([codes, attentions()]).toEqual([['000201-T1', '000201-T1'], []]);
});

test('promise 1: a checkout that is reset where queries need trade_no keeps its payment data', async () => {
  // The earlier answer is known, but it stands only once a look has found the trade (compareWith).
  await begin({ kind: 'checkout', findsBy: 'trade_no alone', hidesTradeNo: true });
  await happens(pay, MINUTE, reset, MINUTE, pay, 5 * MINUTE);
  expect(world.told.map(({ is }) => is)).toEqual(['payment data', 'reset', 'payment data']);
});

// — Inputs that no rule refuses —
// Lost: goods for which nothing was paid (one trade sells two orders).

test.each(['sold', 'still open'])(
  'promise 1: a second trade that is adopted under its own number is before a person (ours is %s)',
  async (is) => {
    await begin();
    await (is === 'sold' ? sell() : happens(pay, MINUTE));
    const { trade_no } = madeByAnother('SUCCESS');
    const adoption = { kind: 'adopt', app_id: 'hostile', trade_no };
    world.start('ALLOW_DUPLICATE', paymentWorkflowId('hostile', trade_no), [adoption]);
    await happens(HOUR, is === 'sold' ? 0 : tell('T1', 'SUCCESS'), HOUR);
    expect(await tradesBeforeAPerson()).toEqual(expect.arrayContaining(['T1', 'T2']));
  },
);

test('promise 1: an adoption with the trade of another order does not answer our order with it', async () => {
  await begin();
  const { trade_no } = world.gateway.make({ out_trade_no: 'another', amount: AMOUNT }, 'another system', 'SUCCESS');
  await happens(startWith([{ kind: 'adopt', app_id: 'hostile', trade_no }]), MINUTE, pay, HOUR);
  expect([answers(), await sale()]).not.toEqual([['T1'], { outcome: 'SUCCESS', trade_no: 'T1', attention: null }]);
});

test('promise 1: another system’s paid trade that shows itself after the refusal of our order is not sold without a person', async () => {
  const before = { amount: AMOUNT, isPaid: false, isNotified: false };
  const traits = { takesNumbersTwice: true, shows: 'the first', creations: ['created and refused'], before } as const;
  await keeps([{ do: 'paid' }], traits);
});

test('promise 1: another system’s trade of another amount is no payment data of an order that was refused as its duplicate', async () => {
  const before = { amount: '15.00', isPaid: false, isNotified: false };
  const steps = [{ do: 'reset' }, { do: 'notify', times: 1 }, wait(10 * HOUR), { do: 'pay' }] as const;
  await keeps(steps, { before, takesNumbersTwice: false });
});

// — A reset of an adoption —

async function adoptedAndReset(): Promise<void> {
  await begin();
  await happens(anotherMade(), adopt, 10 * MINUTE, pay, MINUTE, anotherMade(), MINUTE, reset, 10 * MINUTE);
}

test('promise 1: an order that was answered with an adopted trade is answered so again after a reset, though another trade is there', async () => {
  await adoptedAndReset();
  await happens(pay, MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: money of the trade that was adopted is known after a reset, though another trade is there and nobody notifies', async () => {
  await adoptedAndReset();
  await happens(move('T1', 'SUCCESS'), 2 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});

// — Told "not made here", and then given payment data —
// Lost: goods, for money that another system has sold for; a person is told (unproven-trade), the merchant is not.

test.each([
  ['started again', () => happens(startAgain, 5 * MINUTE)],
  ['reset', () => happens(reset, 5 * MINUTE)],
] as const)(
  'promise 1: an order that was refused as a duplicate, and is %s, is not answered with the other system’s trade',
  async (_, act) => {
    await begin({ takesNumbersTwice: false });
    await happens(anotherMade(), pay, 5 * MINUTE, act, pay, 5 * MINUTE);
    expect(answers()).toEqual(['DuplicateOrderError', 'DuplicateOrderError']);
  },
);

// — A person's word and the limits —

test('promise 1: a start that the contract allows for a number that failed, and that comes once more after its run was terminated, charges once', async () => {
  await begin({ creations: ['refused for good', 'answer lost'] });
  await happens(pay, MINUTE);
  expect(world.run?.status).toBe('FAILED');
  world.start('ALLOW_DUPLICATE_FAILED_ONLY');
  await happens(5 * SECOND, terminate, MINUTE);
  world.start('ALLOW_DUPLICATE_FAILED_ONLY');
  await world.pass(5 * MINUTE);
  expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

test('promise 1: another trade that was named before the gateway refused our order is before a person', async () => {
  const creations = ['created and refused' as const, ...unreachable];
  const traits = { creations, notifies_ms: 20 * SECOND, before: { ...OTHER, isPaid: false } };
  await keeps([{ do: 'notify wrong amount' }], traits, 1_514_489_598);
});

// — The after-sale of a sale follows whichever trade its first notification names —

test('promises 1 and 8: the sale is not called charged back because another trade under its number was', async () => {
  await begin({});
  await happens(sell, anotherTold('CHARGEBACK'), DAY);
  expect(attentions()).toContain('second-trade');
});

// — Another amount or currency of the same trade is dropped —

test('promise 1: another amount that is notified while a look at the same trade is under way is before a person', async () => {
  await begin({});
  await happens(pay, MINUTE, move('T1', 'SUCCESS'), trouble('503'), notify('T1'), 20 * SECOND);
  await happens(notify('T1', 'SUCCESS', { amount: '300.00' }), 20 * SECOND, works, DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: another amount that is believed in one task with the right one is before a person', async () => {
  await begin({ confirmByQuery: false });
  await happens(pay, MINUTE, tell('T1', 'SUCCESS'), notify('T1', 'SUCCESS', { amount: '300.00' }), DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: another amount that is notified after the sale is before a person', async () => {
  await begin({});
  await happens(sell, notify('T1', 'SUCCESS', { amount: '300.00' }), DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: another currency that is notified after the sale is before a person', async () => {
  await begin({});
  await sell();
  world.notify({ ...tradeAt(0), currency: 'MXN' });
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
});

// — A third trade is in no follow-up —

test('promise 1: a third trade that is notified while the follow-up of the second one is started is before a person', async () => {
  await begin({ childStarts_ms: HOUR });
  await happens(pay, MINUTE, anotherTold('SUCCESS'), MINUTE, tell('T1', 'SUCCESS'), 30 * MINUTE);
  await happens(anotherTold('SUCCESS'), DAY);
  expect(await tradesBeforeAPerson()).toEqual(expect.arrayContaining(['T2', 'T3']));
});

// — Whose trade it is, where the creation's answer does not say —

test('promise 1: the first look learns the number of our trade, so that another one is not taken for it', async () => {
  await begin({ hidesTradeNo: true, shows: 'the latest' });
  await happens(pay, MINUTE, move('T1', 'SUCCESS'), anotherTold('PROCESSING'), HOUR);
  expect(await stateNow()).toMatchObject({ trade_no: 'T1', outcome: 'SUCCESS', other_trades: [{ trade_no: 'T2' }] });
});

test.each(['direct', 'checkout'] as const)(
  'promise 1: another system’s paid trade is not sold as ours where the answer to our %s creation names ours by a JSON number',
  async (kind) => {
    await begin({ kind, shows: 'the latest' });
    nameTradesByNumbers();
    await happens(pay, 5 * SECOND, anotherMade('SUCCESS'), HOUR);
    expect(await stateNow()).toMatchObject({ outcome: null, payment_data: { trade_no: '10001' } });
    await happens(move('T1', 'SUCCESS'), HOUR);
    expect(await stateNow()).toMatchObject({ trade_no: '10001', outcome: 'SUCCESS' });
  },
);

// — A signal without an argument that proves anything makes the order one of others —

test.each([
  ['an order', []],
  ['an order', [{}]],
  ['an adoption', []],
  ['an adoption', [{}]],
])(
  'the contract: an order is made after %s without a worker was terminated, with the signals %j',
  async (what, signals) => {
    await begin();
    await world.leaveWithoutWorker(MINUTE);
    if (what === 'an order') world.start('ALLOW_DUPLICATE');
    else world.adopt();
    await world.pass(SECOND);
    for (const one of signals) world.oddSignal('notification', one);
    await happens(SECOND, terminate, 5 * MINUTE, startAgain, 10 * MINUTE);
    expect(world.gateway.trades).toHaveLength(1);
  },
);

// — A terminated adoption that names a trade says nothing —

test('promise 1: a trade that an adoption names, terminated before its look, is no number for an order of ours', async () => {
  await begin();
  const other = madeByAnother('SUCCESS');
  const { out_trade_no, workflowId } = world;
  world.gateway.trouble = 'unreachable';
  world.start('ALLOW_DUPLICATE', workflowId, [
    { kind: 'adopt', app_id: 'hostile', out_trade_no, trade_no: other.trade_no },
  ]);
  await happens(5 * MINUTE, terminate, works, MINUTE, startAgain, HOUR);
  expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
});

// — The order is not made twice where the one that made it was terminated mid-call —

test('promise 1: no second order where the worker died in the call and the run was terminated', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 10 * MINUTE });
  await happens(pay, 0, noWorker(MINUTE), terminate, 2 * MINUTE, startAgain, HOUR);
  expect(world.gateway.trades.length).toBeLessThanOrEqual(1);
});

// — An order that a busy gateway made all the same is forgotten where no later try is a duplicate —
// Lost: the buyer's money. The merchant is told that nothing was charged, and sells again under a new number.

test.each<[how: string, creations: Mishap[], act: Act]>([
  ['the second try was refused for good', ['temporary', 'refused for good'], 0],
  ['the order was withdrawn', ['temporary'], withdraw],
  [
    'the gateway was unreachable for the rest of its time',
    ['temporary'],
    () => happens(trouble('unreachable'), 2 * HOUR, works),
  ],
])(
  'promise 2: money of an order that a busy gateway made all the same is found where %s',
  async (_how, creations, act) => {
    await begin({ creations, takesNumbersTwice: false });
    await happens(pay, SECOND / 5);
    expect(world.gateway.exchanges.map(({ answered }) => answered)).toEqual(['temporary']);
    const ours = world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us');
    await happens(act, 10 * MINUTE, move(ours, 'SUCCESS'), 10 * HOUR);
    expect([(await stateNow()).trade_no, attentions().filter((one) => one !== 'no-answer')]).not.toEqual([null, []]);
  },
);

// — Other trades under the number —

test('promise 1: another, paid trade stays before a person after the run that had looked at it was terminated', async () => {
  await begin({ late: 'accept' });
  await happens(pay, MINUTE, anotherTold('SUCCESS'), MINUTE);
  expect(attentions()).toEqual(['second-trade']);
  await happens(terminate, SECOND, tell('T1', 'SUCCESS'), HOUR);
  expect([await outcome(), await others(), open()]).not.toEqual(['SUCCESS', [], []]);
});

test('promise 1: a merchant reads of another trade after the sold order is started again', async () => {
  await begin({});
  await happens(sell, anotherTold('SUCCESS'), HOUR);
  expect(await others()).toEqual(['T2 SUCCESS']);
  await happens(startAgain, HOUR);
  expect(await others()).toEqual(['T2 SUCCESS']);
});

// — A run that somebody ended is taken for an order of others, although it made, saw and left nothing —
// Lost: the order. The merchant is told DuplicateOrder of a number that the gateway does not have, and can never use it.

test('the contract: an order is made after an adoption that found nothing was terminated', async () => {
  await begin();
  await happens(adopt, 30 * MINUTE, terminate, MINUTE, startAgain, 10 * MINUTE);
  expect(world.gateway.trades).toHaveLength(1);
});

test.each([
  ['terminated and started again', terminate],
  ['reset', reset],
])('the contract: an order is made whose run was %s while the list of workflows was down', async (_how, act) => {
  await begin();
  const mend = listIsDown();
  await happens(startAgain, 15 * MINUTE, act, mend, 5 * MINUTE, startAgain, 10 * MINUTE);
  expect(world.gateway.trades).toHaveLength(1);
});

// — Our refused trade, whose number only a notification named, is forgotten where another trade is notified later —
// Lost: a person's word on two trades under one number.

test('promise 1: a trade beside our refused one, whose number only its notification named, is before a person', async () => {
  await begin({ creations: ['created and refused'], takesNumbersTwice: false, kind: 'checkout' });
  await happens(pay, SECOND, notify('T1'), 10 * MINUTE, anotherTold(), HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});

// — Money —

test.each<[what: string, after: () => unknown]>([
  ['a merchant’s interceptor fails', () => Promise.reject(new Error('the metrics are away'))],
  ['a merchant’s interceptor fails for good', () => Promise.reject(ApplicationFailure.nonRetryable('over'))],
  ['the result cannot be encoded', () => ({ n: 1n })],
])('promise 2: an order is sent once where %s after it was sent', async (_, after) => {
  await begin({ takesNumbersTwice: true });
  failsOnce('gateway.create', after);
  await happens(pay, 10 * MINUTE);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us']);
  expect(await stateNow()).toMatchObject({ trade_no: tradeAt(0).trade_no, attention: null });
});

test('promise 2: an order is sent once where an interceptor fails after it was sent, and no worker takes the next attempt', async () => {
  await begin({ takesNumbersTwice: true });
  failsOnce('gateway.create', () => {
    world.temporal.leaveWithoutWorker(30 * SECOND);
    throw new Error('the metrics are away');
  });
  await happens(pay, 10 * MINUTE);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us']);
  expect(await stateNow()).toMatchObject({ trade_no: tradeAt(0).trade_no, attention: null });
});

test('promise 2: an order is sent once where Temporal cannot note at first that it is about to be', async () => {
  await begin({ takesNumbersTwice: true });
  const { activity } = world.temporal.client;
  const note = activity.heartbeat;
  let failures = 0;
  const heartbeat = (...args: unknown[]) => {
    failures += 1;
    if (failures <= 3) throw new Error('Temporal is away');
    return Reflect.apply(note, activity, args);
  };
  Object.assign(activity, { heartbeat });
  await happens(pay, 10 * MINUTE);
  expect(failures).toBe(4);
  expect(answers()).toEqual([tradeAt(0).trade_no]);
  expect(creations()).toHaveLength(1);
});

test('promise 2: a refused resend does not hide the money of an unknown first creation', async () => {
  await begin({ creations: ['carried out late', 'created and refused'], late_ms: 5 * MINUTE });
  await happens(pay, 10 * MINUTE);
  expect(tradeAt(1)).toMatchObject({ trade_no: 'T2', made_by: 'us' });
  await happens(move('T2', 'SUCCESS'), 5 * HOUR);
  // The merchant reads REFUSED, and has the buyer pay again.
  expect([await outcomeNow(), attentions()]).not.toEqual(['REFUSED', []]);
});

test('promise 1: a sold order stays ours after another order was started under its number', async () => {
  await begin();
  await happens(sell, startAnotherOrder, 5 * MINUTE);
  await happens(pay, 5 * MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: a sold order stays ours after a broken start and a repeated notification', async () => {
  await begin();
  await happens(sell, startBroken, 5 * MINUTE, notify('T1'), 5 * MINUTE, pay, 5 * MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: an order of another system that a notification had opened is not sold as ours once the order is started again', async () => {
  await begin({ heldBack: 3 });
  await happens(pay, SECOND, terminate, anotherMade(), notify('T1'), MINUTE, terminate, SECOND, startAgain, MINUTE);
  await happens(move('T1', 'SUCCESS'), 3 * HOUR);
  expect(creations()).toEqual([]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 1: an unproven trade of another system is before a person after a second reset, too', async () => {
  await begin({ heldBack: 3 });
  await happens(pay, SECOND, anotherMade(), reset, 5 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T1', attention: 'unproven-trade' });
  await happens(reset, 5 * MINUTE, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(creations()).toEqual([]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 1: an order of another system is not sold as ours because the gateway was busy at our first try', async () => {
  await begin({ creations: ['temporary'], takesNumbersTwice: false });
  await happens(pay, SECOND / 2, anotherMade(), 5 * MINUTE, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(world.gateway.trades).toMatchObject([{ trade_no: 'T1', made_by: 'another system' }]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test.each([
  ['during the pause after it', SECOND / 5],
  ['between the tries that follow', 6 * SECOND],
])(
  'promise 1: an order that a busy gateway made all the same, and notifies %s, is answered as ours before a person',
  async (_when, after_ms) => {
    await begin({ creations: Array(8).fill('temporary'), takesNumbersTwice: false });
    await happens(pay, after_ms);
    expect(world.gateway.exchanges.filter(({ answered }) => answered === 'temporary')).not.toEqual([]);
    world.notify(world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us', 'SUCCESS'));
    await happens(10 * MINUTE, pay, HOUR);
    expect([answers(), attentions()]).toEqual([['T1', 'T1'], ['unproven-trade']]);
  },
);

// — What merchants are told —

test('promise 1: another order started under a sold number leaves the sale as it is', async () => {
  await begin();
  await happens(sell, startAnotherOrder, 5 * MINUTE);
  expect([await outcome(), await outcomeNow()]).toEqual(['SUCCESS', 'SUCCESS']);
});

test('promise 1: a start without a request under a sold number leaves the sale as it is', async () => {
  await begin();
  await happens(sell, startBroken, 5 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test('promise 1: a sold order that is started again where the gateway has forgotten it stays sold, and is answered', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await happens(sell, 5 * HOUR, startAgain, HOUR, pay, 5 * MINUTE);
  expect([answers(), await outcome()]).toEqual([['T1', 'T1'], 'SUCCESS']);
});

test('a refusal that was told stays answered where a worker dies after a reset, in a try that sent nothing', async () => {
  await begin({ creations: ['created and refused'] }, (n) => n - 1);
  await happens(pay, MINUTE, reset, FIRST_TRY_MS, killWorker);
  expect(world.creationsCutOff).toHaveLength(1);
  await world.pass(MINUTE);
  expect(creations().map(({ answered }) => answered)).toEqual(['created refused']);
  expect(safety(world, await seenIn(world))).toEqual([]);
});

test('an answer to a creation is lost with the worker that had it', async () => {
  await begin({}, (n) => n - 1);
  world.pay();
  for (let i = 0; world.gateway.exchanges.length === 0 && i < 1_000; i += 1) await world.pass(1);
  await world.killWorker();
  expect(world.gateway.exchanges).toMatchObject([{ is: 'creation', answered: 'nothing' }]);
  expect(world.gateway.exchanges[0]?.shown).toBe(undefined);
});

// — A poll that runs beside a look finds another trade —

test('promise 1: an order whose trade has no answer is not sent again because its number is denied', async () => {
  await begin({ creations: ['answer lost'] });
  await happens(pay, MINUTE);
  expect(await sale()).toMatchObject({ trade_no: 'T1' });
  await happens(terminate, MINUTE);
  hide(['T1']);
  hide(['order-1'], 'denied');
  await happens(startAgain, DAY);
  expect(world.gateway.trades).toHaveLength(1);
});

// — A gateway that was busy has made an order, and makes another one —

test('promise 1: where a busy gateway has made the order twice, and both are paid, a person hears of the second', async () => {
  await begin({ method: 'Wallet', shows: 'the first' });
  busyAtFirst();
  await happens(pay, MINUTE, move('T1', 'SUCCESS'), move('T2', 'SUCCESS'), 10 * DAY);
  expect([await tradesKnown(), await sale()]).toMatchObject([['T2', 'T1'], { attention: 'second-trade' }]);
});
