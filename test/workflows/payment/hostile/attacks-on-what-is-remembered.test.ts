/**
 * Attacks on what a payment remembers: of what was acknowledged and the gateway has not shown yet, and of the runs before it. Each
 * broke a promise.
 */
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  attentions,
  begin,
  end,
  madeByAnother,
  outcomeNow,
  pay,
  sell,
  startAgain,
  startBroken,
  stateNow,
  tradeAt,
  world,
} from './attack-world';

const SECOND = 1_000;
afterEach(async () => end());

/** Why the workflows that run need a person. */
const open = () =>
  world.runs.flatMap((run) => {
    const { PaymentAttention } = world.temporal.attributesOf(run);
    return run.isRunning && typeof PaymentAttention === 'string' ? [PaymentAttention] : [];
  });

const running = () => world.runs.filter(({ isRunning }) => isRunning).map(({ start }) => start.type);
const outcome = async () => (await stateNow()).outcome;
const othersOf = ({ other_trades }: PaymentState) => other_trades.map((one) => `${one.trade_no} ${one.trade_status}`);
const RESOLVE_CANCEL = { outcome: 'CANCEL', by: 'ana', reason: 'looked' };

/** The list of workflows fails until it is given back, as where visibility is down. */
function breakList(): () => void {
  const { workflow } = world.temporal.client;
  const list = workflow.list.bind(workflow);
  Object.assign(workflow, {
    list: () => {
      throw new Error('the list of workflows is down');
    },
  });
  return () => void Object.assign(workflow, { list });
}

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

test('promise 3: money is before a person where its SUCCESS was denied for two minutes and an old copy says CANCEL', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await pay(2 * HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(40 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.trouble = 'no such order';
  world.notify(tradeAt(0));
  await world.pass(2 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

test('promise 3: late money is before a person where its SUCCESS was denied for a quarter of an hour and an old copy says CANCEL', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await pay(HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(2 * HOUR);
  expect(await outcomeNow()).toBe('CANCEL');
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.trouble = 'no such order';
  world.notify(tradeAt(0));
  await world.pass(15 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

// — A person's word, or the deadline, drops what was acknowledged and not shown yet —

test('promise 3: a chargeback that a look had contradicted reaches the after-sale where a person says SUCCESS', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await pay(2 * HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'CHARGEBACK');
  world.notify(tradeAt(0));
  await world.pass(40 * MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: a chargeback that comes while a person decides about another amount reaches the after-sale', async () => {
  await begin({ lag_ms: 5 * MINUTE });
  await pay(10 * MINUTE);
  world.gateway.trades.splice(0, 1, { ...tradeAt(0), amount: '15.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(HOUR);
  expect(attentions()).toEqual(['amount-mismatch']);
  world.gateway.move(tradeAt(0), 'CHARGEBACK');
  world.notify(tradeAt(0));
  await world.pass(4 * MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: a chargeback that the gateway denied reaches the after-sale where a person says SUCCESS', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  const other = madeByAnother('SUCCESS');
  world.notify(other);
  await world.pass(15 * MINUTE);
  world.gateway.move(other, 'CHARGEBACK');
  world.notify(other);
  await world.pass(5 * MINUTE);
  expect(attentions()).toContain('unknown-trade');
  await world.resolve('SUCCESS');
  await world.pass(3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: money that a look had contradicted is before a person after a person said CANCEL and an old copy says so, too', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await pay(3 * HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(40 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

test('promise 3: money that is notified in an outage at the last deadline is before a person, although an old copy says CANCEL', async () => {
  await begin({ lag_ms: HOUR });
  await pay(2 * HOUR);
  const began = world.asked[0] ?? 0;
  const until = (minutes: number) => world.pass(minutes * MINUTE - (world.now - began));
  await until(930);
  world.gateway.trouble = '503';
  await until(935);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await until(950);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await until(966);
  world.gateway.trouble = undefined;
  await world.pass(3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['EXPIRED', []]);
});

test('promise 8: a CANCEL that is looked into while a person says SUCCESS is before a person', async () => {
  await begin({});
  await pay(MINUTE);
  world.gateway.trouble = '503';
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(20 * SECOND);
  await world.resolve('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['SUCCESS', []]);
});

test('promise 8: a CANCEL that comes to a second start of what a person had called sold is before a person', async () => {
  await begin({});
  await pay(MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  await world.leaveWithoutWorker(MINUTE);
  world.start('ALLOW_DUPLICATE');
  await world.pass(SECOND);
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(2 * DAY);
  expect([await outcome(), open()]).not.toEqual(['SUCCESS', []]);
});

// — A run does not know yet, or does not ask, what was sold before it —

test.each([
  ['started again', () => world.start('ALLOW_DUPLICATE')],
  ['reset', () => world.reset()],
])('promise 6: a person cannot end a sale as CANCEL in the moment in which its order is %s', async (_, act) => {
  await begin({});
  await sell();
  const before = world.events.length;
  await world.leaveWithoutWorker(MINUTE);
  act();
  await world.pass(SECOND);
  world.temporal.update(world.workflowId, 'resolve', RESOLVE_CANCEL);
  await world.pass(3 * DAY);
  const told = world.events
    .slice(before)
    .flatMap((event) => (event.type === 'transition' ? [`${event.type} ${event.payment.outcome}`] : []));
  expect(told).not.toContain('transition CANCEL');
});

test('promise 6: a sale that the gateway has forgotten stays sold where it is started again and a person says CANCEL at once', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await sell();
  await world.pass(5 * HOUR);
  await world.leaveWithoutWorker(MINUTE);
  world.start('ALLOW_DUPLICATE');
  await world.pass(SECOND);
  world.temporal.update(world.workflowId, 'resolve', RESOLVE_CANCEL);
  await world.pass(3 * DAY);
  expect([await outcomeNow(), attentions()]).not.toEqual(['CANCEL', []]);
});

test('promise 3: a late sale that is reset stays sold, although the gateway has forgotten it', async () => {
  await begin({ late: 'accept', forgetsAfter_ms: 4 * DAY });
  await pay(2 * DAY);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
  await world.pass(3 * DAY);
  world.reset();
  await world.pass(HOUR);
  expect(await outcome()).toBe('SUCCESS');
});

test('promise 8: a late sale that a person has settled is not asked about again after a reset', async () => {
  await begin({});
  await pay(2 * DAY);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(DAY);
  expect(open()).toEqual(['late-payment']);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  expect(open()).toEqual([]);
  world.reset();
  await world.pass(DAY);
  expect(open()).toEqual([]);
});

// — Money after the end is an ordinary sale where the order itself is started again or reset —

test('promise 8: money after a person’s CANCEL is told as late where the order was reset', async () => {
  await begin({});
  await pay(HOUR);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('CANCEL');
  world.reset();
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * DAY);
  expect([await outcomeNow(), attentions()]).not.toEqual(['SUCCESS', []]);
});

test('the setting PAYMENTS_LATE: money after EXPIRED goes back, although the payment was reset meanwhile', async () => {
  await begin({ late: 'refund', method: 'Wallet' });
  await pay(10 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  world.reset();
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * DAY);
  expect([world.gateway.givenBack.length, attentions().includes('late-payment')]).not.toEqual([0, false]);
});

// — Other trades under the number —

test('promise 1: another, paid trade stays before a person after the run that had looked at it was terminated', async () => {
  await begin({ late: 'accept' });
  await pay(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(MINUTE);
  expect(attentions()).toEqual(['second-trade']);
  world.terminate();
  await world.pass(SECOND);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect([await outcome(), othersOf(await stateNow()), open()]).not.toEqual(['SUCCESS', [], []]);
});

test('promise 3: an acknowledged SUCCESS of another trade that a terminated run had not read is before a person', async () => {
  await begin({ late: 'accept' });
  await pay(MINUTE);
  await world.leaveWithoutWorker(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(SECOND);
  expect(world.acknowledged).toHaveLength(1);
  world.terminate();
  await world.pass(2 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect([await outcome(), othersOf(await stateNow()), open()]).not.toEqual(['SUCCESS', [], []]);
});

test('promise 1: a merchant reads of another trade after the sold order is started again', async () => {
  await begin({});
  await sell();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect(othersOf(await stateNow())).toEqual(['T2 SUCCESS']);
  await startAgain(HOUR);
  expect(othersOf(await stateNow())).toEqual(['T2 SUCCESS']);
});

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

test('promise 5: our own trade is watched after its run was terminated and another trade was notified', async () => {
  await begin({});
  await pay(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  expect([(await stateNow()).trade_no, attentions()]).toEqual(['T1', ['second-trade']]);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * DAY);
  expect([await outcomeNow(), othersOf(await stateNow())]).toEqual(['SUCCESS', ['T2 SUCCESS']]);
  expect(open()).not.toEqual([]);
});

// — A sale without a trade's number takes any trade's after-sale word —

test('promise 7: a refund of what a person called sold before its number was known does not go to another system’s trade', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, method: 'Wallet' });
  await pay(8 * SECOND);
  await world.resolve('SUCCESS');
  await world.pass(5 * MINUTE);
  const other = madeByAnother('SUCCESS');
  await world.pass(5 * MINUTE);
  world.gateway.move(other, 'CHARGEBACK_REVERSED');
  world.notify(other);
  await world.pass(HOUR);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(HOUR);
  world.refund();
  await world.pass(2 * DAY);
  expect([world.gateway.givenBack.map(({ trade_no }) => trade_no), attentions()]).not.toEqual([['T2'], []]);
});

// — What reads the earlier runs is repeated for ever, before nobody, and a person may not even decide —

test('promise 8: an acknowledged SUCCESS is before a person where an earlier run cannot answer', async () => {
  await begin({});
  await pay(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  const { workflow } = world.temporal.client;
  const getHandle = workflow.getHandle.bind(workflow);
  const query = async () => {
    throw new Error('the task of the query has failed: its history cannot be replayed');
  };
  Object.assign(workflow, {
    getHandle: (id: string, runId?: string) =>
      runId === undefined ? getHandle(id) : Object.assign(getHandle(id, runId), { query }),
  });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * DAY);
  Object.assign(workflow, { getHandle });
  expect([running(), attentions()]).not.toEqual([['payment'], []]);
});

test('promise 8: an acknowledged SUCCESS is before a person while the list of workflows is down', async () => {
  await begin({});
  await pay(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  const mend = breakList();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * DAY);
  mend();
  expect(world.acknowledged).toHaveLength(1);
  expect([running(), attentions()]).not.toEqual([['payment'], []]);
});

test('promise 8: an order that was started in the plain contract is before a person while the list of workflows is down', async () => {
  await begin({});
  const mend = breakList();
  world.start('REJECT_DUPLICATE');
  await world.pass(3 * DAY);
  mend();
  expect([running(), attentions()]).not.toEqual([['payment'], []]);
});

// — Follow-ups that give money to nobody —

test('promise 3: money that a follow-up hands on to a broken start is not lost', async () => {
  await begin({});
  const other = madeByAnother('PROCESSING');
  world.notify(other);
  await world.pass(10 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  const mend = breakList();
  await startBroken(MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(2 * HOUR);
  mend();
  await world.pass(3 * DAY);
  expect([world.run?.status, open(), running()]).not.toEqual(['FAILED', [], []]);
});

test('promise 5: a trade that was adopted by its own number is watched after a person has said CANCEL', async () => {
  await begin({});
  const other = madeByAnother('PROCESSING');
  world.gateway.trouble = '503';
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'adopt', app_id: 'hostile', trade_no: other.trade_no }]);
  await world.pass(HOUR);
  expect(attentions()).toContain('no-answer');
  await world.resolve('CANCEL');
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(2 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

// — What is told —

test('promise 8: the merchant is told of another amount that is notified while the payment closes', async () => {
  await begin({ childStarts_ms: HOUR });
  await pay(MINUTE);
  world.notify(madeByAnother('PROCESSING'));
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  world.notify(tradeAt(0), 'SUCCESS', { amount: '300.00' });
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
  const told = world.events.flatMap((event) => (event.type === 'attention' ? [event.payment.attention] : []));
  expect(told).toContain('amount-mismatch');
});

test.each(['SUCCESS', 'CANCEL'] as const)(
  'promises 3 and 8: a person who has said %s of another amount is not asked again by a repeated notification',
  async (word) => {
    await begin({});
    await pay(MINUTE);
    world.gateway.trades.splice(0, 1, { ...tradeAt(0), amount: '15.00' });
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    expect(attentions()).toEqual(['amount-mismatch']);
    await world.resolve(word);
    await world.pass(HOUR);
    expect(open()).toEqual([]);
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    expect([open(), await outcome()]).toEqual([[], word]);
  },
);
