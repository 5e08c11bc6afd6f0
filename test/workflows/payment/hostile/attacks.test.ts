/**
 * What attackers with fresh eyes have broken, and what holds now. The expectations read what merchants and people were told, and
 * the gateway's ledger. What would lose the most money comes first.
 */

import { ApplicationFailure } from '@temporalio/common';
import { HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  answers,
  attentions,
  begin,
  end,
  madeByAnother,
  outcomeNow,
  pay,
  sale,
  sell,
  startAgain,
  startBroken,
  stateNow,
  tradeAt,
  world,
} from './attack-world';
import { AMOUNT } from './world';

const SECOND = 1_000;

/** The worker's settings and the late refunds of this test: the world of the stories plays neither. */
const mockSettings: Record<string, string> = {};
const mockRefunds: unknown[] = [];
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

/** A caller starts another order under the number, by the plain contract. */
async function startAnotherOrder(): Promise<void> {
  const { input } = world;
  const request = { ...input.request, order_amount: '151.00' };
  world.start('ALLOW_DUPLICATE', world.workflowId, [{ ...input, request }]);
  await world.pass(5 * MINUTE);
}

interface Change {
  asked?: (body: object) => object;
  answer?: (body: object) => object;
}

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

const without = (field: string) => (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

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

test.each<[what: string, after: () => unknown]>([
  ['a merchant’s interceptor fails', () => Promise.reject(new Error('the metrics are away'))],
  ['a merchant’s interceptor fails for good', () => Promise.reject(ApplicationFailure.nonRetryable('over'))],
  ['the result cannot be encoded', () => ({ n: 1n })],
])('promise 2: an order is sent once where %s after it was sent', async (_, after) => {
  await begin({ takesNumbersTwice: true });
  failsOnce('gateway.create', after);
  await pay(10 * MINUTE);
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us']);
  expect(await stateNow()).toMatchObject({ trade_no: tradeAt(0).trade_no, attention: null });
});

test('promise 2: an order is sent once where an interceptor fails after it was sent, and no worker takes the next attempt', async () => {
  await begin({ takesNumbersTwice: true });
  failsOnce('gateway.create', () => {
    world.temporal.leaveWithoutWorker(30 * SECOND);
    throw new Error('the metrics are away');
  });
  await pay(10 * MINUTE);
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
  await pay(10 * MINUTE);
  expect(failures).toBe(4);
  expect(answers()).toEqual([tradeAt(0).trade_no]);
  expect(world.gateway.exchanges.filter(({ is }) => is === 'creation')).toHaveLength(1);
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

test('promise 2: a refused resend does not hide the money of an unknown first creation', async () => {
  await begin({ creations: ['carried out late', 'created and refused'], late_ms: 5 * MINUTE });
  await pay(10 * MINUTE);
  expect(tradeAt(1)).toMatchObject({ trade_no: 'T2', made_by: 'us' });
  world.gateway.move(tradeAt(1), 'SUCCESS');
  await world.pass(5 * HOUR);
  // The merchant reads REFUSED, and has the buyer pay again.
  expect([await outcomeNow(), attentions()]).not.toEqual(['REFUSED', []]);
});

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

test('promise 1: a sold order stays ours after another order was started under its number', async () => {
  await begin();
  await sell();
  await startAnotherOrder();
  await pay(5 * MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: a sold order stays ours after a broken start and a repeated notification', async () => {
  await begin();
  await sell();
  await startBroken(5 * MINUTE);
  world.notify(tradeAt(0));
  await world.pass(5 * MINUTE);
  await pay(5 * MINUTE);
  expect(answers()).toEqual(['T1', 'T1']);
});

test('promise 1: an order of another system that a notification had opened is not sold as ours once the order is started again', async () => {
  await begin({ heldBack: 3 });
  await pay(SECOND);
  world.terminate();
  const other = madeByAnother();
  world.notify(other);
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(SECOND);
  await startAgain(MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(3 * HOUR);
  expect(world.gateway.exchanges.filter(({ is }) => is === 'creation')).toEqual([]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 1: an unproven trade of another system is before a person after a second reset, too', async () => {
  await begin({ heldBack: 3 });
  await pay(SECOND);
  const other = madeByAnother();
  world.reset();
  await world.pass(5 * MINUTE);
  expect(await sale()).toEqual({ outcome: null, trade_no: 'T1', attention: 'unproven-trade' });
  world.reset();
  await world.pass(5 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(3 * HOUR);
  expect(world.gateway.exchanges.filter(({ is }) => is === 'creation')).toEqual([]);
  expect(await sale()).not.toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('promise 1: an order of another system is not sold as ours because the gateway was busy at our first try', async () => {
  await begin({ creations: ['temporary'], takesNumbersTwice: false });
  await pay(SECOND / 2);
  const other = madeByAnother();
  await world.pass(5 * MINUTE);
  world.gateway.move(other, 'SUCCESS');
  await world.pass(3 * HOUR);
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
    await pay(after_ms);
    expect(world.gateway.exchanges.filter(({ answered }) => answered === 'temporary')).not.toEqual([]);
    world.notify(world.gateway.make({ out_trade_no: world.out_trade_no, amount: AMOUNT }, 'us', 'SUCCESS'));
    await world.pass(10 * MINUTE);
    await pay(HOUR);
    expect([answers(), attentions()]).toEqual([['T1', 'T1'], ['unproven-trade']]);
  },
);

test('promise 5: a follow-up that saw the end of another trade under the number asks on for ours', async () => {
  await begin({ creations: ['carried out late'], late_ms: 5 * MINUTE });
  await pay(8 * SECOND);
  await world.resolve('CANCEL');
  madeByAnother('CANCEL');
  await world.pass(10 * MINUTE);
  // A query by our number would show it: it is the latest.
  expect(tradeAt(1)).toMatchObject({ trade_no: 'T2', made_by: 'us' });
  world.gateway.move(tradeAt(1), 'SUCCESS');
  await world.pass(5 * HOUR);
  expect(attentions()).toContain('late-payment');
});

// — What merchants are told —

test('promise 8: after a reset the event SUCCESS has an id of its own', async () => {
  await begin();
  await pay(MINUTE);
  world.gateway.trouble = 'credentials';
  await world.pass(10 * MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(10 * MINUTE);
  world.reset();
  await world.pass(5 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  const heard = new Map<string, string>();
  for (const event of world.events) {
    const said = event.type === 'transition' ? (event.transition?.to ?? '') : event.type;
    if (!heard.has(event.id)) heard.set(event.id, said);
  }
  expect([...heard.values()]).toContain('SUCCESS');
});

test('promise 1: another order started under a sold number leaves the sale as it is', async () => {
  await begin();
  await sell();
  await startAnotherOrder();
  expect([(await sale()).outcome, await outcomeNow()]).toEqual(['SUCCESS', 'SUCCESS']);
});

test('promise 1: a start without a request under a sold number leaves the sale as it is', async () => {
  await begin();
  await sell();
  await startBroken(5 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

test('promise 1: a sold order that is started again where the gateway has forgotten it stays sold, and is answered', async () => {
  await begin({ forgetsAfter_ms: 4 * HOUR });
  await sell();
  await world.pass(5 * HOUR);
  await startAgain(HOUR);
  await pay(5 * MINUTE);
  expect([answers(), (await sale()).outcome]).toEqual([['T1', 'T1'], 'SUCCESS']);
});

test('promise 6: a late PROCESSING after the sale does not take the sale back while the gateway does not answer', async () => {
  await begin();
  await sell();
  world.gateway.trouble = '429';
  world.notify(tradeAt(0), 'PROCESSING');
  await world.pass(HOUR);
  await pay(5 * MINUTE);
  expect([answers(), (await sale()).outcome]).toEqual([['T1', 'T1'], 'SUCCESS']);
});

test('promise 6: SUCCESS by a person does not become CANCEL by a notification unseen', async () => {
  await begin();
  await pay(MINUTE);
  await world.resolve('SUCCESS');
  await world.pass(MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect([(await sale()).outcome, attentions()]).not.toEqual(['CANCEL', []]);
});

test('promise 8: a sale whose second start was terminated is not called a late payment', async () => {
  await begin();
  await sell();
  world.gateway.trouble = '429';
  await startAgain(MINUTE);
  world.terminate();
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(attentions()).not.toContain('late-payment');
});

// — Storms —

test('promise 5: a follow-up whose gateway leaves out trade_no stops asking once the trade has ended', async () => {
  await begin();
  changeQueries({ answer: without('trade_no') });
  await pay(MINUTE);
  await world.pass(24 * HOUR);
  expect(await outcomeNow()).toBe('EXPIRED');
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(2 * HOUR);
  const before = world.gateway.exchanges.length;
  await world.pass(10 * MINUTE);
  // And `never-ended` stays, although the gateway has ended the trade.
  expect(world.gateway.exchanges.length - before).toBeLessThan(2);
});
