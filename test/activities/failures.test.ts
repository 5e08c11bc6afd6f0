/** A call that the throttle held back is repeated in proportion to its wait, and a poll that was held back counts as no look. */

import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { accountActivities, accountPolicyOf, gatewayActivities, urgencyOfActivity } from '../../src/activities';
import { CallDeferredError } from '../../src/activities/failures';
import { looksSoFar, noteShown } from '../../src/activities/urgency';
import type { PaymentWorkflow } from '../../src/contract';
import { paymentWorkflowId } from '../../src/contract';
import type { TradeId } from '../../src/gateway';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { loadConfig } from '../../src/process/settings';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../src/testing/simulated-temporal/environment';
import { APP } from '../../src/testing/stack';
import { fakeWorkerActivities } from '../../src/testing/worker-activities';
import { order } from '../harness/orders';
import { thrownBy } from '../harness/thrown';

const SECOND = 1_000;
const RETRY_AFTER_MS = 100;
const SCHEDULE = { poll_schedule_ms: [15 * SECOND, 30 * SECOND, MINUTE], poll_every_ms: HOUR };

const heldBack = async (): Promise<never> => {
  throw new CallDeferredError('it waits its turn', '/trade/query', RETRY_AFTER_MS);
};

/** What an attempt finds out, and what it leaves for the next one. */
interface Attempt {
  attempt?: number;
  age_ms?: number;
  heartbeatDetails?: unknown;
}

/** Makes one attempt, which must fail; returns its delay beyond the throttle's own, in ms, and its heartbeat. */
async function attempt(
  activityType: string,
  call: () => Promise<unknown>,
  { attempt = 1, age_ms = 0, heartbeatDetails }: Attempt = {},
) {
  const environment = new MockActivityEnvironment({
    activityType,
    attempt,
    heartbeatDetails,
    scheduledTimestampMs: 0,
    currentAttemptScheduledTimestampMs: age_ms,
  });
  let details = heartbeatDetails;
  environment.on('heartbeat', (told) => {
    details = told;
  });
  const failure = await thrownBy(environment.run(call));
  if (!(failure instanceof ApplicationFailure)) throw new Error(`no failure that Temporal retries: ${failure}`);
  return { waits: Number(failure.nextRetryDelay) - RETRY_AFTER_MS, heartbeatDetails: details, failure };
}

const activities = gatewayActivities({
  gateways: new Map([[APP.app_id, { pay: heldBack, createCheckout: heldBack, query: heldBack, refund: heldBack }]]),
  sealingKeys: () => [],
  notifyUrl: () => 'https://shop.example/ipn',
});
const { app_id } = APP;
const read_by = '00000000-0000-0000-0000-000000000000';
const id = { trade_no: 'T1' };
const create = () =>
  activities['gateway.create']({ ...order(), send_before: Date.now() + HOUR, reached: false, read_by });
const look = () => activities['gateway.look']({ app_id, id, settling_ms: 0, patience_ms: HOUR, read_by });
const find = () => activities['gateway.find']({ app_id, id, read_by });
const watch = () => activities['gateway.watch']({ app_id, id, seen: 'PROCESSING', schedule: SCHEDULE, read_by });

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

describe('the urgency of a call', () => {
  test.each([
    ['gateway.create', 'awaited', 'late'],
    ['gateway.look', 'awaited', 'late'],
    ['gateway.refund', 'awaited', 'late'],
    ['gateway.find', 'awaited', 'background'],
    ['gateway.watch', 'background', 'background'],
  ])('of %s is %s within 30 s of the workflow’s request, and %s afterwards', async (activityType, fresh, later) => {
    const urgencyAt = (currentAttemptScheduledTimestampMs: number) =>
      new MockActivityEnvironment({ activityType, scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs }).run(
        async () => urgencyOfActivity(),
      );
    expect(await urgencyAt(29 * SECOND)).toBe(fresh);
    expect(await urgencyAt(31 * SECOND)).toBe(later);
  });
});

test.each([
  [1, 'background'],
  [2, 'overdue'],
])('a poll that was held back %i times in a row is %s', async (times, urgency) => {
  let known: Attempt = { attempt: 5 };
  for (let i = 0; i < times; i += 1) {
    const { heartbeatDetails } = await attempt('gateway.watch', watch, known);
    known = { attempt: 6 + i, heartbeatDetails };
  }
  const urgencyAt = (number: number) =>
    new MockActivityEnvironment({ activityType: 'gateway.watch', ...known, attempt: number }).run(async () =>
      urgencyOfActivity(),
    );
  expect(await urgencyAt(5 + times)).toBe(urgency);
  // A look in between, which leaves the heartbeat as it was.
  expect(await urgencyAt(6 + times)).toBe('background');
});

test('a poll that somebody has reset, and whose heartbeat is kept, begins its schedule anew', async () => {
  const heartbeatDetails = { total: 3, in_a_row: 1, last: 8 };
  const looksAt = (number: number) =>
    new MockActivityEnvironment({ activityType: 'gateway.watch', attempt: number, heartbeatDetails }).run(async () =>
      looksSoFar(),
    );
  expect([await looksAt(1), await looksAt(2), await looksAt(9)]).toEqual([0, 1, 5]);
});

test('a poll that somebody has reset forgets a denial of before as soon as the gateway shows the trade', async () => {
  const heartbeatDetails = { total: 1, in_a_row: 1, last: 8, denied_since: 1 };
  const environment = new MockActivityEnvironment({ activityType: 'gateway.watch', attempt: 2, heartbeatDetails });
  const noted: unknown[] = [];
  environment.on('heartbeat', (details) => noted.push(details));
  await environment.run(async () => noteShown());
  expect(noted).toEqual([{ total: 0, in_a_row: 0, last: 0, denied_since: undefined }]);
});

describe.each([
  ['ahead', 3 * HOUR],
  ['behind', -3 * HOUR],
])('a worker whose clock is hours %s', (_, off_ms) => {
  /** By the server's clock. */
  const now = Date.now();
  beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(now + off_ms));
  afterEach(() => jest.restoreAllMocks());

  test.each([
    [1, 'before', now + HOUR],
    [0, 'after', now - 1],
  ])('asks the gateway %i times %s the end of an order’s time', async (times, _when, send_before) => {
    const pay = jest.fn(heldBack);
    const { 'gateway.create': create } = gatewayActivities({
      gateways: new Map([[app_id, { pay, createCheckout: heldBack, query: heldBack, refund: heldBack }]]),
      ...{ sealingKeys: () => [], notifyUrl: () => 'https://shop.example/ipn' },
    });
    const environment = new MockActivityEnvironment({
      ...{ activityType: 'gateway.create', scheduledTimestampMs: now, currentAttemptScheduledTimestampMs: now },
    });
    await environment.run(() => create({ ...order(), send_before, reached: false, read_by })).catch(() => undefined);
    expect(pay).toHaveBeenCalledTimes(times);
  });
});

describe('a call that was held back', () => {
  test.each([
    ['gateway.create', create],
    ['gateway.look', look],
  ])('by %s is repeated within a second while it is new', async (activityType, call) => {
    for (const age_ms of [0, 10 * SECOND]) {
      const { waits } = await attempt(activityType, call, { age_ms });
      expectBetween(waits, SECOND / 2, SECOND);
    }
  });

  test.each([
    ['gateway.create', create, 5 * MINUTE],
    ['gateway.look', look, 5 * MINUTE],
    ['gateway.find', find, 30 * MINUTE],
  ])('by %s waits later as long as it has waited, and not longer than a limit', async (activityType, call, longest) => {
    const twoMinutes = await attempt(activityType, call, { age_ms: 2 * MINUTE });
    expectBetween(twoMinutes.waits, MINUTE, 2 * MINUTE);
    const halfAnHour = await attempt(activityType, call, { age_ms: 50 * MINUTE });
    expectBetween(halfAnHour.waits, longest / 2, longest);
  });

  test('is no error for logs and metrics', async () => {
    const { failure } = await attempt('gateway.create', create);
    expect(failure).toMatchObject({ category: 'BENIGN', message: 'it waits its turn' });
  });
});

describe('a poll that was held back', () => {
  test('waits as long as its own gap, and twice as long each further time, up to six hours', async () => {
    let known: Attempt = { attempt: 5 };
    for (const gap of [HOUR, 2 * HOUR, 4 * HOUR, 6 * HOUR, 6 * HOUR]) {
      const { waits, heartbeatDetails } = await attempt('gateway.watch', watch, known);
      expectBetween(waits, gap / 2, gap);
      known = { attempt: (known.attempt ?? 0) + 1, heartbeatDetails };
    }
  });

  test('waits as long as its own gap again, once a look in between was made', async () => {
    const first = await attempt('gateway.watch', watch, { attempt: 5 });
    // Attempt 6 looked: it left the heartbeat as it was.
    const { waits } = await attempt('gateway.watch', watch, { attempt: 7, heartbeatDetails: first.heartbeatDetails });
    expectBetween(waits, HOUR / 2, HOUR);
  });

  test('waits as long as the short gap before its first looks', async () => {
    const { waits } = await attempt('gateway.watch', watch, { attempt: 2 });
    expectBetween(waits, 7.5 * SECOND, 15 * SECOND);
  });

  test('of an account waits as long as its own gap', async () => {
    const policy = { ...accountPolicyOf(loadConfig({}), []), check_every_ms: HOUR, quantity_every_ms: HOUR };
    const accounts = accountActivities({
      gateways: new Map([
        [
          app_id,
          {
            createSpeiAccount: heldBack,
            cancelSpeiAccount: heldBack,
            querySpeiAccount: heldBack,
            speiAccountQuantity: heldBack,
          },
        ],
      ]),
      notifyUrl: undefined,
      policy,
    });
    const watchAccount = () =>
      accounts['gateway.watch-account']({
        ...{ app_id, account_id: 'A', seen: 'ACTIVE', first_ms: MINUTE, policy },
        read_by: activityInfo().workflowExecution?.runId ?? '',
      });
    const watchQuantity = () => accounts['gateway.watch-account-quantity']({ app_id, seen: 5, policy });
    const first = await attempt('gateway.watch-account', watchAccount, { attempt: 2 });
    expectBetween(first.waits, MINUTE / 2, MINUTE);
    const later = await attempt('gateway.watch-account', watchAccount, { attempt: 3 });
    expectBetween(later.waits, HOUR / 2, HOUR);
    const quantity = await attempt('gateway.watch-account-quantity', watchQuantity, { attempt: 2 });
    expectBetween(quantity.waits, HOUR / 2, HOUR);
  });
});

/** Queries are held back while `isHeldBack`. */
class FullGateway extends FakeGateway {
  isHeldBack = false;
  heldBack = 0;
  override async query(id: TradeId) {
    if (!this.isHeldBack) return super.query(id);
    this.heldBack += 1;
    return heldBack();
  }
}

test('a payment whose looks were held back is looked at as if there had been none of those: its schedule goes on', async () => {
  const env = await SimulatedEnvironment.create();
  try {
    const gateway = new FullGateway(() => env.currentTimeMs());
    env.work(fakeWorkerActivities({ app_id, gateway }));
    const payment = order({ timeout_express: '1d' });
    await env.client.workflow.start<PaymentWorkflow>('payment', {
      workflowId: paymentWorkflowId(app_id, payment.request.out_trade_no),
      taskQueue: 'simulated',
      args: [payment],
    });
    // Looks at 15 s, 30 s, 1, 2 and 5 minutes; those due from 4 minutes on are held back until there were two.
    await env.sleep(4 * MINUTE);
    expect(gateway.queriedAt).toHaveLength(4);
    gateway.isHeldBack = true;
    while (gateway.heldBack < 2) await env.sleep(SECOND);
    gateway.isHeldBack = false;
    await env.sleep(3 * HOUR);
    const [fifth = 0, ...later] = gateway.queriedAt.slice(4);
    // 10 − 5 minutes, 30 − 10 minutes, and an hour.
    const gaps = later.map((at, i) => Math.round((at - (later[i - 1] ?? fifth)) / MINUTE));
    expect(gaps.slice(0, 3)).toEqual([5, 20, 60]);
  } finally {
    await env.teardown();
  }
});
