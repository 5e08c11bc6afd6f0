/** What a payment hands over to the order’s after-sale, in whatever order it comes. */

import { defaultPayloadConverter, toPayloads } from '@temporalio/common';
import { DAY, HOUR, MINUTE } from '../../../../src/gateway/pure/durations';
import {
  AFTER,
  afterSale,
  answers,
  begin,
  end,
  madeByAnother,
  pay,
  resolveAfterSale,
  sale,
  sell,
  stateNow,
  tradeAt,
  world,
} from './acts';
import { SECOND } from './schedule';

async function notMade() {
  world.pay();
  await world.pass(1 * SECOND);
  world.oddSignal('somethingElse', 1);
  await world.pass(5 * MINUTE);
  expect(answers()).toEqual(['NotCreatedError']);
  expect((await afterSale())?.attention).toBe('unexpected-signal');
}
afterEach(end);

test.each([200, 500, 1000, 1500, 2000, 3000, 4000, 5000])(
  'a payment that hands itself over while the after-sale finds nobody is not lost: %s',
  async (ms) => {
    await begin({ lag_ms: 30 * SECOND });
    world.gateway.trouble = 'unreachable';
    world.refund();
    await world.pass(ms);

    world.gateway.trouble = undefined;
    await pay(10);
    if (world.run) await world.resolveRun(world.run, 'CANCEL');
    await world.pass(10);

    await world.pass(10 * MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(3 * DAY);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

// Reset of the after-sale after a person's settlement: is the person asked again?
test('a reset of the after-sale asks nobody again of what a person has settled', async () => {
  await begin({});
  await pay(MINUTE);
  world.notify(madeByAnother('SUCCESS'));
  await world.pass(10 * MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  await resolveAfterSale({});
  await world.pass(HOUR);
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run);
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(null);
});

test('the same, where something still keeps the after-sale', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  world.oddSignal('somethingElse', 1);
  await world.pass(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.temporal.latest(AFTER)?.signal('somethingElse', []);
  await world.pass(HOUR);
  await resolveAfterSale({});
  await world.pass(HOUR);
  const before = await sale();
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run);
  await world.pass(HOUR);
  expect((await sale()).attention).toBe(before.attention);
});

// A person's word of a late refund is lost on reset?
test('a reset of the after-sale while late money is refunded sends nothing twice', async () => {
  await begin({ late: 'refund', method: 'Wallet', refunds: ['answer lost'] });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(10);
  for (let i = 0; i < 40 && world.gateway.givenBack.length === 0; i += 1) await world.pass(100);
  const run = world.temporal.latest(AFTER);
  if (run) world.temporal.reset(run);
  await world.pass(2 * DAY);
  expect(world.gateway.givenBack.length).toBe(1);
});

test.each([0, HOUR])(
  'payment reset after its after-sale has sold late money (children after %s)',
  async (childStarts_ms) => {
    await begin({ late: 'accept', method: 'Wallet', childStarts_ms });
    await pay(MINUTE);
    await world.resolve('CANCEL');
    await world.pass(2 * HOUR);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await world.pass(3 * HOUR);
    await sale();
    world.reset();
    await world.pass(DAY);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test('payment terminated while its after-sale waits to start', async () => {
  await begin({ method: 'Wallet', childStarts_ms: HOUR });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(MINUTE);
  world.terminate();
  await world.pass(2 * HOUR);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(DAY);
  expect((await sale()).outcome).toBe('SUCCESS');
});

// Somebody sends again what another payment handed over, or a copy of this one's input.
test('an after-sale is started by hand like an old one', async () => {
  await begin({ method: 'Wallet' });
  await pay(MINUTE);
  await world.resolve('CANCEL');
  await world.pass(HOUR);
  const first = world.temporal.latest(AFTER);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  await world.pass(2 * HOUR);
  await resolveAfterSale({ outcome: 'SUCCESS' });
  await world.pass(HOUR);
  if (!first) throw new Error('none');
  if (!world.temporal.latest(AFTER)?.isRunning)
    world.temporal.begin({ workflowId: AFTER, type: 'afterSale', args: first.start.args });
  await world.pass(DAY);
  expect(await sale()).toEqual({ outcome: 'SUCCESS', trade_no: 'T1', attention: null });
});

test('a payment of another order, signalled by mistake, changes nothing', async () => {
  await begin({ late: 'refund', method: 'Wallet' });
  await sell();
  world.notify(madeByAnother('PROCESSING'));
  await world.pass(MINUTE);
  const given = {
    end: {
      run_id: 'x',
      ended_at: world.now,
      state: {
        ...(await stateNow()),
        out_trade_no: 'order-2',
        trade_no: 'T77',
        outcome: 'CANCEL',
        confirmed_by: 'query',
        other_trades: [],
        history: [],
      },
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
  await world.pass(HOUR);
  expect((await sale()).trade_no).toBe('T1');
});

test.each([false, true])(
  'the state of an order that was made at the second try is that of the second (a person has looked: %s)',
  async (looked) => {
    await begin({ method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    await notMade();
    if (looked) await resolveAfterSale({});
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    expect((await sale()).outcome).toBe('SUCCESS');
  },
);

test.each(['attention', 'refund', 'accept'] as const)(
  'a CANCEL of an order that was not made does not make the next sale late money (%s)',
  async (late) => {
    await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
    await notMade();
    await resolveAfterSale({ outcome: 'CANCEL' });
    await world.pass(5 * MINUTE);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    const one = await sale();
    world.gateway.move(tradeAt(0), 'DISPUTE');
    world.notify(tradeAt(0));
    await world.pass(HOUR);
    world.gateway.move(tradeAt(0), 'CHARGEBACK');
    world.gateway.move(tradeAt(0), 'CHARGEBACK_REVERSED');
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await world.pass(DAY);
    await afterSale();
    expect(one.outcome).toBe('SUCCESS');
    expect(world.gateway.givenBack).toEqual([]);
  },
);

test.each(['refund'] as const)('… where the second order has something to hand over (%s)', async (late) => {
  await begin({ late, method: 'Wallet', creations: ['refused for good'], heldBack: 3 });
  await notMade();
  await resolveAfterSale({ outcome: 'CANCEL' });
  await world.pass(5 * MINUTE);
  await pay(MINUTE);
  world.oddSignal('somethingElse', 1);
  await world.pass(MINUTE);
  world.gateway.move(tradeAt(0), 'SUCCESS');
  world.notify(tradeAt(0));
  await world.pass(HOUR);
  const one = await sale();
  world.recheck();
  await world.pass(HOUR);
  await afterSale();
  expect(world.gateway.givenBack).toEqual([]);
  expect(one.outcome).toBe('SUCCESS');
});
