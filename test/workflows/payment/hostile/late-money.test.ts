/** Money after another end was told: it is late money, before a person or given back once (promises 5 and 7). */

import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  afterSale,
  attentions,
  begin,
  end,
  listIsDown,
  madeByAnother,
  outcomeNow,
  paid,
  pay,
  resolveAfterSale,
  sale,
  sell,
  startAgain,
  startBroken,
  stateNow,
  tradeAt,
  tradesKnown,
  world,
} from './acts';
import { refunding, SECOND } from './schedule';

/** Looks are refused, and what looks then is ended. */
async function endWhileSilent(act: () => void): Promise<void> {
  world.gateway.trouble = '429';
  act();
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  world.gateway.trouble = undefined;
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
/** The worker's settings and the late refunds of this test: the world of the stories plays neither. */
const mockSettings: Record<string, string> = {};
const mockRefunds: unknown[] = [];
async function endCancelled() {
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(await outcomeNow()).toBe('CANCEL');
}
afterEach(end);
jest.mock('../../../../src/process/settings', () => {
  const actual = jest.requireActual<typeof import('../../../../src/process/settings')>(
    '../../../../src/process/settings',
  );
  return { ...actual, loadConfig: (env: Record<string, string>) => actual.loadConfig({ ...env, ...mockSettings }) };
});
jest.mock('../../../../src/activities', () => {
  const actual = jest.requireActual<typeof import('../../../../src/activities')>('../../../../src/activities');
  const refundLatePayment = async (input: { refund: unknown }) => {
    mockRefunds.push(input.refund);
    return { is: 'asked', refund_status: 'SUCCESS' };
  };
  return {
    ...actual,
    previousRunActivities: { ...actual.previousRunActivities, 'payments.refundLatePayment': refundLatePayment },
  };
});
afterEach(async () => {
  delete mockSettings.PAYMENTS_LATE;
  mockRefunds.length = 0;
  await end();
});

// — A run that takes on a sale is terminated: the next run does not know of the sale —
// Lost: the merchant's money of a delivered order (PAYMENTS_LATE=refund gives it back by itself, before nobody); or
// the sale, which another trade replaces.

test('promise 7: a sold order is not sent back where a run that adopted its number was terminated and a start was broken', async () => {
  await begin(refunding);
  await sell();
  await endWhileSilent(() => world.adopt());
  await startBroken(HOUR);
  expect(world.gateway.givenBack).toEqual([]);
});

test('promise 7: a sold order is not sent back where the run that looked at a second trade was terminated and its SUCCESS came again', async () => {
  await begin(refunding);
  await sell();
  const other = madeByAnother();
  await endWhileSilent(() => world.notify(other));
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(world.gateway.givenBack).toEqual([]);
});

// — What comes after a person has said SUCCESS is looked at by nobody —
// Lost: another system's money (a refund goes to its trade), and every contradiction.

test('promise 7: a refund of what a person had called sold does not go to another system’s trade after a notification named ours', async () => {
  await begin({ creations: ['answer lost'], lag_ms: 120 * SECOND, method: 'Wallet' });
  await pay(8 * SECOND);
  await world.resolve('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  madeByAnother('SUCCESS');
  await world.pass(5 * MINUTE);
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.map(({ trade_no }) => trade_no)).not.toContain('T2');
});

// — The after-sale of a sale follows whichever trade its first notification names —

test.each(['CHARGEBACK_REVERSED', 'DISPUTE'])(
  'promise 7: a refund goes to the trade that was sold, although the first word of another, paid one was %s',
  async (word) => {
    await begin({ method: 'Wallet' });
    await sell();
    const other = madeByAnother('SUCCESS');
    if (word === 'CHARGEBACK_REVERSED') world.gateway.move(other, word);
    world.notify(other, word);
    await world.pass(HOUR);
    if (word === 'CHARGEBACK_REVERSED') world.gateway.move(other, 'SUCCESS');
    await world.pass(HOUR);
    await world.resolve('SUCCESS');
    await world.pass(HOUR);
    world.refund();
    await world.pass(2 * DAY);
    expect(world.gateway.givenBack.map(({ trade_no }) => trade_no)).not.toContain('T2');
  },
);

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

test.each([
  [3, 'is notified and acknowledged', true],
  [5, 'is not notified', false],
])(
  'promise %s: money that comes after a person’s CANCEL, and %s, is before a person where the creation’s answer had said SUCCESS too early',
  async (_promise, _how, isNotified) => {
    await begin();
    saysSuccess(false);
    await pay(10 * MINUTE);
    expect((await stateNow()).outcome).toBe(null);
    await world.resolve('CANCEL');
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    if (isNotified) world.notify(tradeAt(0));
    await world.pass(10 * HOUR);
    expect(world.acknowledged).toHaveLength(isNotified ? 1 : 0);
    expect([(await stateNow()).outcome, attentions()]).not.toEqual(['CANCEL', []]);
  },
);

// — Money after the end is an ordinary sale where the order itself is started again or reset —

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

// — Money —

test.each([
  ['refund', 'is not sent back by itself'],
  ['accept', 'is not accepted by itself'],
])('promise 1: PAYMENTS_LATE=%s: the money of an unproven trade, which a person had called off, %s', async (late) => {
  mockSettings.PAYMENTS_LATE = late;
  await begin({ heldBack: 3 });
  await pay(SECOND);
  world.terminate();
  const other = madeByAnother();
  await startAgain(10 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T1', attention: 'unproven-trade' });
  await world.resolve('CANCEL');
  await world.pass(10 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(3 * HOUR);
  expect(world.gateway.exchanges.filter(({ is }) => is === 'creation')).toEqual([]);
  expect(mockRefunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test.each([
  ['refund', 'is not sent back by itself'],
  ['accept', 'is not accepted by itself'],
])('promise 1: PAYMENTS_LATE=%s: the money of a trade that was adopted because ours had no number %s', async (late) => {
  mockSettings.PAYMENTS_LATE = late;
  await begin({ creations: ['lost before it arrived'], lag_ms: 10 * SECOND });
  await pay(8 * SECOND);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  const other = madeByAnother();
  world.notify(other);
  await world.pass(MINUTE);
  world.gateway.move(other, 'CANCEL');
  await world.pass(2 * HOUR);
  expect(await sale()).toEqual({ outcome: 'CANCEL', trade_no: null, attention: null });
  world.gateway.move(other, 'SUCCESS');
  world.notify(other);
  await world.pass(3 * HOUR);
  expect(mockRefunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test('PAYMENTS_LATE=refund: what is paid in time is not sent back because somebody has terminated the payment', async () => {
  mockSettings.PAYMENTS_LATE = 'refund';
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  world.terminate();
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(mockRefunds).toEqual([]);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: 'late-payment' });
});

test('another amount than ordered, after a person has said SUCCESS of an order that ended without money', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  Object.assign(tradeAt(0), { amount: '15.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(2 * DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('late money whose refund waits is not refunded, and nobody is asked again, once a person has said SUCCESS', async () => {
  await begin({ late: 'refund', method: 'Wallet', refunds: Array(3).fill('unreachable') });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  for (let i = 0; i < 200 && (await afterSale())?.refunds.length === 0; i += 1) await world.pass(50);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  await world.pass(DAY);
  expect(world.gateway.givenBack).toEqual([]);
});

test('late money is not refunded once a person has said SUCCESS', async () => {
  await begin({ late: 'refund', method: 'Wallet', refunds: Array(60).fill('unreachable') });
  await endCancelled();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * MINUTE);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  await world.pass(2 * DAY);
  expect(world.gateway.givenBack).toEqual([]);
});

test('a payment that hands itself over while the after-sale finds nobody is not lost', async () => {
  await begin({ creations: ['created and refused'] });
  world.gateway.trouble = 'unreachable';
  world.refund();
  await world.pass(2 * SECOND);
  world.gateway.trouble = 'no such order';
  await pay(3 * SECOND);
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect((await sale()).outcome).toBe('SUCCESS');
});

test('a refund that waited and was refused leaves no-answer', async () => {
  await begin({ refunds: [...Array(14).fill('unreachable'), 'refused'] });
  await sell();
  world.refund();
  await world.pass(2 * HOUR);
  await world.pass(3 * DAY);
  expect((await sale()).attention).toBe(null);
});

test('after a silence, a denial is an answer', async () => {
  await begin({});
  await endCancelled();
  world.gateway.trouble = '503';
  world.recheck();
  await world.pass(HOUR);
  world.gateway.trouble = 'no such order';
  await world.pass(3 * DAY);
  expect((await sale()).attention).not.toBe('no-answer');
});

test.each(['', '2'])('a second trade that a person has settled stays settled %s', async (again) => {
  await begin({});
  await sell();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect((await sale()).attention).toBe('second-trade');
  await resolveAfterSale({});
  await world.pass(MINUTE);
  expect((await sale()).attention).toBe(null);
  if (again) world.recheck();
  else world.notify(tradeAt(1));
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(null);
});

test('another amount after a person said SUCCESS to the payment', async () => {
  await begin({});
  await pay(MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(MINUTE);
  Object.assign(tradeAt(0), { amount: '15.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('an after-sale that is terminated before it has read leaves its hand-over to the next', async () => {
  await begin({});
  const mend = listIsDown();
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.temporal.latest(AFTER)?.terminate();
  mend();
  await world.pass(HOUR);
  world.refund();
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect((await sale()).outcome).toBe('SUCCESS');
});

test.each([
  { order_amount: 'abc' },
  { order_amount: 7 },
  { order_currency: 9 },
  { trade_status: 5 },
  { outcome: {} },
  { other_trades: [{}] },
  { other_trades: [{ trade_no: 5, trade_status: {} }] },
  { mismatch: 'x' },
  { payment_data: 'x' },
  { method: 9 },
  { history: ['x', null] },
])('a garbage payment %j does not stop the after-sale', async (odd) => {
  await begin({});
  await sell();
  const state = { ...(await stateNow()), ...odd };
  const given = {
    end: {
      run_id: 'x',
      ended_at: world.now,
      state,
      reasons: [],
      watch_until: 0,
      sent_again: false,
      made_here: true,
      repeats: false,
      asked: [],
    },
    claims: [],
    contradicted: [],
  };
  world.temporal.latest(AFTER)?.signal('payment', toPayloads(defaultPayloadConverter, given) ?? []);
  await world.pass(MINUTE);
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.length).toBe(1);
});

test('money that is notified after the gateway has denied a trade is known where a person cancels before it is asked again', async () => {
  await begin();
  world.gateway.trouble = 'no such order';
  const other = madeByAnother();
  world.notify(other);
  await world.pass(HOUR);
  expect(attentions()).toEqual(['unknown-trade']);
  paid(other);
  await world.pass(SECOND);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * HOUR);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

test.each(['150,00', 'n/a', '1e300'])(
  'late money whose amount nobody can read (%s) is before a person',
  async (amount) => {
    await begin({ late: 'refund', method: 'Wallet' });
    await endCancelled();
    Object.assign(tradeAt(0), { amount });
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(5 * DAY);
    expect(await stateNow()).toMatchObject({ attention: 'amount-mismatch', mismatch: { amount } });
  },
);

test.each(['the first', 'the latest'] as const)(
  'of two trades of ours, the second is known once it is paid, although a person has seen both (the number shows %s)',
  async (shows) => {
    await begin({ method: 'Wallet', creations: ['carried out late'], late_ms: 5 * MINUTE, shows });
    await pay(6 * MINUTE);
    const { trade_no } = await stateNow();
    const [own, other] = trade_no === 'T1' ? [tradeAt(0), tradeAt(1)] : [tradeAt(1), tradeAt(0)];
    world.notify(other);
    paid(own);
    await world.pass(10 * MINUTE);
    await resolveAfterSale({});
    await world.pass(MINUTE);
    world.gateway.move(other, 'SUCCESS');
    await world.pass(3 * DAY);
    expect((await stateNow()).attention).toBe('second-trade');
  },
);

test('no more is refunded than was paid of the sold trade, whatever another one under the number was over', async () => {
  await begin({ method: 'Wallet' });
  const other = world.gateway.make(
    { out_trade_no: world.out_trade_no, amount: '1000.00' },
    'another system',
    'SUCCESS',
  );
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  const asked = world.temporal.update(AFTER, 'resolve', { by: 'ana', reason: 'answered the dispute' });
  if (asked) await world.temporal.answerTo(asked, MINUTE);
  await world.pass(20 * MINUTE);
  await pay(MINUTE);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  world.notify(tradeAt(1));
  await world.pass(20 * MINUTE);

  await world.pass(HOUR);
  expect(world.gateway.givenBack).toEqual([]);
});

test('a refund is of the trade that was sold, and of no other system’s', async () => {
  await begin({ method: 'Wallet' });
  const other = madeByAnother('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  world.notify(tradeAt(1));
  await world.pass(10 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  world.notify(other);
  world.recheck();
  await world.pass(HOUR);
  world.refund();
  await world.pass(HOUR);
  expect(world.gateway.givenBack.map(({ trade_no }) => trade_no)).not.toContain('T1');
});

test('the trade that the after-sale had before an end without money is a second trade', async () => {
  await begin({ method: 'Wallet' });
  const other = madeByAnother('SUCCESS');
  await world.pass(MINUTE);
  world.gateway.move(other, 'DISPUTE');
  world.notify(other);
  await world.pass(10 * MINUTE);
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  await afterSale();
  expect(await tradesKnown()).toEqual(expect.arrayContaining(['T1', 'T2']));
});
