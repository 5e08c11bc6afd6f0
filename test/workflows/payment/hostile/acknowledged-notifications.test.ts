/** Promise 3: what was acknowledged is never lost. */

import fc from 'fast-check';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import type { Act } from '../../hostile/happens';
import {
  adopt,
  anotherMade,
  anotherTold,
  answers,
  attentions,
  begin,
  cancel,
  costs,
  cutOff,
  decide,
  end,
  endWhileSilent,
  found,
  happens,
  isFoundAfterAll,
  killWorker,
  leftUnread,
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
  running,
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
  whileAway,
  works,
  world,
} from './acts';
import { changeQueries, saysSuccess, without } from './changed-answers';
import { SECOND } from './schedule';
import { AMOUNT } from './world';

/** What may happen next. */
const NEXT: Record<string, Act> = {
  'the list is back': () => mend(),
  'the list is down': () => {
    mend();
    mend = listIsDown();
  },
  'an operator adopts the order again': adopt,
  'the merchant asks for the order again': pay,
  'the order is started again': () => happens(startAgain, MINUTE),
  'a person settles whatever waits': decide('CANCEL'),
  'the payment is terminated': terminate,
  'the worker dies': killWorker,
  'no worker is there': noWorker(10 * MINUTE),
  'the payment is asked to look': recheck,
  'a minute passes': MINUTE,
  'two hours pass': 2 * HOUR,
};
let mend: () => void = () => undefined;

// — What a terminated run had not taken is not read where the run before it sold, or has no order of ours —
// Lost: acknowledged money of a second trade (a buyer has paid twice, nobody gives it back); a sale, once it is reset.

test.each([
  ['somebody adopts the number', adopt],
  ['a third trade is notified', anotherTold()],
])(
  'promise 3: an acknowledged SUCCESS of a second trade is known where its run, a broken start after the sale, was terminated and %s',
  async (_how, act) => {
    await begin();
    await happens(sell, anotherMade('SUCCESS'), cutOff(startBroken, notify('T2')), act, 10 * HOUR);
    expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
    expect(await tradesKnown()).toContain('T2');
  },
);

test('promise 3: an acknowledged SUCCESS of a trade whose number was refused to us is known where its run was terminated and another trade is notified', async () => {
  await begin({ takesNumbersTwice: false });
  await happens(anotherMade(), pay, MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
  await happens(cutOff(notify('T1'), tell('T1', 'SUCCESS')), anotherTold(), 10 * HOUR);
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T1']), ['second-trade']]);
});

test('promise 3: what a run was given by the run before it is known after it was terminated before its first task', async () => {
  await begin();
  const first = madeByAnother();
  const { out_trade_no, trade_no } = madeByAnother('SUCCESS');
  const claim = { app_id: 'hostile', out_trade_no, trade_no, trade_status: 'SUCCESS', amount: AMOUNT, currency: 'BRL' };
  // As reopenFor and a broken start continue: what was acknowledged stands in the input, and in no signal of this run.
  const adopted = { kind: 'adopt', app_id: 'hostile', out_trade_no, trade_no: first.trade_no };
  const input = { ...adopted, pending_notifications: [claim] };
  await happens(cutOff(startWith([input]), 0), notify(first), 10 * HOUR);
  expect(await tradesKnown()).toContain('T2');
});

// — A run that only watched a trade of others is no earlier run —
// Lost: money that the merchant was told would not come is an ordinary sale (goods go out twice, or nobody gives it back); a trade that
// was notified, and of two trades under a number nobody hears.

test('promise 3: an acknowledged SUCCESS of an adopted trade is known where its run was terminated and its number adopted', async () => {
  await begin();
  await happens(anotherMade(), cutOff(notify('T1'), tell('T1', 'SUCCESS')), anotherMade(), adopt, 10 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});

// — Earlier runs that cannot be read for ten minutes are none —
// Lost: the sale. Whoever asks is told of another system's trade, or that the order broke a rule, and before nobody.

test('promise 3: a sale is not hidden by an adoption of its number in an hour without the list of workflows', async () => {
  await begin();
  await happens(sell, anotherMade());
  const mend = listIsDown();
  await happens(adopt, HOUR, mend, 10 * HOUR);
  const { outcome, trade_no, attention } = await stateNow();
  expect({ outcome, trade_no, attention }).not.toEqual({ outcome: null, trade_no: 'T2', attention: null });
});

test('promise 3: a sale is not hidden by a broken start in an hour without the list of workflows', async () => {
  await begin();
  await sell();
  const mend = listIsDown();
  await happens(startBroken, HOUR, mend, HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — Money that was notified, and that the end does not show —

test.each([0, 45])('promise 3: money after CANCEL is known, although copies lag %s minutes', async (lag) => {
  await begin({ lag_ms: lag * MINUTE });
  await happens(pay, 2 * MINUTE, lag * MINUTE + HOUR, move('T1', 'CANCEL'));
  await world.pass(Math.max(5, lag - 5) * MINUTE);
  await happens(tell('T1', 'SUCCESS'), 3 * DAY);
  const { outcome } = await stateNow();
  if (outcome !== 'SUCCESS') expect(await tradesBeforeAPerson()).toContain('T1');
  expect(outcome).toBe(lag === 0 ? 'SUCCESS' : 'CANCEL');
});

// — A reason that comes second is not lost with the first —

test('promise 3: money of our first trade that is notified right after an outage is before a person', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the latest' });
  await happens(pay, 10 * MINUTE);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us', 'us']);
  await happens(trouble('503'), notify('T2', 'PROCESSING'), 15 * MINUTE, works, tell('T1', 'SUCCESS'), HOUR);
  await happens(move('T2', 'CANCEL'), 6 * DAY);
  expect(open()).not.toEqual([]);
});

test('promise 3: money of our first trade that is notified without an outage is before a person', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, shows: 'the latest' });
  await happens(pay, 10 * MINUTE, tell('T1', 'SUCCESS'), HOUR, move('T2', 'CANCEL'), 6 * DAY);
  expect(open()).not.toEqual([]);
});

// — A run that takes on a sale is terminated: the next run does not know of the sale —
// Lost: the merchant's money of a delivered order (PAYMENTS_LATE=refund gives it back by itself, before nobody); or
// the sale, which another trade replaces.

test('promise 3: no other trade replaces the sale after the run that looked at it was terminated', async () => {
  await begin();
  await happens(sell, anotherMade('SUCCESS'), endWhileSilent(notify('T2')), notify('T2'), HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
});

// — `recheck` while an adoption by number reads the earlier runs: the run hangs for ever, without attention —
// Lost: acknowledged money, and sales: nobody polls, nobody is told, every recheck hangs.

test('promise 3: a SUCCESS that is acknowledged after an adoption that was rechecked at once is not lost', async () => {
  await begin();
  await happens(pay, MINUTE, terminate, whileAway(adopt), recheck, 5 * MINUTE, tell('T1', 'SUCCESS'), 48 * HOUR);
  expect(world.acknowledged).toMatchObject([{ trade_no: 'T1', status: 'SUCCESS' }]);
  expect([await outcome(), attentions()]).not.toEqual([null, []]);
});

// — A sale of a trade that was made elsewhere is no sale to the runs after it —
// Lost: the buyer is charged twice by us under a number whose sale the merchant was answered; sales are hidden,
// before nobody.

test('promise 3: an adopted sale is not hidden by somebody who adopts its number once more', async () => {
  await begin();
  await happens(sellAdopted, anotherMade(), adopt, 10 * MINUTE);
  expect([await sale(), attentions()]).not.toEqual([{ outcome: null, trade_no: 'T2', attention: null }, []]);
});

// — A run that adopts by number alone never asks for a trade by the number that was notified, or that callers were given —
// Lost: acknowledged money of our own trade. A person reads "unknown-trade" without any number, says CANCEL, and then
// nothing watches T1.

test('promise 3: the acknowledged SUCCESS of a trade whose number the merchant was given is found after an adoption by number', async () => {
  await begin({ findsBy: 'trade_no alone' });
  await happens(pay, MINUTE, terminate, SECOND, adopt, MINUTE, isFoundAfterAll);
});

// — A reset of a sold payment that was started as the contract says —
// Lost: the sale, for as long as the gateway does not answer, or for good where it has forgotten; the payment data
// (the QR code); and a person's time, for `unproven-trade` of our own sale.

test.each([
  ['has forgotten it', 5 * HOUR, undefined],
  ['does not answer', 0, '429' as const],
])(
  'promise 3: a sale that is reset where the gateway %s stays, and its order is answered again',
  async (_, ms, kind) => {
    await begin({ forgetsAfter_ms: 4 * HOUR });
    await happens(sell, ms, trouble(kind), reset, HOUR, pay, 5 * MINUTE);
    expect([answers(), await outcome()]).toEqual([['T1', 'T1'], 'SUCCESS']);
  },
);

// — A person's word and the limits —

test('promise 3: a sale that the gateway has forgotten stays where its adoption is resolved in its first task', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await happens(sell, 5 * HOUR, whileAway(adopt));
  world.temporal.update(world.workflowId, 'resolve', { outcome: 'CANCEL', by: 'ana', reason: 'looked' });
  await world.pass(10 * HOUR);
  expect([await outcomeNow(), attentions()]).not.toEqual(['CANCEL', []]);
});

// — The after-sale of a sale follows whichever trade its first notification names —

test('promise 3: a chargeback of the trade that was sold is before a person, although the first word was of another one', async () => {
  await begin({});
  await happens(sell, anotherTold('DISPUTE'), HOUR, decide('SUCCESS'), HOUR, tell('T1', 'CHARGEBACK'), 5 * DAY);
  expect(await tradesBeforeAPerson()).toContain('T1');
});

// — What is read at the end: acknowledged money of ours, and of another —

test.each(['T1', 'T2'])(
  'promise 3: money of %s that a terminated run left is known after an end without the list',
  async (which) => {
    await begin();
    await happens(pay, MINUTE, decide('CANCEL'), 10 * MINUTE);
    const other = madeByAnother();
    await happens(noWorker(MINUTE), adopt, SECOND);
    const told = which === 'T1' ? tradeAt(0) : other;
    await happens(tell(told, 'SUCCESS'), SECOND, terminate, SECOND);
    const mend = listIsDown();
    await happens(HOUR, move('T1', which === 'T1' ? 'DISPUTE' : 'CANCEL'), adopt, HOUR, mend, DAY);
    const { outcome, trade_no, other_trades } = await stateNow();
    const known = [trade_no, ...other_trades.map((one) => one.trade_no)];
    expect([known.includes(which), outcome, open().length > 0]).toEqual([
      true,
      which === 'T1' ? 'SUCCESS' : outcome,
      true,
    ]);
  },
);

// — Nobody who waits for the outcome waits for the list of workflows: a follow-up reads what was left —

test('promise 3: what earlier runs left is read once the list of workflows is back, whatever a person said meanwhile', async () => {
  const mend = await leftUnread(1);
  await happens(HOUR, decide('CANCEL'), HOUR, mend, HOUR);
  expect([await tradesKnown(), open()]).toEqual([['T1', 'T2'], ['second-trade']]);
});

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

test('promise 3: an acknowledged SUCCESS after EXPIRED, which a person has settled, is before a person where the creation’s answer had said SUCCESS too early', async () => {
  await begin();
  saysSuccess(false);
  await happens(pay, 2 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  await happens(decide('EXPIRED'), MINUTE);
  world.attentions.length = 0;
  await happens(tell('T1', 'SUCCESS'), 10 * HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect([await outcome(), attentions()]).not.toEqual(['EXPIRED', []]);
});

test('promise 3: the ordered amount that is acknowledged after a person said CANCEL of 1.00 is before a person', async () => {
  await begin();
  await happens(pay, MINUTE, costs('T1', '1.00'), tell('T1', 'SUCCESS'), 10 * MINUTE);
  expect(attentions()).toEqual(['amount-mismatch']);
  await happens(decide('CANCEL'), HOUR, costs('T1', AMOUNT), tell('T1', 'SUCCESS'), 10 * HOUR);
  expect(world.acknowledged.map(({ amount }) => amount)).toEqual(['1.00', AMOUNT]);
  expect([await outcome(), attentions()]).not.toEqual(['CANCEL', ['amount-mismatch']]);
});

// — A broken start that somebody cancels takes with it what was acknowledged: docs/operations.md calls a cancel of a payment safe —
// Lost: the buyer's money, acknowledged; nobody polls, nobody is told.

test.each([
  ['of an order of ours', true],
  ['that was made elsewhere', false],
])(
  'promise 3: an acknowledged SUCCESS %s is not lost where the broken start that had it is canceled',
  async (_of, isOurs) => {
    await begin();
    if (isOurs) await happens(pay, MINUTE, terminate);
    else madeByAnother();
    await happens(noWorker(MINUTE), startBroken, SECOND, tell('T1', 'SUCCESS'), SECOND, cancel, 24 * HOUR);
    expect(world.acknowledged).toHaveLength(1);
    expect([await outcome(), attentions()]).not.toEqual([null, []]);
  },
);

// — "No such order" for half a minute settles an acknowledged SUCCESS for good —

test('promise 3: money is before a person where its SUCCESS was denied for two minutes and an old copy says CANCEL', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, 2 * HOUR, move('T1', 'CANCEL'), 40 * MINUTE);
  await happens(move('T1', 'SUCCESS'), trouble('no such order'), notify('T1'), 2 * MINUTE, works, 3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

test('promise 3: late money is before a person where its SUCCESS was denied for a quarter of an hour and an old copy says CANCEL', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, HOUR, move('T1', 'CANCEL'), 2 * HOUR);
  expect(await outcomeNow()).toBe('CANCEL');
  await happens(move('T1', 'SUCCESS'), trouble('no such order'), notify('T1'), 15 * MINUTE, works, 3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

// — A person's word, or the deadline, drops what was acknowledged and not shown yet —

test('promise 3: a chargeback that a look had contradicted reaches the after-sale where a person says SUCCESS', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, 2 * HOUR, move('T1', 'SUCCESS'), MINUTE, tell('T1', 'CHARGEBACK'), 40 * MINUTE);
  await happens(decide('SUCCESS'), 3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: a chargeback that comes while a person decides about another amount reaches the after-sale', async () => {
  await begin({ lag_ms: 5 * MINUTE });
  await happens(pay, 10 * MINUTE, costs('T1', '15.00'), move('T1', 'SUCCESS'), HOUR);
  expect(attentions()).toEqual(['amount-mismatch']);
  await happens(tell('T1', 'CHARGEBACK'), 4 * MINUTE, decide('SUCCESS'), 3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: a chargeback that the gateway denied reaches the after-sale where a person says SUCCESS', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(anotherMade('SUCCESS'), notify('T1'), 15 * MINUTE, tell('T1', 'CHARGEBACK'), 5 * MINUTE);
  expect(attentions()).toContain('unknown-trade');
  await happens(decide('SUCCESS'), 3 * DAY);
  expect([await outcome(), running()]).not.toEqual(['SUCCESS', []]);
});

test('promise 3: money that a look had contradicted is before a person after a person said CANCEL and an old copy says so, too', async () => {
  await begin({ lag_ms: 45 * MINUTE });
  await happens(pay, 3 * HOUR, move('T1', 'CANCEL'), 40 * MINUTE, tell('T1', 'SUCCESS'), 2 * MINUTE);
  await happens(decide('CANCEL'), 3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['CANCEL', []]);
});

test('promise 3: money that is notified in an outage at the last deadline is before a person, although an old copy says CANCEL', async () => {
  await begin({ lag_ms: HOUR });
  await happens(pay, 2 * HOUR);
  const began = world.asked[0] ?? 0;
  const until = (minutes: number) => world.pass(minutes * MINUTE - (world.now - began));
  await until(930);
  world.gateway.trouble = '503';
  await until(935);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await until(950);
  await happens(tell('T1', 'SUCCESS'));
  await until(966);
  await happens(works, 3 * DAY);
  expect([await outcome(), open()]).not.toEqual(['EXPIRED', []]);
});

// — A run does not know yet, or does not ask, what was sold before it —

test('promise 3: a late sale that is reset stays sold, although the gateway has forgotten it', async () => {
  await begin({ late: 'accept', forgetsAfter_ms: 4 * DAY });
  await happens(pay, 2 * DAY, tell('T1', 'SUCCESS'), HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
  await happens(3 * DAY, reset, HOUR);
  expect(await outcome()).toBe('SUCCESS');
});

// — Other trades under the number —

test('promise 3: an acknowledged SUCCESS of another trade that a terminated run had not read is before a person', async () => {
  await begin({ late: 'accept' });
  await happens(pay, MINUTE, noWorker(MINUTE), anotherTold('SUCCESS'), SECOND);
  expect(world.acknowledged).toHaveLength(1);
  await happens(terminate, 2 * MINUTE, tell('T1', 'SUCCESS'), HOUR);
  expect([await outcome(), await others(), open()]).not.toEqual(['SUCCESS', [], []]);
});

// — Follow-ups that give money to nobody —

test('promise 3: money that a follow-up hands on to a broken start is not lost', async () => {
  await begin({});
  await happens(anotherMade('PROCESSING'), notify('T1'), 10 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  const mend = listIsDown();
  await happens(startBroken, MINUTE, move('T1', 'SUCCESS'), 2 * HOUR, mend, 3 * DAY);
  expect([world.run?.status, open(), running()]).not.toEqual(['FAILED', [], []]);
});

// — What is told —

test.each(['SUCCESS', 'CANCEL'] as const)(
  'promises 3 and 8: a person who has said %s of another amount is not asked again by a repeated notification',
  async (word) => {
    await begin({});
    await happens(pay, MINUTE, costs('T1', '15.00'), tell('T1', 'SUCCESS'), HOUR);
    expect(attentions()).toEqual(['amount-mismatch']);
    await happens(decide(word), HOUR);
    expect(open()).toEqual([]);
    await happens(notify('T1'), HOUR);
    expect([open(), await outcome()]).toEqual([[], word]);
  },
);

test('promise 3: somebody hears of a second trade that an earlier run left, whatever happens while it is unread', async () => {
  const stories = fc.array(fc.constantFrom(...Object.keys(NEXT)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(stories, fc.constantFrom(SECOND, MINUTE, HOUR), async (names, first_ms) => {
      mend = await leftUnread(0);
      const shown = new Set<string>();
      const look = () => {
        for (const attention of found()) shown.add(attention);
      };
      await world.pass(first_ms);
      for (const name of names) {
        await happens(NEXT[name] ?? 0, SECOND);
        look();
      }
      await happens(mend, HOUR);
      // Who terminates a run takes with it what it had, until the next run reads that.
      if (names.includes('the payment is terminated')) world.adopt();
      await world.pass(DAY);
      look();
      const known = await tradesKnown();
      await end();
      expect({ names, isKnown: known.includes('T2'), isShown: shown.has('second-trade') }).toEqual({
        names,
        isKnown: true,
        isShown: true,
      });
    }),
    { numRuns: Number(process.env.UNREAD_RUNS ?? 15), seed: 20261125 },
  );
});

test('promise 3: what a run under another workflow id left is known to the next run under that id', async () => {
  const other = 'a-merchant-s-own-id';
  const adopt = () =>
    world.start('ALLOW_DUPLICATE', other, [{ kind: 'adopt', app_id: 'hostile', out_trade_no: world.out_trade_no }]);
  const runOf = () => world.temporal.latest(other);
  await begin();
  await happens(pay, MINUTE, noWorker(MINUTE));
  adopt();
  await world.pass(SECOND);
  const { trade_no } = madeByAnother('SUCCESS');
  await world.temporal.client.workflow.getHandle(other).signal('notification', { trade_no, trade_status: 'SUCCESS' });
  runOf()?.terminate();
  await world.pass(5 * MINUTE);
  mend = listIsDown();
  adopt();
  await world.pass(HOUR);
  expect(runOf()?.isRunning).toBe(true);
  await happens(mend, 10 * MINUTE);
  const known = await world.temporal.client.workflow.getHandle(other).query<PaymentState>('state');
  expect(known).toMatchObject({ trade_no, outcome: 'SUCCESS' });
});

// — A run reads the list twice: where only the second time fails, what was left to it is forgotten for good —
// Lost: acknowledged money of a second trade; nobody is told, then or later.

test('promise 3: an acknowledged SUCCESS of a second trade is known where the list of workflows goes down between two reads', async () => {
  await begin();
  await happens(sell, anotherMade('SUCCESS'), noWorker(MINUTE), startBroken, SECOND, notify('T2'), SECOND);
  await happens(terminate, 5 * MINUTE);
  const mend = listIsDown(1);
  await happens(adopt, HOUR, mend, 10 * HOUR);
  // Nor is it by whoever comes next.
  await happens(adopt, 10 * HOUR);
  expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
  expect([await tradesKnown(), attentions()]).toEqual([expect.arrayContaining(['T2']), ['no-answer', 'second-trade']]);
});

// — Money —

test('promise 3: a SUCCESS that is acknowledged while a start without a request waits for a worker is not lost', async () => {
  await begin();
  await happens(pay, MINUTE, terminate, SECOND, noWorker(2 * MINUTE), startBroken, SECOND);
  await happens(tell('T1', 'SUCCESS'), 10 * HOUR);
  expect(world.acknowledged).toMatchObject([{ trade_no: 'T1', status: 'SUCCESS' }]);
  expect(attentions()).not.toEqual([]);
});

// — The gateway’s answers name no trade —

test('promise 3: another trade that was notified as paid is known where queries name no trade, and ours has ended', async () => {
  await begin({ hidesTradeNo: true, shows: 'the first' });
  changeQueries({ answer: without('trade_no') });
  await happens(pay, MINUTE, anotherTold('SUCCESS'), MINUTE, move('T1', 'CANCEL'), 10 * DAY);
  expect((await sale()).attention).not.toBe(null);
});

// — What a person has seen is not asked again without news —

test('promise 3: money of an adopted order that was notified in an outage is known after a person has said CANCEL', async () => {
  await begin({ findsBy: 'trade_no alone' });
  await happens(adopt, 30 * MINUTE, trouble('503'), anotherTold('SUCCESS'), HOUR, decide('CANCEL'), HOUR);
  await happens(works, 10 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS' });
});
