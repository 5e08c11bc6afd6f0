/** Promise 3: what was acknowledged is never lost. */

import fc from 'fast-check';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  answers,
  attentions,
  begin,
  end,
  found,
  listIsDown,
  madeByAnother,
  open,
  outcomeNow,
  paid,
  pay,
  sale,
  sell,
  startAgain,
  startBroken,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './acts';
import { SECOND } from './schedule';
import { AMOUNT } from './world';

/** The worker is away while a run is started and notified; somebody terminates that run before a worker has taken anything. */
async function cutOff(start: () => void, notified: () => void): Promise<void> {
  await world.leaveWithoutWorker(MINUTE);
  start();
  await world.pass(SECOND);
  notified();
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
}
const broken = () => world.start('ALLOW_DUPLICATE', world.workflowId, [{ kind: 'direct', app_id: 'hostile' }]);
/** The trades of which an open workflow says that a person is needed. */
async function tradesBeforeAPerson(): Promise<string[]> {
  const trades: string[] = [];
  for (const run of world.runs) {
    if (!run.isRunning || world.temporal.attributesOf(run).PaymentAttention === undefined) continue;
    const { trade_no, other_trades } = await world.within(() => world.temporal.query<PaymentState>(run, 'state'));
    trades.push(...(trade_no ? [trade_no] : []), ...other_trades.map((other) => other.trade_no));
  }
  return trades;
}
/** Looks are refused, and what looks then is ended. */
async function endWhileSilent(act: () => void): Promise<void> {
  world.gateway.trouble = '429';
  act();
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  world.gateway.trouble = undefined;
}
/** A worker is away, so what comes meanwhile meets the workflow's first task. */
async function whileAway(act: () => void): Promise<void> {
  await world.leaveWithoutWorker(MINUTE);
  act();
  await world.pass(SECOND);
}
/** Another system's order under our number is adopted and sold, and the merchant is answered with it. */
async function sellAdopted(): Promise<void> {
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  expect([await outcomeNow(), answers()]).toEqual(['SUCCESS', ['T1']]);
}
async function isFoundAfterAll(): Promise<void> {
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * HOUR);
  await world.resolve('CANCEL');
  await world.pass(24 * HOUR);
  const { outcome, other_trades } = await stateNow();
  expect([outcome, other_trades]).not.toEqual(['CANCEL', []]);
}
const underAttention = async () => (await openWorkflows()).filter(({ attention }) => attention !== undefined);
async function openWorkflows(): Promise<{ type: string; attention: string | undefined; trades: string[] }[]> {
  const found: { type: string; attention: string | undefined; trades: string[] }[] = [];
  for (const run of world.runs) {
    if (!run.isRunning) continue;
    const { PaymentAttention } = world.temporal.attributesOf(run);
    const state = await world.within(() => world.temporal.query<PaymentState>(run, 'state'));
    const others = (state.other_trades ?? []).map(({ trade_no }) => trade_no);
    found.push({
      type: run.start.type,
      attention: typeof PaymentAttention === 'string' ? PaymentAttention : undefined,
      trades: [...(state.trade_no ? [state.trade_no] : []), ...others],
    });
  }
  return found;
}
/** Our trade was sold, another is notified to a run that is terminated, and the next one can read the list but once. */
async function leftUnread(): Promise<() => void> {
  await begin();
  await sell();
  const other = madeByAnother('SUCCESS');
  await world.leaveWithoutWorker(MINUTE);
  world.adopt();
  await world.pass(SECOND);
  world.notify(other);
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
  const mend = listIsDown(1);
  world.adopt();
  await world.pass(HOUR);
  return mend;
}
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
const running = () => world.runs.filter(({ isRunning }) => isRunning).map(({ start }) => start.type);
const othersOf = ({ other_trades }: PaymentState) => other_trades.map((one) => `${one.trade_no} ${one.trade_status}`);
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
/** What may happen next. */
const NEXT: Record<string, () => unknown> = {
  'the list is back': () => mend(),
  'the list is down': () => {
    mend();
    mend = listIsDown();
  },
  'an operator adopts the order again': () => world.adopt(),
  'the merchant asks for the order again': () => world.pay(),
  'the order is started again': () => startAgain(MINUTE),
  'a person settles whatever waits': () => world.resolve('CANCEL'),
  'the payment is terminated': () => world.terminate(),
  'the worker dies': () => world.killWorker(),
  'no worker is there': () => world.leaveWithoutWorker(10 * MINUTE),
  'the payment is asked to look': () => world.recheck(),
  'a minute passes': () => world.pass(MINUTE),
  'two hours pass': () => world.pass(2 * HOUR),
};
async function begunUnread(): Promise<void> {
  await begin();
  await sell();
  const other = madeByAnother('SUCCESS');
  await world.leaveWithoutWorker(MINUTE);
  world.adopt();
  await world.pass(SECOND);
  world.notify(other);
  await world.pass(SECOND);
  world.terminate();
  await world.pass(5 * MINUTE);
  mend = listIsDown();
  world.adopt();
}
let mend: () => void = () => undefined;
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
afterEach(end);
afterEach(() => (world ? end() : undefined));

// — What a terminated run had not taken is not read where the run before it sold, or has no order of ours —
// Lost: acknowledged money of a second trade (a buyer has paid twice, nobody gives it back); a sale, once it is reset.

test.each([
  ['somebody adopts the number', () => world.adopt()],
  ['a third trade is notified', () => world.notify(madeByAnother())],
])(
  'promise 3: an acknowledged SUCCESS of a second trade is known where its run, a broken start after the sale, was terminated and %s',
  async (_how, act) => {
    await begin();
    await sell();
    const other = madeByAnother('SUCCESS');
    await cutOff(broken, () => world.notify(other));
    act();
    await world.pass(10 * HOUR);
    expect(world.acknowledged.map(({ trade_no }) => trade_no)).toContain('T2');
    expect(await tradesKnown()).toContain('T2');
  },
);

test('promise 3: an acknowledged SUCCESS of a trade whose number was refused to us is known where its run was terminated and another trade is notified', async () => {
  await begin({ takesNumbersTwice: false });
  const other = madeByAnother();
  await pay(MINUTE);
  expect(answers()).toEqual(['DuplicateOrderError']);
  await cutOff(
    () => world.notify(other),
    () => paid(other),
  );
  world.notify(madeByAnother());
  await world.pass(10 * HOUR);
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
  await cutOff(
    () => world.start('ALLOW_DUPLICATE', world.workflowId, [input]),
    () => {},
  );
  world.notify(first);
  await world.pass(10 * HOUR);
  expect(await tradesKnown()).toContain('T2');
});

// — A run that only watched a trade of others is no earlier run —
// Lost: money that the merchant was told would not come is an ordinary sale (goods go out twice, or nobody gives it back); a trade that
// was notified, and of two trades under a number nobody hears.

test('promise 3: an acknowledged SUCCESS of an adopted trade is known where its run was terminated and its number adopted', async () => {
  await begin();
  const other = madeByAnother();
  await cutOff(
    () => world.notify(other),
    () => paid(other),
  );
  madeByAnother();
  world.adopt();
  await world.pass(10 * HOUR);
  expect(await tradesKnown()).toContain('T1');
});

// — Earlier runs that cannot be read for ten minutes are none —
// Lost: the sale. Whoever asks is told of another system's trade, or that the order broke a rule, and before nobody.

test('promise 3: a sale is not hidden by an adoption of its number in an hour without the list of workflows', async () => {
  await begin();
  await sell();
  madeByAnother();
  const mend = listIsDown();
  world.adopt();
  await world.pass(HOUR);
  mend();
  await world.pass(10 * HOUR);
  const { outcome, trade_no, attention } = await stateNow();
  expect({ outcome, trade_no, attention }).not.toEqual({ outcome: null, trade_no: 'T2', attention: null });
});

test('promise 3: a sale is not hidden by a broken start in an hour without the list of workflows', async () => {
  await begin();
  await sell();
  const mend = listIsDown();
  await startBroken(HOUR);
  mend();
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — Money that was notified, and that the end does not show —

test.each([0, 45])('promise 3: money after CANCEL is known, although copies lag %s minutes', async (lag) => {
  await begin({ lag_ms: lag * MINUTE });
  await pay(2 * MINUTE);
  await world.pass(lag * MINUTE + HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(Math.max(5, lag - 5) * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * DAY);
  const { outcome } = await stateNow();
  if (outcome !== 'SUCCESS') expect(await tradesBeforeAPerson()).toContain('T1');
  expect(outcome).toBe(lag === 0 ? 'SUCCESS' : 'CANCEL');
});

// — A reason that comes second is not lost with the first —

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

// — A run that takes on a sale is terminated: the next run does not know of the sale —
// Lost: the merchant's money of a delivered order (PAYMENTS_LATE=refund gives it back by itself, before nobody); or
// the sale, which another trade replaces.

test('promise 3: no other trade replaces the sale after the run that looked at it was terminated', async () => {
  await begin();
  await sell();
  const other = madeByAnother('SUCCESS');
  await endWhileSilent(() => world.notify(other));
  world.notify(other);
  await world.pass(HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', trade_no: 'T1' });
});

// — `recheck` while an adoption by number reads the earlier runs: the run hangs for ever, without attention —
// Lost: acknowledged money, and sales: nobody polls, nobody is told, every recheck hangs.

test('promise 3: a SUCCESS that is acknowledged after an adoption that was rechecked at once is not lost', async () => {
  await begin();
  await pay(MINUTE);
  world.terminate();
  await whileAway(() => world.adopt());
  world.recheck();
  await world.pass(5 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(48 * HOUR);
  expect(world.acknowledged).toMatchObject([{ trade_no: 'T1', status: 'SUCCESS' }]);
  expect([(await stateNow()).outcome, attentions()]).not.toEqual([null, []]);
});

// — A sale of a trade that was made elsewhere is no sale to the runs after it —
// Lost: the buyer is charged twice by us under a number whose sale the merchant was answered; sales are hidden,
// before nobody.

test('promise 3: an adopted sale is not hidden by somebody who adopts its number once more', async () => {
  await begin();
  await sellAdopted();
  madeByAnother();
  world.adopt();
  await world.pass(10 * MINUTE);
  expect([await sale(), attentions()]).not.toEqual([{ outcome: null, trade_no: 'T2', attention: null }, []]);
});

// — A run that adopts by number alone never asks for a trade by the number that was notified, or that callers were given —
// Lost: acknowledged money of our own trade. A person reads "unknown-trade" without any number, says CANCEL, and then
// nothing watches T1.

test('promise 3: the acknowledged SUCCESS of a trade whose number the merchant was given is found after an adoption by number', async () => {
  await begin({ findsBy: 'trade_no alone' });
  await pay(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  world.adopt();
  await world.pass(MINUTE);
  await isFoundAfterAll();
});

// — A reset of a sold payment that was started as the contract says —
// Lost: the sale, for as long as the gateway does not answer, or for good where it has forgotten; the payment data
// (the QR code); and a person's time, for `unproven-trade` of our own sale.

test.each([
  ['has forgotten it', 5 * HOUR, undefined],
  ['does not answer', 0, '429' as const],
])(
  'promise 3: a sale that is reset where the gateway %s stays, and its order is answered again',
  async (_, ms, trouble) => {
    await begin({ forgetsAfter_ms: 4 * HOUR });
    await sell();
    await world.pass(ms);
    world.gateway.trouble = trouble;
    world.reset();
    await world.pass(HOUR);
    await pay(5 * MINUTE);
    expect([answers(), (await sale()).outcome]).toEqual([['T1', 'T1'], 'SUCCESS']);
  },
);

// — A person's word and the limits —

test('promise 3: a sale that the gateway has forgotten stays where its adoption is resolved in its first task', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await sell();
  await world.pass(5 * HOUR);
  await whileAway(() => world.adopt());
  world.temporal.update(world.workflowId, 'resolve', { outcome: 'CANCEL', by: 'ana', reason: 'looked' });
  await world.pass(10 * HOUR);
  expect([await outcomeNow(), attentions()]).not.toEqual(['CANCEL', []]);
});

// — The after-sale of a sale follows whichever trade its first notification names —

test('promise 3: a chargeback of the trade that was sold is before a person, although the first word was of another one', async () => {
  await begin({});
  await sell();
  world.notify(madeByAnother('DISPUTE'));
  await world.pass(HOUR);
  await world.resolve('SUCCESS');
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'CHARGEBACK');
  world.notify(tradeAt(0));
  await world.pass(5 * DAY);
  expect((await underAttention()).flatMap(({ trades }) => trades)).toContain('T1');
});

// — What is read at the end: acknowledged money of ours, and of another —

test.each(['T1', 'T2'])(
  'promise 3: money of %s that a terminated run left is known after an end without the list',
  async (which) => {
    await begin();
    await pay(MINUTE);
    await world.resolve('CANCEL');
    await world.pass(10 * MINUTE);
    const other = madeByAnother();
    await world.leaveWithoutWorker(MINUTE);
    world.adopt();
    await world.pass(SECOND);
    const told = which === 'T1' ? tradeAt(0) : other;
    world.gateway.move(told, 'SUCCESS');
    world.notify(told);
    await world.pass(SECOND);
    world.terminate();
    await world.pass(SECOND);
    const mend = listIsDown();
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), which === 'T1' ? 'DISPUTE' : 'CANCEL');
    world.adopt();
    await world.pass(HOUR);
    mend();
    await world.pass(DAY);
    const { outcome, trade_no, other_trades } = await stateNow();
    const known = [trade_no, ...other_trades.map((one) => one.trade_no)];
    expect([known.includes(which), outcome, found({ open: true }).length > 0]).toEqual([
      true,
      which === 'T1' ? 'SUCCESS' : outcome,
      true,
    ]);
  },
);

// — Nobody who waits for the outcome waits for the list of workflows: a follow-up reads what was left —

test('promise 3: what earlier runs left is read once the list of workflows is back, whatever a person said meanwhile', async () => {
  const mend = await leftUnread();
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  mend();
  await world.pass(HOUR);
  expect([await tradesKnown(), found({ open: true })]).toEqual([['T1', 'T2'], ['second-trade']]);
});

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

test('promise 3: an acknowledged SUCCESS after EXPIRED, which a person has settled, is before a person where the creation’s answer had said SUCCESS too early', async () => {
  await begin();
  saysSuccess(false);
  await pay(2 * DAY);
  expect(await outcomeNow()).toBe('EXPIRED');
  await world.resolve('EXPIRED');
  await world.pass(MINUTE);
  world.attentions.length = 0;
  paid(tradeAt(0));
  await world.pass(10 * HOUR);
  expect(world.acknowledged).toHaveLength(1);
  expect([(await stateNow()).outcome, attentions()]).not.toEqual(['EXPIRED', []]);
});

test('promise 3: the ordered amount that is acknowledged after a person said CANCEL of 1.00 is before a person', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '1.00' });
  paid(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(attentions()).toEqual(['amount-mismatch']);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  Object.assign(tradeAt(0), { amount: AMOUNT });
  paid(tradeAt(0));
  await world.pass(10 * HOUR);
  expect(world.acknowledged.map(({ amount }) => amount)).toEqual(['1.00', AMOUNT]);
  expect([(await stateNow()).outcome, attentions()]).not.toEqual(['CANCEL', ['amount-mismatch']]);
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
    if (isOurs) {
      await pay(MINUTE);
      world.terminate();
    } else madeByAnother();
    await world.leaveWithoutWorker(MINUTE);
    broken();
    await world.pass(SECOND);
    paid(tradeAt(0));
    await world.pass(SECOND);
    world.cancel();
    await world.pass(24 * HOUR);
    expect(world.acknowledged).toHaveLength(1);
    expect([(await stateNow()).outcome, attentions()]).not.toEqual([null, []]);
  },
);

// — "No such order" for half a minute settles an acknowledged SUCCESS for good —

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

// — A run does not know yet, or does not ask, what was sold before it —

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

// — Other trades under the number —

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

// — What is told —

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

test('promise 3: somebody hears of a second trade that an earlier run left, whatever happens while it is unread', async () => {
  const stories = fc.array(fc.constantFrom(...Object.keys(NEXT)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(stories, fc.constantFrom(SECOND, MINUTE, HOUR), async (names, first_ms) => {
      await begunUnread();
      const shown = new Set<string>();
      const look = () => {
        for (const attention of found()) shown.add(attention);
      };
      await world.pass(first_ms);
      for (const name of names) {
        await NEXT[name]?.();
        await world.pass(SECOND);
        look();
      }
      mend();
      await world.pass(HOUR);
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
  await pay(MINUTE);
  await world.leaveWithoutWorker(MINUTE);
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
  mend();
  await world.pass(10 * MINUTE);
  const known = await world.temporal.client.workflow.getHandle(other).query<PaymentState>('state');
  expect(known).toMatchObject({ trade_no, outcome: 'SUCCESS' });
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

// — Money —

test('promise 3: a SUCCESS that is acknowledged while a start without a request waits for a worker is not lost', async () => {
  await begin();
  await pay(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  await world.leaveWithoutWorker(2 * MINUTE);
  await startBroken(SECOND);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * HOUR);
  expect(world.acknowledged).toMatchObject([{ trade_no: 'T1', status: 'SUCCESS' }]);
  expect(attentions()).not.toEqual([]);
});

// — The gateway’s answers name no trade —

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

// — What a person has seen is not asked again without news —

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
