/** Attacks on orders that have more than one trade, and on what is said of the others: each once told nobody, or the wrong person. */
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import { attentions, begin, end, madeByAnother, pay, sell, stateNow, tradeAt, world } from './attack-world';

const SECOND = 1_000;
afterEach(async () => end());

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
const underAttention = async () => (await openWorkflows()).filter(({ attention }) => attention !== undefined);

const twice = { creations: ['answer lost' as const], lag_ms: 120 * SECOND, shows: 'the first' as const };

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

test('promises 1 and 8: the sale is not called charged back because another trade under its number was', async () => {
  await begin({});
  await sell();
  world.notify(madeByAnother('CHARGEBACK'));
  await world.pass(DAY);
  expect(attentions()).toContain('second-trade');
});

// — A follow-up of two trades takes the end of one for the end of both —

test('promise 8: never-ended of the second trade is not settled by the end of the first', async () => {
  await begin(twice);
  await pay(DAY);
  expect(world.gateway.trades).toHaveLength(2);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(6 * HOUR);
  expect(await underAttention()).not.toEqual([]);
});

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

// — Another amount or currency of the same trade is dropped —

test('promise 1: another amount that is notified while a look at the same trade is under way is before a person', async () => {
  await begin({});
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.gateway.trouble = '503';
  world.notify(tradeAt(0));
  await world.pass(20 * SECOND);
  world.notify(tradeAt(0), 'SUCCESS', { amount: '300.00' });
  await world.pass(20 * SECOND);
  world.gateway.trouble = undefined;
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: another amount that is believed in one task with the right one is before a person', async () => {
  await begin({ confirmByQuery: false });
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  world.notify(tradeAt(0), 'SUCCESS', { amount: '300.00' });
  await world.pass(DAY);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: another amount that is notified after the sale is before a person', async () => {
  await begin({});
  await sell();
  world.notify(tradeAt(0), 'SUCCESS', { amount: '300.00' });
  await world.pass(DAY);
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
  await pay(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(30 * MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(DAY);
  expect((await underAttention()).flatMap(({ trades }) => trades)).toEqual(expect.arrayContaining(['T2', 'T3']));
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

// — Whose trade it is, where the creation's answer does not say —

test('promise 1: the first look learns the number of our trade, so that another one is not taken for it', async () => {
  await begin({ hidesTradeNo: true, shows: 'the latest' });
  await pay(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(madeByAnother('PROCESSING'));
  await world.pass(HOUR);
  expect(await stateNow()).toMatchObject({ trade_no: 'T1', outcome: 'SUCCESS', other_trades: [{ trade_no: 'T2' }] });
});

/** The gateway's numbers of trades are JSON numbers in its answers to creations, and text elsewhere: T1 is 10001. */
function nameTradesByNumbers(): void {
  const { gateway } = world;
  const post = gateway.post.bind(gateway);
  gateway.post = async (path, headers, text) => {
    const response = await post(path, headers, text.replace(/"trade_no":"1000(\d)"/, '"trade_no":"T$1"'));
    const number = path === '/trade/query' ? '"trade_no":"1000$1"' : '"trade_no":1000$1';
    const body = new TextDecoder().decode(response.body).replace(/"trade_no":"T(\d)"/, number);
    return { ...response, body: new TextEncoder().encode(body) };
  };
}

test.each(['direct', 'checkout'] as const)(
  'promise 1: another system’s paid trade is not sold as ours where the answer to our %s creation names ours by a JSON number',
  async (kind) => {
    await begin({ kind, shows: 'the latest' });
    nameTradesByNumbers();
    await pay(5 * SECOND);
    madeByAnother('SUCCESS');
    await world.pass(HOUR);
    expect(await stateNow()).toMatchObject({ outcome: null, payment_data: { trade_no: '10001' } });
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(HOUR);
    expect(await stateNow()).toMatchObject({ trade_no: '10001', outcome: 'SUCCESS' });
  },
);

const isTaken = async (resolution: object) => {
  const asked = world.temporal.update(world.workflowId, 'resolve', { by: 'ana', reason: 'looked', ...resolution });
  await world.pass(MINUTE);
  return asked?.outcome !== undefined && 'completed' in asked.outcome;
};

test.each(['second-trade', 'unexpected-signal'])(
  'promise 8: %s that a person has taken care of is settled without an outcome, and the payment goes on to its own',
  async (reason) => {
    await begin();
    await pay(MINUTE);
    if (reason === 'second-trade') world.notify(madeByAnother());
    else world.temporal.signal(world.workflowId, 'odd-signal', {});
    await world.pass(10 * MINUTE);
    expect(await stateNow()).toMatchObject({ outcome: null, attention: reason });
    expect(await isTaken({})).toBe(true);
    expect(await stateNow()).toMatchObject({ outcome: null, attention: null });
    expect((await stateNow())?.history.at(-1)).toMatchObject({ source: 'operator', by: 'ana', reason: 'looked' });
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    expect(await stateNow()).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
  },
);

test('a decision without an outcome does not settle another amount than was ordered: the payment waits for its outcome', async () => {
  await begin();
  await pay(MINUTE);
  Object.assign(tradeAt(0), { amount: '1.00' });
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10 * MINUTE);
  expect(await isTaken({})).toBe(false);
  expect(await stateNow()).toMatchObject({ outcome: null, attention: 'amount-mismatch' });
});
