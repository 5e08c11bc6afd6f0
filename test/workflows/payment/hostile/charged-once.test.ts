/** Promises 1 and 2: never two charges of ours under one number, and an order of unknown outcome is not blindly sent again. */

import { ApplicationFailure } from '@temporalio/common';
import { gatewayActivities } from '../../../../src/activities';
import { paymentWorkflowId } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { thrownBy } from '../../../harness/thrown';
import { answeringFirst } from '../../hostile/answering';
import type { Mishap } from '../../hostile/gateway';
import type { Act } from '../../hostile/happens';
import {
  adopt,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  decide,
  found,
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
  say,
  sell,
  sellAdopted,
  startAgain,
  startBroken,
  startWith,
  stateNow,
  tell,
  terminate,
  tradesBeforeAPerson,
  tradesKnown,
  trouble,
  withdraw,
  works,
  world,
} from './acts';
import { hide } from './changed-answers';
import { SECOND } from './schedule';
import { AMOUNT } from './world';

const unreachable = Array<'unreachable'>(8).fill('unreachable');
/** A caller starts another order under the number, by the plain contract. */
const startAnotherOrder = () =>
  startWith([{ ...world.input, request: { ...world.input.request, order_amount: '151.00' } }])();

test('promise 1: of two adopted trades the first is known where its run was terminated before the second was notified', async () => {
  await begin();
  await happens(anotherTold(), MINUTE, terminate, MINUTE, anotherTold(), 10 * HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});

test.each(['answer lost', 'carried out late'] as const)(
  'promise 2: an order (%s) is not sent again on the word of a look that is minutes old',
  async (first) => {
    await begin({ creations: [first, ...unreachable], lag_ms: 60 * SECOND, late_ms: 40 * SECOND });
    await happens(pay, 20 * MINUTE);
    expect(world.gateway.trades.map(({ trade_no }) => trade_no)).toEqual(['T1']);
  },
);

test('promise 1: nobody is told that a trade is theirs which a person ended before the gateway had said what it is', async () => {
  await begin({});
  await happens(trouble('503'), anotherTold(), MINUTE, decide('SUCCESS'), pay, MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
});

test('promise 1: a second start under an adopted sale sends nothing', async () => {
  await begin();
  await happens(sellAdopted, startAgain, 5 * MINUTE);
  expect([await outcome(), world.gateway.trades.length]).toEqual(['SUCCESS', 1]);
});

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

const endsUnsold: [how: string, acts: Act[]][] = [
  ['a poll finds expired', [80 * MINUTE, move('T1', 'EXPIRED')]],
  ['a notification says is cancelled', [tell('T1', 'CANCEL')]],
  ['never ends', []],
  ['has ended when another run takes it on', [terminate, MINUTE, tell('T1', 'CANCEL')]],
];

test.each(endsUnsold)(
  'promise 1: a paid trade that nobody notifies is before a person, beside ours, which %s',
  async (_how, acts) => {
    await begin({ kind: 'checkout' });
    await happens(pay, 5 * MINUTE, anotherMade('SUCCESS'), ...acts, 10 * DAY);
    expect(await others()).toEqual(['T2 SUCCESS']);
    expect(found()).toEqual(['second-trade']);
  },
);

const forgets = () => hide(['T1'], 'denied');
const endsForgotten: [how: string, acts: Act[]][] = [
  ['at once', [forgets]],
  ['after its run was terminated and adopted', [terminate, MINUTE, forgets, adopt]],
];

test.each(endsForgotten)(
  'promise 1: a paid trade that nobody notifies is before a person, although the gateway has forgotten ours %s',
  async (_how, acts) => {
    await begin({ kind: 'checkout' });
    await happens(pay, 5 * MINUTE, anotherMade('SUCCESS'), ...acts, DAY);
    expect([await others(), found()]).toEqual([['T2 SUCCESS'], ['second-trade']]);
  },
);

test.each(endsUnsold)(
  'promise 1: the number’s own silence does not hold up the end of our trade, which %s',
  async (_how, acts) => {
    await begin({ kind: 'checkout' });
    await happens(pay, 5 * MINUTE, anotherMade('SUCCESS'), () => hide([world.out_trade_no]), ...acts, 10 * DAY);
    expect(await others()).toEqual([]);
    expect(await outcome()).toMatch(/^(EXPIRED|CANCEL)$/);
  },
);

test('promise 1: the order’s number is asked for once, at the end of our trade, and an answer about ours changes nothing', async () => {
  await begin({ kind: 'checkout' });
  const byNumber = () =>
    world.gateway.exchanges.filter(({ is, asked }) => is === 'query' && asked?.trade_no === undefined);
  await happens(pay, DAY);
  expect(byNumber()).toHaveLength(0);
  await happens(move('T1', 'EXPIRED'), 10 * DAY);
  expect(byNumber()).toHaveLength(1);
  expect(await sale()).toMatchObject({ outcome: 'EXPIRED', attention: null });
});

test('promise 8: another trade that a person has settled is not asked about again where our trade ends', async () => {
  await begin({ kind: 'checkout' });
  await happens(pay, 5 * MINUTE, anotherTold('SUCCESS'), MINUTE, say({}), MINUTE);
  expect(open()).toEqual([]);
  await happens(move('T1', 'EXPIRED'), 10 * DAY);
  expect([await outcome(), found()]).toEqual(['EXPIRED', []]);
});

test('promise 1: another amount that is notified while a look at the same trade is under way is before a person', async () => {
  await begin({});
  await happens(pay, MINUTE, move('T1', 'SUCCESS'), trouble('503'), notify('T1'), 20 * SECOND);
  await happens(notify('T1', 'SUCCESS', { amount: '300.00' }), 20 * SECOND, works, DAY);
  expect(attentions()).toContain('amount-mismatch');
});

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

test.each<[how: string, again: Act]>([
  ['the shop repeats its call', pay],
  ['somebody starts the workflow again', startAgain],
  ['its workflow is terminated, and the shop repeats its call', () => happens(startAgain, SECOND, terminate, pay)],
])('promise 2: an order that was withdrawn is not sent any more where %s', async (_how, again) => {
  await begin();
  await happens(trouble('unreachable'), pay, MINUTE, withdraw, MINUTE, works, again, HOUR, again, HOUR);
  expect(world.told.filter(({ is }) => is === 'withdrawn')).toHaveLength(1);
  expect(world.gateway.exchanges.filter(({ is, answered }) => is === 'creation' && answered !== 'not sent')).toEqual(
    [],
  );
  expect(world.told.filter(({ is }) => is === 'payment data')).toEqual([]);
});

test('promise 2: what a cancellation says of an order that the gateway had refused holds: it says withdrawn, and it is not sent', async () => {
  await begin({ creations: ['refused for good'] });
  await happens(pay, MINUTE, withdraw, MINUTE, pay, 5 * MINUTE);
  const isWithdrawn = world.told.some(({ is }) => is === 'withdrawn');
  expect([isWithdrawn, world.gateway.trades.length]).not.toEqual([true, 1]);
});

test('promise 1: no failure after which an order may exist says that it was withdrawn: that row of the contract has a new number sold', async () => {
  await begin({ creations: ['lost before it arrived', 'refused for good'], takesNumbersTwice: false });
  await happens(pay, 45 * SECOND, withdraw, 10 * MINUTE);
  const error = await thrownBy(world.payments.outcome(world.out_trade_no));
  expect(error).toMatchObject({ details: { may_exist: true } });
  expect(error).not.toMatchObject({ details: { withdrawn: true } });
});

test('promise 1: no second order where the worker died in the call and the run was terminated', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 10 * MINUTE });
  await happens(pay, 0, noWorker(MINUTE), terminate, 2 * MINUTE, startAgain, HOUR);
  expect(world.gateway.trades.length).toBeLessThanOrEqual(1);
});

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

test.each([
  ['terminated and started again', terminate],
  ['reset', reset],
])('the contract: an order is made whose run was %s while the list of workflows was down', async (_how, act) => {
  await begin();
  const mend = listIsDown();
  await happens(startAgain, 15 * MINUTE, act, mend, 5 * MINUTE, startAgain, 10 * MINUTE);
  expect(world.gateway.trades).toHaveLength(1);
});

test('promise 1: a trade beside our refused one, whose number only its notification named, is before a person', async () => {
  await begin({ creations: ['created and refused'], takesNumbersTwice: false, kind: 'checkout' });
  await happens(pay, SECOND, notify('T1'), 10 * MINUTE, anotherTold(), HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});

test.each([
  ['another order', startAnotherOrder],
  ['a start without a request', startBroken],
])('promise 1: a sold order stays sold, and ours, after %s under its number', async (_what, start) => {
  await begin();
  await happens(sell, start, 5 * MINUTE);
  expect([await outcome(), await outcomeNow()]).toEqual(['SUCCESS', 'SUCCESS']);
  await happens(notify('T1'), 5 * MINUTE, pay, 5 * MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: an order of another system is not sold as ours because the gateway was busy at our first try', async () => {
  await begin({ creations: ['temporary'], takesNumbersTwice: false });
  await happens(pay, SECOND / 2, anotherMade(), 5 * MINUTE, move('T1', 'SUCCESS'), 3 * HOUR);
  expect(world.gateway.trades).toMatchObject([{ trade_no: 'T1', made_by: 'another system' }]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test.each([
  ['fails', () => Promise.reject(ApplicationFailure.nonRetryable('by hand'))],
  ['completes', async () => null],
])(
  'promise 1: an order of another system is not sold as ours because a person %s the try that had sent nothing',
  async (_how, byHand) => {
    await begin({ creations: Array(60).fill('unreachable') });
    world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'another system', 'SUCCESS');
    await happens(pay, 8 * SECOND);
    Object.assign(world.temporal.activities.functions, { 'gateway.create': byHand });
    await happens(10 * MINUTE);
    expect(await sale()).toMatchObject({ trade_no: 'T1', attention: 'unproven-trade' });
  },
);

test('promise 1: a caller whose order came to the gateway twice, and is refused as a duplicate, is not told to charge anew', async () => {
  await begin({ takesNumbersTwice: false });
  // A proxy before the gateway sends our request again.
  answeringFirst(world.gateway, '/pay', async ({ ask }) => {
    await ask();
    return ask();
  });
  await happens(pay, MINUTE);
  expect(world.gateway.trades).toMatchObject([{ trade_no: 'T1', made_by: 'us' }]);
  const message = expect.stringMatching(/trade T1, PROCESSING.* a new out_trade_no would charge the buyer twice/);
  expect(world.told.at(-1)).toMatchObject({ type: 'DuplicateOrderError', message });
});

test('promise 1: an order of another system is not sold as ours because our last try waited for a worker when its time was over', async () => {
  await begin({ takesNumbersTwice: false });
  await happens(trouble('unreachable'), pay, 8 * MINUTE, noWorker(10 * MINUTE), MINUTE);
  await happens(works, anotherMade('SUCCESS'), 30 * MINUTE, pay, MINUTE);
  expect(answers().at(-1)).toBe('DuplicateOrderError');
});

test('promise 1: nor because a worker died in an attempt before it had noted that a request may leave', async () => {
  await begin();
  await happens(trouble('unreachable'), pay, 20 * SECOND, noWorker(90 * SECOND), 80 * SECOND, killWorker);
  await happens(works, anotherMade('SUCCESS'), 30 * MINUTE);
  expect(await sale()).toMatchObject({ trade_no: 'T1', attention: 'unproven-trade' });
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

/** A worker whose own rules refuse the order: its settings have no address for notifications. Returns what mends it. */
function refusesByItsRules(): () => void {
  const { functions } = world.temporal.activities;
  const whole = Reflect.get(functions, 'gateway.create');
  const lacking = gatewayActivities({ gateways: new Map(), sealingKeys: () => [], notifyUrl: undefined });
  Reflect.set(functions, 'gateway.create', lacking['gateway.create']);
  return () => Reflect.set(functions, 'gateway.create', whole);
}

test('promise 1: an order that a busy gateway made all the same is looked for where our rules refuse the next attempt', async () => {
  await begin({ creations: ['temporary'] });
  await happens(pay, 200);
  const ours = world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us');
  const mend = refusesByItsRules();
  await happens(MINUTE, mend, move(ours, 'SUCCESS'), pay, MINUTE, HOUR);
  expect(world.gateway.trades).toHaveLength(1);
  expect(await tradesKnown()).toEqual(['T1']);
});

test('an order that a busy gateway did not make is refused by our rules with every fault, and nothing is watched', async () => {
  await begin({ creations: ['temporary'] });
  await happens(pay, 200, refusesByItsRules, 3 * MINUTE);
  const said = world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
  await world.pass(HOUR);
  expect(await said).toMatchObject({ name: 'InvalidOrderError', fields: ['notify_url'], may_exist: false });
  expect(world.runs.filter(({ isRunning }) => isRunning)).toEqual([]);
});

test('an order that was refused and is then made is not taken for one that was sent twice', async () => {
  await begin({ creations: ['refused for good', 'refused for good'] });
  await happens(pay, MINUTE, pay, MINUTE, pay, MINUTE, tell('T1', 'SUCCESS'), HOUR);
  expect([await outcome(), world.runs.filter(({ isRunning }) => isRunning)]).toEqual(['SUCCESS', []]);
});

test('promise 1: a caller of the TypeScript client hears that the order may exist where our rules refuse to send it again', async () => {
  await begin({ creations: ['answer lost'], findsBy: 'trade_no alone' });
  await happens(pay, 10 * SECOND, refusesByItsRules, 3 * MINUTE);
  const said = world.payments.outcome(world.out_trade_no).catch((error: unknown) => error);
  await world.pass(MINUTE);
  expect(await said).toMatchObject({ name: 'InvalidOrderError', may_exist: true, details: { may_exist: true } });
});

const cancelled = () => happens(pay, MINUTE, move('T1', 'CANCEL'), recheck, MINUTE);
test.each<[string, () => Promise<void>]>([
  ['money came after the end', () => happens(cancelled, tell('T1', 'SUCCESS'), 10 * MINUTE)],
  ['a person said CANCEL while the trade is open', () => happens(pay, MINUTE, decide('CANCEL'), 10 * MINUTE)],
])('promise 1: nobody is told to take a new number without a look where %s', async (_where, act) => {
  await begin();
  await act();
  world.pay({ kind: 'direct', amount: '160.00' });
  await world.pass(MINUTE);
  expect(world.told.at(-1)).toMatchObject({ message: expect.stringMatching(/read its state first|may still be paid/) });
});
