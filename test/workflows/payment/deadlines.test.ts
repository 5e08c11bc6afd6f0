/** The deadlines of an order, and the gaps between polls. */

import { MockActivityEnvironment } from '@temporalio/testing';
import * as fc from 'fast-check';
import { policyActivity } from '../../../src/activities';
import { delayBeforePoll, longestPause, type PaymentState, type WaitingPolicy } from '../../../src/contract';
import { DAY, HOUR, MINUTE } from '../../../src/gateway/pure/durations';
import { loadConfig } from '../../../src/process/settings';
import { allDeadlines, orderDeadlines } from '../../../src/workflows/payment/deadlines';

/** The last retry of a notification comes this long after the first (section 6.3). */
const LAST_RETRY = 840 * MINUTE;

/** What a worker with the default settings records for a payment by this method. */
const policyOf = (method: string | null): Promise<WaitingPolicy> =>
  new MockActivityEnvironment().run(policyActivity(loadConfig({}), [])['gateway.policy'], { method });

let pix: WaitingPolicy;
beforeAll(async () => {
  pix = await policyOf('PIX');
});

const at = (iso: string) => Date.parse(iso);
const NOON = at('2026-03-02T12:00:00Z');
type Order = Parameters<typeof orderDeadlines>[0];

/** The deadlines in readable form. */
const read = (order: Order, created_at = NOON, policy = pix) =>
  orderDeadlines(order, created_at, policy).map((deadline) => [deadline.name, new Date(deadline.at).toISOString()]);

describe('timeout_express and cancellation_express', () => {
  test('without a cancellation the grace follows the expiry', () => {
    expect(read({ timeout_express: '90m' })).toEqual([
      ['timeout_express', '2026-03-02T13:30:00.000Z'],
      ['last notification', '2026-03-03T03:40:00.000Z'],
    ]);
  });

  test('a cancellation after the expiry is a deadline, and the grace follows it', () => {
    expect(read({ timeout_express: '90m', cancellation_express: '3d' })).toEqual([
      ['timeout_express', '2026-03-02T13:30:00.000Z'],
      ['cancellation_express', '2026-03-05T12:00:00.000Z'],
      ['last notification', '2026-03-06T02:10:00.000Z'],
    ]);
  });

  test('a cancellation that is not after the expiry is ignored', () => {
    for (const cancellation_express of ['89m', '90m']) {
      expect(read({ timeout_express: '90m', cancellation_express })).toEqual(read({ timeout_express: '90m' }));
    }
  });
});

describe('the express 1c, which ends with the current UTC day', () => {
  test.each([
    ['its first second', '2026-03-02T00:00:00Z', '2026-03-02T23:59:59.999Z'],
    ['its last second', '2026-03-02T23:59:59Z', '2026-03-02T23:59:59.999Z'],
    ['the first second of a year', '2027-01-01T00:00:00Z', '2027-01-01T23:59:59.999Z'],
    ['the last second before a leap day', '2028-02-28T23:59:59Z', '2028-02-28T23:59:59.999Z'],
  ])('an order of %s', (_, created, expires) => {
    for (const timeout_express of ['1c', 'c']) {
      expect(read({ timeout_express }, at(created))[0]).toEqual(['timeout_express', expires]);
    }
  });

  test.each([
    [
      'in its first second, with a cancellation of the next day',
      '2026-03-02T00:00:00Z',
      '2d',
      ['2026-03-02T23:59:59.999Z', '2026-03-04T00:00:00.000Z', '2026-03-04T14:10:00.000Z'],
    ],
    [
      'in its last second, with a cancellation a minute later',
      '2026-03-02T23:59:59Z',
      '1m',
      ['2026-03-02T23:59:59.999Z', '2026-03-03T00:00:59.000Z', '2026-03-03T14:10:59.000Z'],
    ],
  ])('%s', (_, created, cancellation_express, times) => {
    const stages = read({ timeout_express: '1c', cancellation_express }, at(created));
    expect(stages.map(([name]) => name)).toEqual(['timeout_express', 'cancellation_express', 'last notification']);
    expect(stages.map(([, time]) => time)).toEqual(times);
  });
});

describe('an order without timeout_express', () => {
  test.each([
    ['PIX', 2 * HOUR],
    ['pix', 2 * HOUR],
    ['Boleto', 30 * DAY],
    ['SPEI', 3 * DAY],
    ['OXXO', 5 * DAY],
    ['PicPay', 3 * MINUTE],
    ['a method that nobody told us about', 3 * DAY],
    [null, 3 * DAY],
  ])('by %s expires by its usual time', async (method, usual) => {
    expect(orderDeadlines({}, NOON, await policyOf(method))[0]).toEqual({ name: 'usual expiry', at: NOON + usual });
  });

  test('an express that cannot be read is ignored', () => {
    expect(read({ timeout_express: 'soon', cancellation_express: '90' })).toEqual(read({}));
  });

  test('a cancellation after the usual expiry is a further deadline', () => {
    expect(read({ cancellation_express: '3d' }).map(([name]) => name)).toEqual([
      'usual expiry',
      'cancellation_express',
      'last notification',
    ]);
  });

  test('a cancellation before the usual expiry replaces it, because the order itself names it', async () => {
    // A voucher starts in PROCESSING, where only the cancellation counts.
    expect(read({ cancellation_express: '1d' }, NOON, await policyOf('Boleto'))).toEqual([
      ['cancellation_express', '2026-03-03T12:00:00.000Z'],
      ['last notification', '2026-03-04T02:10:00.000Z'],
      ['settlement', '2026-03-06T12:00:00.000Z'],
    ]);
  });
});

describe('the grace', () => {
  test.each([
    ['Boleto', 3 * DAY],
    ['OXXO', 2 * DAY],
    ['CreditCard', 4 * DAY],
    [null, 4 * DAY],
  ])('goes on for as long as %s takes to settle', async (method, settles) => {
    const [expiry, ...rest] = orderDeadlines({ timeout_express: '90m' }, NOON, await policyOf(method));
    expect(rest.map(({ name }) => name)).toEqual(['last notification', 'settlement']);
    expect((rest.at(-1)?.at ?? 0) - expiry.at).toBe(settles);
  });
});

test('deadlines grow, never lie before the creation, and the last one lies after the last notification', () => {
  const express = fc.option(
    fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 500 }), fc.constantFrom('m', 'h', 'd')).map(([n, unit]) => `${n}${unit}`),
      fc.constantFrom('1c', 'c', 'nonsense', ''),
    ),
    { nil: undefined },
  );
  const moment = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
  const life = fc.integer({ min: 1, max: 30 * DAY });
  fc.assert(
    fc.property(
      express,
      express,
      moment,
      life,
      life,
      (timeout_express, cancellation_express, created, usual, settles) => {
        const policy = { ...pix, usual_expiry_ms: usual, settles_ms: settles };
        const stages = orderDeadlines({ timeout_express, cancellation_express }, created, policy);
        const times = stages.map((stage) => stage.at);
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
        expect(times[0]).toBeGreaterThanOrEqual(created);
        const sweep = stages.findIndex(({ name }) => name === 'last notification');
        expect((times[sweep] ?? 0) - (times[sweep - 1] ?? 0)).toBeGreaterThan(LAST_RETRY);
        expect(stages.slice(sweep + 1).map(({ name }) => name)).toEqual(
          settles > LAST_RETRY + 10 * MINUTE ? ['settlement'] : [],
        );
      },
    ),
  );
});

describe('risk control', () => {
  const entered = {
    time: '2026-03-02T12:00:00.000Z',
    from: 'PROCESSING',
    to: 'RISK_CONTROLLING',
    source: 'query',
  } as const;

  const heldUntil = ({ history, ...shown }: Pick<PaymentState, 'trade_status' | 'history'>) =>
    allDeadlines([], { shown, history, doubted_at: null }, pix).find(({ name }) => name === 'risk control')?.at;

  test('may hold a trade for four days and an hour from the moment it took it', () => {
    const state = { trade_status: 'RISK_CONTROLLING', history: [entered] };
    expect(heldUntil(state)).toBe(at(entered.time) + 4 * DAY + HOUR);
  });

  test('sets no deadline for a trade that it has released or never held', () => {
    expect(heldUntil({ trade_status: 'SUCCESS', history: [entered] })).toBeUndefined();
    expect(heldUntil({ trade_status: 'RISK_CONTROLLING', history: [] })).toBeUndefined();
  });
});

describe('polls without news', () => {
  test('pause for no longer than the schedule says, until a time after the start', () => {
    expect([MINUTE, 5 * MINUTE, HOUR, DAY].map((until) => longestPause(until, pix))).toEqual([
      ...[MINUTE / 2, 3 * MINUTE, HOUR, HOUR],
    ]);
    expect(longestPause(MINUTE, { poll_schedule_ms: [], poll_every_ms: DAY })).toBe(DAY);
  });

  test('always have a gap between them, by any schedule', () => {
    const schedule = fc
      .uniqueArray(fc.integer({ min: 1, max: DAY }), { maxLength: 10 })
      .map((times) => times.sort((a, b) => a - b));
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: DAY }), fc.nat(20), (poll_schedule_ms, poll_every_ms, looks) => {
        expect(delayBeforePoll(looks, { poll_schedule_ms, poll_every_ms })).toBeGreaterThan(0);
      }),
    );
  });
});
