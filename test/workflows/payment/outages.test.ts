/** An outage of any length: what was unknown when it began is decided after it by the same rules as before it. */
import { policyActivity } from '../../../src/activities';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { loadConfig } from '../../../src/process/settings';
import { attentions, begin, end, found, outcomeNow, pay, stateNow, tradeAt, world } from './hostile/acts';
import type { CreationMishap, Trouble } from './hostile/gateway';

afterEach(() => end());

const SECOND = 1_000;
const LENGTHS: readonly [name: string, ms: number][] = [
  ['1 minute', MINUTE],
  ['15 minutes', 15 * MINUTE],
  ['60 minutes', HOUR],
  ['3 days', 3 * DAY],
];
const KINDS: readonly Trouble[] = ['unreachable', 'html', '503', 'resets'];
/** A search that was silent for long is repeated this late, at most, and then has to last. */
const decidedAfter = (outage_ms: number) => Math.min(outage_ms / 4, 30 * MINUTE) + 5 * MINUTE;
/** What polls show is known this late, at most. */
const POLL_EVERY_MS = HOUR;

const outages = LENGTHS.flatMap(([name, ms]) => KINDS.map((kind) => [name, kind, ms] as const));

/** The gateway is in trouble for so long; then there is time for what follows. */
async function outage(kind: Trouble, ms: number): Promise<void> {
  world.gateway.trouble = kind;
  await world.pass(ms);
  world.gateway.trouble = undefined;
  await world.pass(decidedAfter(ms));
}

const creations = () => world.gateway.exchanges.filter(({ is }) => is === 'creation');

/** The order is there once, it waits for its buyer, and nobody is asked any more. */
async function expectOneOpenOrder(): Promise<void> {
  expect(world.gateway.trades.filter(({ made_by }) => made_by === 'us')).toHaveLength(1);
  const { trade_no, trade_status, outcome } = await stateNow();
  expect({ trade_no, trade_status, outcome }).toEqual({ trade_no: 'T1', trade_status: 'PROCESSING', outcome: null });
  expect(found({ open: true })).toEqual([]);
}

describe('PAYMENTS_PATIENCE', () => {
  const patiences: readonly [name: string, ms: number][] = [
    ['1 minute', MINUTE],
    ['40 minutes', 40 * MINUTE],
  ];

  test.each(patiences)('of %s: a person hears after it that no order reaches the gateway', async (_name, ms) => {
    await begin();
    havePatience(ms);
    world.gateway.trouble = 'unreachable';
    // An attempt that would come too late is not waited for.
    await pay(ms / 3);
    expect(found({ open: true })).toEqual([]);
    await world.pass(ms);
    expect(found({ open: true })).toEqual(['no-answer']);
  });

  test.each(patiences)('of %s: a person hears after it that no look is answered', async (_name, ms) => {
    await begin();
    havePatience(ms);
    await pay(MINUTE);
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.gateway.trouble = 'unreachable';
    world.notify(tradeAt(0));
    await world.pass(ms - 10 * SECOND);
    expect(found({ open: true })).toEqual([]);
    await world.pass(5 * MINUTE);
    expect(found({ open: true })).toEqual(['no-answer']);
  });
});

/** The worker's settings name another patience. */
function havePatience(patience_ms: number): void {
  const { functions } = world.temporal.activities;
  const settings = loadConfig({ PAYMENTS_PATIENCE: `${patience_ms}ms` });
  Object.assign(functions, policyActivity(settings, true));
}

describe('a creation whose answer was lost, and then an outage', () => {
  const made: readonly CreationMishap[] = ['answer lost'];
  test.each(outages)('of %s (%s): an order that the gateway made is found after it', async (_name, kind, ms) => {
    await begin({ creations: made });
    world.pay();
    await world.pass(2 * SECOND);
    await outage(kind, ms);
    if (ms < HOUR) return expectOneOpenOrder();
    // Its time is over.
    expect(creations()).toHaveLength(1);
    expect((await stateNow()).trade_no).toBe('T1');
    expect(found({ open: true })).not.toContain('no-answer');
  });

  test.each(outages.filter(([, , ms]) => ms < HOUR))(
    'of %s (%s): an order that the gateway has not is sent again, once',
    async (_name, kind, ms) => {
      await begin({ creations: ['lost before it arrived'] });
      world.pay();
      await world.pass(2 * SECOND);
      await outage(kind, ms);
      await expectOneOpenOrder();
      expect(creations().filter(({ answered }) => answered !== 'not sent')).toHaveLength(2);
    },
  );

  test.each(outages.filter(([, , ms]) => ms >= HOUR))(
    'of %s (%s): an order whose time is over is not sent again, and a person is asked whether it is there',
    async (_name, kind, ms) => {
      await begin({ creations: ['lost before it arrived'] });
      world.pay();
      await world.pass(2 * SECOND);
      await outage(kind, ms);
      expect(creations()).toHaveLength(1);
      expect(found({ open: true })).toEqual(['unknown-outcome']);
    },
  );
});

describe('an outage that begins with the creation', () => {
  test.each(outages.filter(([, , ms]) => ms < HOUR))(
    'of %s (%s): the order is there once after it',
    async (_name, kind, ms) => {
      await begin();
      world.gateway.trouble = kind;
      world.pay();
      await outage(kind, ms);
      await expectOneOpenOrder();
    },
  );

  test.each(LENGTHS.filter(([, ms]) => ms > HOUR))(
    'of %s: an order that was certainly not sent in its time has failed, and the merchant is told so',
    async (_name, ms) => {
      await begin();
      world.gateway.trouble = 'unreachable';
      world.pay();
      await outage('unreachable', ms);
      expect(world.gateway.trades).toEqual([]);
      expect(await outcomeNow()).toBe('NotCreatedError');
      expect(found({ open: true })).toEqual([]);
    },
  );
});

describe('an order that waits for its buyer, and an outage', () => {
  test.each(outages)('of %s (%s) in which it is paid: SUCCESS is known after it', async (_name, kind, ms) => {
    await begin();
    await pay(MINUTE);
    world.gateway.trouble = kind;
    world.gateway.move(tradeAt(0), 'SUCCESS');
    await outage(kind, ms);
    await world.pass(POLL_EVERY_MS);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(found({ open: true })).toEqual([]);
  });

  test.each(outages)('of %s (%s) in which SUCCESS is notified: it is confirmed after it', async (_name, kind, ms) => {
    await begin();
    await pay(MINUTE);
    world.gateway.trouble = kind;
    world.gateway.move(tradeAt(0), 'SUCCESS');
    world.notify(tradeAt(0));
    await outage(kind, ms);
    await world.pass(POLL_EVERY_MS);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(found({ open: true })).toEqual([]);
  });

  test.each(outages)(
    'of %s (%s) over its deadlines: it ends by the gateway’s word after it',
    async (_name, kind, ms) => {
      await begin();
      await pay(80 * MINUTE);
      world.gateway.trouble = kind;
      world.gateway.move(tradeAt(0), 'EXPIRED');
      await outage(kind, ms);
      await world.pass(POLL_EVERY_MS);
      expect(await outcomeNow()).toBe('EXPIRED');
      expect(found({ open: true })).toEqual([]);
    },
  );

  test('of 3 days is before a person after ten minutes, where an answer is awaited', async () => {
    await begin();
    await pay(MINUTE);
    world.gateway.trouble = 'html';
    world.notify(tradeAt(0), 'SUCCESS');
    await world.pass(15 * MINUTE);
    expect(attentions()).toEqual(['no-answer']);
  });
});

describe('an order of others that is notified in an outage', () => {
  test.each(outages)('of %s (%s): it is adopted after it', async (_name, kind, ms) => {
    await begin();
    const trade = world.gateway.make(
      { out_trade_no: world.out_trade_no, amount: '150.00' },
      'another system',
      'SUCCESS',
    );
    world.gateway.trouble = kind;
    world.notify(trade);
    await outage(kind, ms);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(found({ open: true })).toEqual([]);
  });

  test('and that the gateway denies after it is before a person as unknown', async () => {
    await begin();
    const trade = world.gateway.make(
      { out_trade_no: world.out_trade_no, amount: '150.00' },
      'another system',
      'SUCCESS',
    );
    world.gateway.trouble = 'html';
    world.notify(trade);
    await world.pass(HOUR);
    world.gateway.trouble = 'no such order';
    await world.pass(HOUR);
    expect(found({ open: true })).toEqual(['unknown-trade']);
  });
});
