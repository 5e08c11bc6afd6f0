/** An outage of any length: what was unknown when it began is decided after it by the same rules as before it. */

import { policyActivity } from '../../../src/activities';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { loadConfig } from '../../../src/process/settings';
import { answeringFirst } from '../hostile/answering';
import type { Mishap, Trouble } from '../hostile/gateway';
import type { Act } from '../hostile/happens';
import {
  anotherTold,
  attentions,
  begin,
  creations,
  happens,
  move,
  notify,
  open,
  outcomeNow,
  pay,
  stateNow,
  tell,
  trouble,
  works,
  world,
} from './hostile/acts';

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

type Outage = readonly [name: string, kind: Trouble, ms: number];
const every: readonly Outage[] = LENGTHS.flatMap(([name, ms]) => KINDS.map((kind) => [name, kind, ms] as const));
/** Each length and each kind once: all that no client takes for an answer is the same to a workflow. */
const outages = every.filter((_, i) => i % (KINDS.length + 1) === 0);

/** The gateway is in trouble for so long; then there is time for what follows. */
async function outage(kind: Trouble, ms: number): Promise<void> {
  await happens(trouble(kind), ms, works);
  await world.pass(decidedAfter(ms));
}

/** The order is there once, it waits for its buyer, and nobody is asked any more. */
async function expectOneOpenOrder(): Promise<void> {
  expect(world.gateway.trades.filter(({ made_by }) => made_by === 'us')).toHaveLength(1);
  const { trade_no, trade_status, outcome } = await stateNow();
  expect({ trade_no, trade_status, outcome }).toEqual({ trade_no: 'T1', trade_status: 'PROCESSING', outcome: null });
  expect(open()).toEqual([]);
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
    await happens(pay, ms / 3);
    expect(open()).toEqual([]);
    await world.pass(ms);
    expect(open()).toEqual(['no-answer']);
  });

  test.each(patiences)('of %s: a person hears after it that no look is answered', async (_name, ms) => {
    await begin();
    havePatience(ms);
    await happens(pay, MINUTE, move('T1', 'SUCCESS'), trouble('unreachable'), notify('T1'), ms - 10 * SECOND);
    expect(open()).toEqual([]);
    await world.pass(5 * MINUTE);
    expect(open()).toEqual(['no-answer']);
  });
});

/** The worker's settings name another patience. */
function havePatience(patience_ms: number): void {
  const { functions } = world.temporal.activities;
  const settings = loadConfig({ PAYMENTS_PATIENCE: `${patience_ms}ms` });
  Object.assign(functions, policyActivity(settings, ['handler']));
}

describe('a creation whose answer was lost, and then an outage', () => {
  const made: readonly Mishap[] = ['answer lost'];
  test.each(every)('of %s (%s): an order that the gateway made is found after it', async (_name, kind, ms) => {
    await begin({ creations: made });
    await happens(pay, 2 * SECOND);
    await outage(kind, ms);
    if (ms < HOUR) return expectOneOpenOrder();
    // Its time is over.
    expect(creations()).toHaveLength(1);
    expect((await stateNow()).trade_no).toBe('T1');
    expect(open()).not.toContain('no-answer');
  });

  test.each(outages.filter(([, , ms]) => ms < HOUR))(
    'of %s (%s): an order that the gateway has not is sent again, once',
    async (_name, kind, ms) => {
      await begin({ creations: ['lost before it arrived'] });
      await happens(pay, 2 * SECOND);
      await outage(kind, ms);
      await expectOneOpenOrder();
      expect(creations().filter(({ answered }) => answered !== 'not sent')).toHaveLength(2);
    },
  );

  test.each(outages.filter(([, , ms]) => ms >= HOUR))(
    'of %s (%s): an order whose time is over is not sent again, and a person is asked whether it is there',
    async (_name, kind, ms) => {
      await begin({ creations: ['lost before it arrived'] });
      await happens(pay, 2 * SECOND);
      await outage(kind, ms);
      expect(creations()).toHaveLength(1);
      expect(open()).toEqual(['unknown-outcome']);
    },
  );
});

describe('an outage that begins with the creation', () => {
  test.each(outages.filter(([, , ms]) => ms < HOUR))(
    'of %s (%s): the order is there once after it',
    async (_name, kind, ms) => {
      await begin();
      await happens(trouble(kind), pay);
      await outage(kind, ms);
      await expectOneOpenOrder();
    },
  );

  test.each(LENGTHS.filter(([, ms]) => ms > HOUR))(
    'of %s: an order that was certainly not sent in its time has failed, and the merchant is told so',
    async (_name, ms) => {
      await begin();
      await happens(trouble('unreachable'), pay);
      await outage('unreachable', ms);
      expect(world.gateway.trades).toEqual([]);
      expect(await outcomeNow()).toBe('NotCreatedError');
      expect(open()).toEqual([]);
    },
  );
});

describe('an order that waits for its buyer, and an outage', () => {
  describe.each<[fate: string, before_ms: number, act: Act, outcome: string]>([
    ['in which it is paid: SUCCESS is known after it', MINUTE, move('T1', 'SUCCESS'), 'SUCCESS'],
    ['in which SUCCESS is notified: it is confirmed after it', MINUTE, tell('T1', 'SUCCESS'), 'SUCCESS'],
    ['over its deadlines: it ends by the gateway’s word after it', 80 * MINUTE, move('T1', 'EXPIRED'), 'EXPIRED'],
  ])('%s', (_fate, before_ms, act, outcome) => {
    test.each(outages)('of %s (%s)', async (_name, kind, ms) => {
      await begin();
      await happens(pay, before_ms, trouble(kind), act);
      await outage(kind, ms);
      await world.pass(POLL_EVERY_MS);
      expect(await outcomeNow()).toBe(outcome);
      expect(open()).toEqual([]);
    });
  });

  test('of 3 days is before a person after ten minutes, where an answer is awaited', async () => {
    await begin();
    await happens(pay, MINUTE, trouble('html'), notify('T1', 'SUCCESS'), 15 * MINUTE);
    expect(attentions()).toEqual(['no-answer']);
  });
});

describe('an order of others that is notified in an outage', () => {
  test.each(outages)('of %s (%s): it is adopted after it', async (_name, kind, ms) => {
    await begin();
    await happens(trouble(kind), anotherTold('SUCCESS'));
    await outage(kind, ms);
    expect(await outcomeNow()).toBe('SUCCESS');
    expect(open()).toEqual([]);
  });

  test('and that the gateway denies after it is before a person as unknown', async () => {
    await begin();
    await happens(trouble('html'), anotherTold('SUCCESS'), HOUR, trouble('no such order'), HOUR);
    expect(open()).toEqual(['unknown-trade']);
  });
});

test('promise 5: what is paid in time is no late money because the answer of the first poll waited for a worker until after the deadline', async () => {
  await begin({ kind: 'checkout', late: 'refund' });
  answeringFirst(world.gateway, '/trade/query', async ({ ask }) => {
    world.temporal.leaveWithoutWorker(10 * DAY);
    return ask();
  });
  await happens(pay, HOUR, move('T1', 'SUCCESS'), 10 * DAY, HOUR);
  expect([await outcomeNow(), attentions(), world.gateway.refunds]).toEqual(['SUCCESS', [], []]);
});
