/** Attacks on runs that left nothing, or too much, to the next. The comment before a group says what is lost, and for whom. */
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  end,
  found,
  listIsDown,
  madeByAnother,
  outcomeNow,
  pay,
  sell,
  startAgain,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './attack-world';
import { AMOUNT } from './world';

const SECOND = 1_000;
afterEach(() => (world ? end() : undefined));

const broken = () => world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);

// — A run that somebody ended is taken for an order of others, although it made, saw and left nothing —
// Lost: the order. The merchant is told DuplicateOrder of a number that the gateway does not have, and can never use it.

test('the contract: an order is made after an adoption that found nothing was terminated', async () => {
  await begin();
  world.adopt();
  await world.pass(30 * MINUTE);
  world.terminate();
  await world.pass(MINUTE);
  await startAgain(10 * MINUTE);
  expect(world.gateway.trades).toHaveLength(1);
});

test.each([
  ['terminated and started again', () => world.terminate()],
  ['reset', () => world.reset()],
])('the contract: an order is made whose run was %s while the list of workflows was down', async (_how, act) => {
  await begin();
  const mend = listIsDown();
  await startAgain(15 * MINUTE);
  act();
  mend();
  await world.pass(5 * MINUTE);
  await startAgain(10 * MINUTE);
  expect(world.gateway.trades).toHaveLength(1);
});

// — What a terminated run left is read again, although a failed run has taken it and a person has settled it —
// Lost: a person's time, at each notification of the number anew.

test('promise 8: a second trade that a person has settled after a refused start is not raised again', async () => {
  await begin({ takesNumbersTwice: false, shows: 'the first' });
  const first = madeByAnother();
  world.notify(first);
  await world.pass(MINUTE);
  world.notify(madeByAnother());
  await world.pass(5 * MINUTE);
  world.terminate();
  await world.pass(MINUTE);
  await startAgain(10 * MINUTE);
  expect([await outcomeNow(), found({ open: true })]).toEqual(['DuplicateOrderError', ['second-trade']]);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  expect(found({ open: true })).toEqual([]);
  world.notify(first);
  await world.pass(10 * MINUTE);
  expect(found({ open: true })).toEqual([]);
});

// — A run reads the list twice: where only the second time fails, what was left to it is forgotten for good —
// Lost: acknowledged money of a second trade; nobody is told, then or later.

test('promise 3: an acknowledged SUCCESS of a second trade is known where the list of workflows goes down between two reads', async () => {
  await begin();
  await sell();
  const other = madeByAnother('SUCCESS');
  await world.leaveWithoutWorker(MINUTE);
  broken();
  await world.pass(SECOND);
  world.notify(other);
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
  const mend = listIsDown(1);
  world.adopt();
  await world.pass(HOUR);
  mend();
  await world.pass(10 * HOUR);
  // Nor is it by whoever comes next.
  world.adopt();
  await world.pass(10 * HOUR);
  expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T2']), ['no-answer', 'second-trade']]);
});

// — A sale whose trade has no number is compared by the run, and by its follow-up not —
// Lost: that what a person called sold is canceled at the gateway.

test.each([0, HOUR])(
  'promise 8: a sale without a trade number that the gateway calls canceled is before a person after a silence of %s ms',
  async (silence_ms) => {
    await begin();
    world.gateway.trouble = 'resets';
    await pay(HOUR);
    await world.resolve('SUCCESS');
    await world.pass(HOUR);
    world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us', 'CANCEL');
    if (silence_ms === 0) world.gateway.trouble = undefined;
    world.adopt();
    await world.pass(silence_ms);
    world.gateway.trouble = undefined;
    await world.pass(DAY);
    expect([(await stateNow()).outcome, found({ open: true })]).toEqual(['SUCCESS', ['unlisted-transition']]);
  },
);

// — A gateway's word for "no such order" that the settings lack ends the search, and is no answer to the look after it —
// Lost: the constant history. Some 250 workflow tasks a day, until Temporal ends the follow-up by its limit, and its attention with it;
// and 2,800 queries a day for one trade.

test('promise 8: a follow-up asks ever less often where the gateway has a word of its own for an order that it does not have', async () => {
  await begin();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  let asked = 0;
  const post = async () => {
    asked += 1;
    const body = { code: '40004', msg: 'Business Failed', sub_code: 'trade-archived', sub_msg: 'archived' };
    return { status: 200, body: new TextEncoder().encode(JSON.stringify(body)) };
  };
  Object.assign(world.gateway, { post });
  world.reset();
  await world.pass(DAY);
  const first = asked;
  await world.pass(DAY);
  // Each half hour, as every search that lasts.
  expect(asked - first).toBeLessThanOrEqual(48);
});

// — A run that was under no-answer for want of the list continues as another, and its own attention stays in the list —
// Lost: a person's time. It is closed, so nobody and no fact can settle it while Temporal keeps it.

test.each([
  ['an adoption of our sale', () => sell(), () => world.adopt()],
  ['an adoption of a sale of others', () => sellOfOthers(), () => world.adopt()],
  ['a reset of a sale of others', () => sellOfOthers(), () => world.reset()],
])(
  'promise 8: nothing is found under attention after an hour without the list of workflows and %s',
  async (_how, sold, act) => {
    await begin();
    await sold();
    const mend = listIsDown();
    act();
    await world.pass(HOUR);
    expect(found()).toEqual(['no-answer']);
    mend();
    await world.pass(10 * HOUR);
    expect([await outcomeNow(), found()]).toEqual(['SUCCESS', []]);
  },
);

async function sellOfOthers(): Promise<void> {
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
}

// — A trade that was noted before ours had a number is left as another one: it is ours —
// Lost: a person's time, who looks for a second trade of which nothing names the number.

test.each([
  ['reset', () => world.reset()],
  ['terminated', () => world.terminate()],
])('promise 8: our one trade is no second one where its run was %s while the gateway was behind', async (how, act) => {
  await begin({ lag_ms: 20 * MINUTE, creations: ['answer lost'], takesNumbersTwice: false });
  await pay(SECOND);
  world.notify(tradeAt(0));
  await world.pass(5 * MINUTE);
  act();
  await world.pass(MINUTE);
  if (how === 'terminated') world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect([await tradesKnown(), attentions()]).not.toEqual([['T1'], expect.arrayContaining(['second-trade'])]);
});

// — Our refused trade, whose number only a notification named, is forgotten where another trade is notified later —
// Lost: a person's word on two trades under one number.

test('promise 1: a trade beside our refused one, whose number only its notification named, is before a person', async () => {
  await begin({ creations: ['created and refused'], takesNumbersTwice: false, kind: 'checkout' });
  await pay(SECOND);
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  world.notify(madeByAnother());
  await world.pass(HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1', 'T2']), ['second-trade']]);
});
