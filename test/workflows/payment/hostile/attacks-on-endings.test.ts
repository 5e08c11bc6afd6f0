/** Attacks on what a payment has heard when it ends, and on what the next run knows of it: each once lost money or told nobody. */
import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import type { PaymentState } from '../../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  answers,
  attentions,
  begin,
  end,
  madeByAnother,
  outcomeNow,
  pay,
  sell,
  stateNow,
  tradeAt,
  world,
} from './attack-world';

const SECOND = 1_000;
afterEach(async () => end());

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

test('promise 8: an old copy of CANCEL does not settle that a SUCCESS is unconfirmed', async () => {
  await begin({ lag_ms: 5 * HOUR });
  await pay(6 * HOUR);
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(3 * HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(3 * DAY);
  expect(await tradesBeforeAPerson()).toContain('T1');
});

test.each([0, HOUR])(
  'promise 8: a revoked SUCCESS is before a person (children start after %s ms)',
  async (childStarts_ms) => {
    await begin({ childStarts_ms });
    await pay(MINUTE);
    world.notify(madeByAnother('PROCESSING'));
    await world.pass(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'CANCEL');
    world.notify(tradeAt(0));
    await world.pass(DAY);
    // The other trade was there first.
    await world.resolve('SUCCESS');
    await world.pass(MINUTE);
    expect(attentions()).toContain('unlisted-transition');
  },
);

// — What the next run knows —

test.each([true, false])('promise 1: a second trade stays before a person (a new run goes on: %s)', async (goesOn) => {
  await begin({ lag_ms: 10 * MINUTE });
  await pay(3 * HOUR);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect(attentions()).toContain('second-trade');
  world.gateway.move(tradeAt(0), 'CANCEL');
  await world.pass(10 * MINUTE + SECOND);
  if (goesOn) {
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
  }
  await world.pass(DAY);
  expect(await tradesBeforeAPerson()).toContain('T2');
});

test('promise 1: a merchant reads of every other trade, whichever run answers', async () => {
  await begin({});
  await sell();
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(HOUR);
  expect((await stateNow()).other_trades.map(({ trade_no }) => trade_no)).toEqual(['T2', 'T3']);
});

test.each(['completed', 'terminated'])(
  'promise 6: a person cannot end a sale as CANCEL in the moment in which a later run starts, where the last run %s',
  async (ended) => {
    await begin({});
    await sell();
    world.gateway.trouble = '503';
    if (ended === 'terminated') {
      world.notify(madeByAnother());
      await world.pass(SECOND);
      world.terminate();
    }
    world.notify(madeByAnother());
    await world.resolve('CANCEL');
    await world.pass(HOUR);
    expect(await outcomeNow()).toBe('SUCCESS');
  },
);

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

test('promise 6: an adoption as a child of a merchant’s workflow does not hide the sale before it', async () => {
  await begin({});
  await sell();
  const [sold] = world.runs;
  if (!sold) throw new Error('nothing was sold');
  world.gateway.trouble = 'no such order';
  const { workflowId, out_trade_no } = world;
  const args = toPayloads(defaultPayloadConverter, { kind: 'adopt', app_id: 'hostile', out_trade_no }) ?? [];
  world.temporal.begin({ workflowId, type: 'payment', args, parent: { run: sold, seq: 99 } });
  await world.pass(HOUR);
  expect(await outcomeNow()).toBe('SUCCESS');
});

// — What callers are told —

test('promise 1: a run that was reset and is withdrawn repeats the whole answer', async () => {
  await begin({});
  await pay(HOUR);
  world.reset();
  world.withdraw();
  await pay(MINUTE);
  const told = world.told.flatMap((one) => (one.is === 'payment data' ? [one.data.qr_code] : []));
  expect(told).toEqual([expect.any(String), told[0]]);
});

test('promise 1: nobody is told to pay a trade of another amount that was found after the order’s workflow was terminated', async () => {
  await begin({});
  world.gateway.trouble = 'unreachable';
  await pay(MINUTE);
  world.terminate();
  world.gateway.trouble = undefined;
  const { out_trade_no } = world;
  world.notify(world.gateway.make({ out_trade_no, amount: '15.00' }, 'another system'));
  await world.pass(MINUTE);
  await pay(MINUTE);
  expect(world.told.filter(({ is }) => is === 'payment data')).toEqual([]);
  expect(attentions()).toContain('amount-mismatch');
});

test('promise 1: an order that is mended while the refused one still ends is made as soon as that has ended, and not called another one', async () => {
  await begin({ creations: ['refused for good', 'refused for good'] }, (n) => n - 1);
  const mended = { ...world.own, amount: '151.00' };
  await pay(MINUTE);
  // The second run reads at its end whether an earlier one has made the order, which takes a moment.
  world.pay();
  while (answers().length < 2) await world.pass(1);
  world.pay(mended);
  await world.pass(10 * SECOND);
  expect(answers()).toEqual(['NotCreatedError', 'NotCreatedError', 'T1']);
});
