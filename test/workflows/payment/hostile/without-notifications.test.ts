/** Promise 5: no notification is needed, and nothing hangs without an end. */

import type { KnownOrder, PaymentEnd, PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { fold, NOTHING_KNOWN } from '../../../../src/workflows/order/fold';
import { nextStep } from '../../../../src/workflows/order/next-step';
import {
  afterSale,
  answers,
  attentions,
  begin,
  end,
  found,
  madeByAnother,
  open,
  outcomeNow,
  paid,
  pay,
  resolveAfterSale,
  sale,
  sell,
  stateNow,
  tradeAt,
  world,
} from './acts';
import { brokenIn, SECOND, story, wait } from './schedule';

const startWith = (args: unknown[]) => world.start('ALLOW_DUPLICATE', world.workflowId, args);
const twice = { creations: ['answer lost' as const], lag_ms: 120 * SECOND, shows: 'the first' as const };
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
/** How long a call that was held back may not be made, in ms: a full limiter, or an open circuit. */
let mockPause_ms = SECOND;
const openUpdates = () => world.run?.openUpdates ?? 0;
/** Changes what a path of the gateway answers. */
function changeAnswers(at: string, change: (body: Body) => Body): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== at) return response;
    const body: Body = JSON.parse(new TextDecoder().decode(response.body));
    return { ...response, body: new TextEncoder().encode(JSON.stringify(change(body))) };
  };
}
/** How many events the history of the latest run has. */
const events = () => world.temporal.runs(world.workflowId).at(-1)?.events ?? 0;
type Body = Readonly<Record<string, unknown>>;
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
const othersOf = ({ other_trades }: PaymentState) => other_trades.map((one) => `${one.trade_no} ${one.trade_status}`);
const outcome = async () => (await stateNow()).outcome;
/** Changes the bodies that go to `/trade/query`, or that come back. */
const changeQueries = (change: Change): void => changeBodies('/trade/query', change);
const without = (field: string) => (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));
interface Change {
  asked?: (body: object) => object;
  answer?: (body: object) => object;
}
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
/** The first request is answered as by a busy gateway, which makes the order all the same. */
function busyAtFirst(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text);
    if (path !== '/trade/pay') return response;
    gateway.post = post;
    return answered(200, JSON.stringify({ code: '20000', msg: 'Service Currently Unavailable' }));
  };
}
const answered = (status: number, body: string) => ({ status, body: new TextEncoder().encode(body) });
const DENIAL = JSON.stringify({ code: '40002', msg: 'Business Failed', sub_code: 'trade-not-exist' });
afterEach(end);
jest.mock('../../../../src/activities/throttle', () => {
  const actual = jest.requireActual<typeof import('../../../../src/activities/throttle')>(
    '../../../../src/activities/throttle',
  );
  class CallDeferredError extends actual.CallDeferredError {
    constructor(message: string, operation: string) {
      super(message, operation, mockPause_ms);
    }
  }
  return { ...actual, CallDeferredError };
});
afterEach(async () => {
  mockPause_ms = SECOND;
  await end();
});

// — What is no notification —

test.each([
  { currency: null },
  { amount: null },
  { amount: 150 },
  { currency: 986 },
  { trade_no: 7 },
  { trade_status: {} },
])('promise 5: a signal with %j does not stop the payment', async (odd) => {
  await begin({});
  await pay(MINUTE);
  const { out_trade_no } = world;
  world.oddSignal('notification', { trade_no: 'T1', out_trade_no, trade_status: 'PROCESSING', ...odd });
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
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

// — `recheck` while an adoption by number reads the earlier runs: the run hangs for ever, without attention —
// Lost: acknowledged money, and sales: nobody polls, nobody is told, every recheck hangs.

test('promise 5: a recheck right after an adoption by number is answered, and the sale is there', async () => {
  await begin({}, (n) => Math.floor(n / 2));
  await sell();
  world.adopt();
  await world.pass(25);
  world.recheck();
  await world.pass(48 * HOUR);
  expect([(await sale()).outcome, world.waiting.filter(({ answered }) => !answered)]).toEqual(['SUCCESS', []]);
});

// — Inputs that no rule refuses —
// Lost: goods for which nothing was paid (one trade sells two orders).

// Lost: the number, for as long as Temporal keeps the failed run; notifications are refused until the gateway gives
// up.
test.each([
  ['argument', []],
  ['kind', [{ app_id: 'hostile' }]],
])('promise 5: after a start without its %s, the order is sent, or a person is told', async (_, args) => {
  await begin();
  startWith(args);
  await world.pass(MINUTE);
  await pay(24 * HOUR);
  expect([answers(), attentions()]).not.toEqual([['PaymentPendingError'], []]);
});

test('promise 5: an order whose method is no text is refused', async () => {
  await begin();
  const { input } = world;
  startWith([{ ...input, request: { ...input.request, method: 5 } }]);
  await world.pass(HOUR);
  expect(world.run?.status).toBe('FAILED');
});

test('promise 5: a late refund that its after-sale cannot take for a day adds little to its history', async () => {
  const traits = { findsBy: 'trade_no alone', notifies_ms: 2 * SECOND, late: 'refund', method: 'Wallet' } as const;
  const steps = [wait(2 * HOUR), { do: 'paid' }, { do: 'refund' }, { do: 'pay' }, { do: 'terminate' }] as const;
  const told = story(steps, { ...traits, takesNumbersTwice: false });
  expect(await brokenIn({ ...told, chance: 47222110 })).toEqual([]);
});

// — A follow-up of two trades takes the end of one for the end of both —

test('promise 5: money of the second trade, which never ended, is found although the first has ended', async () => {
  await begin(twice);
  await pay(DAY);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(DAY);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  await world.pass(DAY);
  expect(attentions()).toContain('late-payment');
});

test('promise 5: money of a single trade that never ended is found', async () => {
  await begin({});
  await pay(2 * DAY);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(DAY);
  expect(attentions()).toContain('late-payment');
});

// — No follow-up is started where one for the same reason has ended —

test('promise 5: the second of two trades is watched after a person has ended the payment later than the follow-up', async () => {
  await begin(twice);
  await pay(10 * HOUR);
  expect(world.gateway.trades).toHaveLength(2);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(5 * HOUR);
  world.gateway.trouble = '503';
  await world.pass(9 * HOUR);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.gateway.move(tradeAt(1), 'SUCCESS');
  await world.pass(6 * HOUR);
  expect(attentions()).toContain('late-payment');
});

test('promise 5: a trade is watched after a person has ended its payment late', async () => {
  await begin({});
  await pay(15 * HOUR);
  expect(world.gateway.trades).toHaveLength(1);
  world.gateway.trouble = '503';
  await world.pass(9 * HOUR);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.gateway.trouble = undefined;
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(6 * HOUR);
  expect(attentions()).toContain('late-payment');
});

// — The last look of a follow-up: one trade that is shown hides another that is not —

test('promise 5: a first trade that the gateway shows no more is before a person, although the second one is shown', async () => {
  const creations = ['answer lost' as const, ...Array.from({ length: 15 }, () => 'unreachable' as const)];
  await begin({ creations, lag_ms: 90 * MINUTE, shows: 'the first', forgetsAfter_ms: 920 * MINUTE });
  await pay(HOUR);
  const began = world.asked[0] ?? 0;
  const minutes = () => (world.now - began) / MINUTE;
  expect(world.gateway.trades.map(({ made_by }) => made_by)).toEqual(['us', 'us']);
  await world.pass(2 * HOUR);
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(4 * HOUR);
  await world.pass((910 - minutes()) * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect(await underAttention()).not.toEqual([]);
});

test('promise 5: a trade that the gateway shows no more is before a person', async () => {
  const creations = ['answer lost' as const];
  await begin({ creations, lag_ms: 45 * MINUTE, shows: 'the first', forgetsAfter_ms: 920 * MINUTE });
  await pay(3 * HOUR);
  const began = world.asked[0] ?? 0;
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(910 * MINUTE - (world.now - began));
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(3 * DAY);
  expect(await underAttention()).not.toEqual([]);
});

// — `created` waits without a timer for a first try that never comes, or that comes late —
// Lost: callers of the plain contract hang until the outage is over. After ten of them Temporal takes no update any more:
// a person can neither resolve nor recheck the payment that is before him.

test('the contract: created answers after 30 s where the circuit is open', async () => {
  mockPause_ms = 30 * SECOND;
  await begin({ heldBack: 5 });
  await pay(32 * SECOND);
  expect(world.told).toMatchObject([{ is: 'failure', type: 'PaymentPendingError' }]);
  expect(openUpdates()).toBe(0);
});

// — What the creation's answer says is taken for what a look has said —
// Lost: a card that was paid at once is not delivered until its deadline (hours, or days), while every poll reads SUCCESS.

test('promise 5: an order that was paid at once is sold by a poll where the gateway shows it a minute late', async () => {
  await begin({ lag_ms: 60 * SECOND });
  changeAnswers('/trade/pay', (body) => {
    world.gateway.move(tradeAt(0), 'SUCCESS');
    return { ...body, trade_status: 'SUCCESS' };
  });
  await pay(60 * MINUTE);
  // A poll has read SUCCESS.
  expect(world.gateway.exchanges.some(({ shown }) => shown?.status === 'SUCCESS')).toBe(true);
  expect((await sale()).outcome).toBe('SUCCESS');
});

// — The end of a follow-up's watch after a person has settled an earlier reason —
// Lost: the buyer's money. It came in an outage at the end of the watch; nobody looks any more, and nobody is told.

test('promise 5: a follow-up that has no answer at its end is before a person, also where one has settled another reason before', async () => {
  await begin();
  await pay(MINUTE);
  await world.pass(17 * HOUR);
  expect([await outcomeNow(), attentions()]).toEqual(['EXPIRED', ['never-ended']]);
  await world.resolve('CANCEL');
  await world.pass(10 * HOUR);
  const before = world.now;
  world.gateway.trouble = '429';
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(8 * HOUR);
  world.gateway.trouble = undefined;
  await world.pass(24 * HOUR);
  const told = world.attentions.filter(({ at }) => at > before);
  expect([await outcomeNow(), told.length > 0]).not.toEqual(['EXPIRED', false]);
});

// — A poll's answer is thrown away where a look beside it has no answer —
// Lost: the gateway has said SUCCESS to us, and the merchant does not hear of it for as long as the outage goes on.

test('promise 5: a poll that reads SUCCESS while a look has no answer is heard', async () => {
  await begin();
  const began = world.now;
  await pay(20 * SECOND);
  world.gateway.trouble = '429';
  world.notify(tradeAt(0), 'PROCESSING');
  await world.pass(39 * SECOND);
  // The look rests until 83 s after the creation. The poll goes on beside it, and asks after 60 s: the gateway answers it.
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.trouble = undefined;
  await world.pass(2 * SECOND);
  world.gateway.trouble = '429';
  expect(world.gateway.exchanges.filter(({ shown }) => shown?.status === 'SUCCESS')).toMatchObject([
    { at: began + MINUTE, asked: { trade_no: 'T1' } },
  ]);
  await world.pass(5 * HOUR);
  expect((await sale()).outcome).toBe('SUCCESS');
});

// — A poll that is replaced begins its schedule anew —
// Lost: two copies that differ, or a key that one of two nodes does not know, are asked four times a minute for as long as the
// payment waits; 1,300 events an hour end a payment of three days at Temporal's limit of 51,200.

test.each([
  ['two copies of the gateway differ', (n: number) => ({ trade_status: n % 2 ? 'RISK_CONTROLLING' : 'PROCESSING' })],
  [
    'one of two nodes of the gateway does not take our key',
    (n: number) => (n % 2 ? { code: '40002', msg: 'Business Failed', sub_code: 'invalid-signature' } : {}),
  ],
])('promise 5: a payment asks ever less often where %s', async (_what, change) => {
  await begin();
  await pay(MINUTE);
  let asked = 0;
  changeAnswers('/trade/query', (body) => {
    asked += 1;
    return { ...body, ...change(asked) };
  });
  await world.pass(HOUR);
  const before = { asked, events: events() };
  await world.pass(HOUR);
  expect(asked - before.asked).toBeLessThan(30);
  expect(events() - before.events).toBeLessThan(200);
});

// — A SUCCESS that was never believed counts as known once a person, or a deadline, has ended the payment —
// Lost: the buyer's money, acknowledged or not. The merchant was told CANCEL and delivers nothing; nobody is told, nobody polls.

test('promise 5: a card that was charged at once is before a person where copies lag 20 minutes and a person says CANCEL meanwhile', async () => {
  await begin({ lag_ms: 20 * MINUTE });
  saysSuccess(true);
  await pay(15 * MINUTE);
  await world.resolve('CANCEL');
  await world.pass(10 * HOUR);
  expect([(await stateNow()).outcome, attentions().filter((one) => one !== 'unknown-trade')]).not.toEqual([
    'CANCEL',
    [],
  ]);
});

// — Other trades under the number —

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

// — Follow-ups that give money to nobody —

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

// — Money —

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

test('a gateway that forgets orders that have ended needs no person for each order that was not paid', async () => {
  await begin({ method: 'Wallet', forgetsAfter_ms: 2 * DAY });
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'CANCEL');
  world.notify(tradeAt(0));
  await world.pass(10 * DAY);
  expect(found({ open: true })).toEqual([]);
});

test.each(['nobody', 'recheck', 'notification'])(
  'money of the last minutes is found, whoever asks during the last look (%s)',
  async (who) => {
    await begin({ method: 'Wallet', lag_ms: 5 * MINUTE });
    await pay(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'CANCEL');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    const until = Date.parse((await afterSale())?.watched_until ?? '');
    await world.pass(until - world.now - 2 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(2 * MINUTE + 30 * SECOND);
    if (who === 'recheck') world.recheck();
    if (who === 'notification') world.notify(tradeAt(0), 'CANCEL');
    await world.pass(HOUR);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test('a trade that was asked for is not asked for again at once, whatever the clocks of the workers say', async () => {
  await begin({});
  const at = world.now;
  const state = {
    app_id: 'hostile',
    out_trade_no: 'order-1',
    trade_no: null,
    trade_status: null,
    order_amount: '150.00',
    order_currency: 'BRL',
    method: 'Wallet',
    outcome: 'CANCEL',
    confirmed_by: 'operator',
    attention: null,
    expires_at: null,
    history: [],
    previous: null,
    payment_data: null,
    refused_because: null,
    other_trades: [],
  } as unknown as PaymentEnd['state'];
  const payment: PaymentEnd = {
    run_id: 'r',
    ended_at: at,
    state,
    reasons: [],
    watch_until: at + DAY,
    sent_again: false,
    made_here: true,
    repeats: false,
    asked: [],
  };
  const settings = { settling_ms: 30_000, late_payments: 'attention' as const };
  let order: KnownOrder = fold(NOTHING_KNOWN, { is: 'ended', at, payment, contradicted: [] }, settings);
  const t1 = {
    trade_no: 'T1',
    out_trade_no: 'order-1',
    trade_status: 'PROCESSING',
    order_amount: '150.00',
    order_currency: 'BRL',
    asked_at: at + 60_000,
  };
  order = fold(order, { is: 'queried', at, trade: t1, lasted_ms: 0, after: 0 }, settings);
  order = fold(order, { is: 'notified', at: at + 1_000, claim: { trade_no: 'T2', trade_status: 'CANCEL' } }, settings);
  const step = () =>
    nextStep(order, at + 2_000, { isAsked: false, watch_until: 0 }, { settling_ms: 30_000, refund_watch_ms: DAY });
  expect(step()).toEqual({ take: 'ask', other: 'T2' });
  order = fold(
    order,
    {
      is: 'asked',
      at: at + 2_000,
      other: 'T2',
      answer: 'answered',
      trade: { ...t1, trade_no: 'T2', trade_status: 'CANCEL', asked_at: at + 2_000 },
    },
    settings,
  );
  expect(step()).not.toEqual({ take: 'ask', other: 'T2' });
});

test('after a silence, a denial is an answer: the reason is no silence any more', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(10 * MINUTE);
  world.gateway.trouble = '503';
  world.recheck();
  await world.pass(HOUR);
  world.gateway.trouble = 'no such order';
  await world.pass(30 * DAY);
  expect((await sale()).attention).not.toBe('no-answer');
});

test('an outage at the end of the watch of an order that was never made', async () => {
  await begin({ creations: ['lost before it arrived'] });
  world.gateway.trouble = undefined;
  world.pay();
  await world.pass(2 * SECOND);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  const until = Date.parse((await afterSale())?.watched_until ?? '');
  await world.pass(until - world.now - MINUTE);
  world.gateway.trouble = '503';
  await world.pass(HOUR);
  world.gateway.trouble = undefined;
  await world.pass(10 * DAY);
  expect((await sale()).attention).toBe(null);
});

test('a refund that is refused for the credentials, once mended', async () => {
  await begin({ refunds: ['unreachable'] });
  await sell();
  world.gateway.trouble = undefined;
  world.refund();
  await world.pass(1);
  await world.pass(100);
  await world.pass(HOUR);
});

test.each(['recheck', 'notification'])(
  'of an order that was sent twice, the second trade that a person settled stays settled (%s)',
  async (how) => {
    await begin({ creations: ['carried out late'], late_ms: 20 * MINUTE });
    await pay(5 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    await world.pass(HOUR);
    await resolveAfterSale({});
    await world.pass(MINUTE);

    if (how === 'recheck') world.recheck();
    else world.notify(tradeAt(1));
    await world.pass(HOUR);
    expect((await sale()).attention).toBe(null);
  },
);

test.each(['attention', 'refund'] as const)(
  'a person’s word on an order that was not made does not undo the sale of the next one (%s)',
  async (late) => {
    await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    world.pay();
    await world.pass(1 * SECOND);
    world.oddSignal('somethingElse', 1);
    await world.pass(5 * MINUTE);
    await resolveAfterSale({ outcome: 'CANCEL' });
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);

    const asked = world.payments.refund(world.out_trade_no, { amount: '50.00', out_request_no: 'part' }).then(
      () => true,
      () => false,
    );
    await world.pass(HOUR);
    await asked;
    expect(world.gateway.givenBack.map(({ amount }) => amount)).toEqual(['50']);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test('promise 5: an order that was refused at its creation, and is paid within the method’s settling time, is known without a notification', async () => {
  await begin({ creations: ['created and refused'], method: 'Wallet' });
  await pay(10 * MINUTE);
  expect(await outcomeNow()).toBe('REFUSED');
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

// — A poll that runs beside a look finds another trade —

test('promise 5: ours is found while the number shows another trade, after a look at ours that had no answer', async () => {
  await begin({ creations: ['lost before it arrived'], shows: 'the latest' });
  await pay(35 * SECOND);
  const mend = hideTrades(['T1']);
  await world.pass(2 * MINUTE);
  madeByAnother();
  world.recheck();
  await world.pass(15 * MINUTE);
  mend();
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(10 * MINUTE);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — A trade of another order is named by mistake —

test.each([true, false])(
  'promise 5: other trades that have no answer do not keep our SUCCESS back (confirmed by a query: %s)',
  async (confirmByQuery) => {
    await begin({ confirmByQuery });
    await pay(MINUTE);
    const others = ['X1', 'X2', 'X3'];
    hideTrades(others);
    for (const trade_no of others) world.oddSignal('notification', { trade_no, trade_status: 'PROCESSING' });
    await world.pass(SECOND);
    paid(tradeAt(0));
    await world.pass(10 * SECOND);
    expect((await stateNow()).outcome).toBe('SUCCESS');
  },
);

// — A gateway that was busy has made an order, and makes another one —

test('promise 5: where a busy gateway has made the order twice, money of the first is found after the end of the second', async () => {
  await begin({ shows: 'the first' });
  busyAtFirst();
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.move(tradeAt(1), 'CANCEL');
  await world.pass(10 * DAY);
  expect((await sale()).attention).not.toBe(null);
});

test('promise 5: an order whose creation was refused, and that the gateway shows as INITIAL, is watched', async () => {
  await begin({ creations: ['created and refused'] });
  const { gateway } = world;
  const { make } = gateway;
  gateway.make = (order, by) => make.call(gateway, order, by, 'INITIAL');
  await pay(MINUTE);
  gateway.move(tradeAt(0), 'PROCESSING');
  await world.pass(MINUTE);
  gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(10 * DAY);
  expect(await sale()).toMatchObject({ outcome: 'SUCCESS', attention: 'late-payment' });
});

// — A poll that brings nothing new is not begun anew at once —

test.each(['both ids', 'trade_no alone'] as const)(
  'promise 5: an order that was refused, and of which a SUCCESS was notified that no query confirms, is asked for about once an hour (found by %s)',
  async (findsBy) => {
    await begin({ creations: ['created and refused'], method: 'Wallet', findsBy });
    await pay(MINUTE);
    world.notify(tradeAt(0), 'SUCCESS');
    await world.pass(3 * DAY);
    expect((await sale()).attention).toBe('unconfirmed-notification');
    const before = world.gateway.exchanges.length;
    await world.pass(3 * DAY);
    expect(world.gateway.exchanges.length - before).toBeLessThan(120);
  },
);
