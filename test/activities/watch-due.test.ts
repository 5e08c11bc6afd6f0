/** A poll that has an end: it is over at that time, and no attempt is planned for a later one. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities } from '../../src/activities';
import { CallDeferredError } from '../../src/activities/failures';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { APP } from '../../src/testing/stack';

const DUE_AT = Date.now() + 48 * HOUR;
const SCHEDULE = { poll_schedule_ms: [], poll_every_ms: HOUR };

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = new FakeGateway(async () => 0);
  await gateway.addTrade('order-1', { statusAt: () => 'PROCESSING' });
});

/** An attempt so long before the time; what it waits before the next, in ms, or its result. */
async function attemptAt(left_ms: number, attempt = 3) {
  const activities = gatewayActivities({
    gateways: new Map([[APP.app_id, gateway]]),
    sealingKeys: () => [],
    notifyUrl: undefined,
  });
  const environment = new MockActivityEnvironment({
    activityType: 'gateway.watch',
    attempt,
    currentAttemptScheduledTimestampMs: DUE_AT - left_ms,
  });
  const read_by = environment.context.info.workflowExecution?.runId ?? '';
  const trade = { app_id: APP.app_id, id: { trade_no: 'T1' }, seen: 'PROCESSING' };
  const watch = { ...trade, schedule: SCHEDULE, due_at: DUE_AT, read_by };
  return environment
    .run(async () => activities['gateway.watch'](watch))
    .catch((error: { nextRetryDelay?: number }) => ({ next: error.nextRetryDelay }));
}

test.each([
  ['at its end', 0],
  ['an hour after it', -HOUR],
])('is over %s, and asks nothing more', async (_when, left_ms) => {
  expect(await attemptAt(left_ms)).toBeNull();
  expect(gateway.queries).toBe(0);
});

test('asks again after its usual gap while that is short enough', async () => {
  expect(await attemptAt(2 * HOUR)).toEqual({ next: HOUR });
});

test.each([
  ['nothing has changed', () => undefined],
  ['the gateway is down', () => Object.assign(gateway, { isDown: true })],
  [
    'its call was held back',
    () => {
      gateway.query = () => Promise.reject(new CallDeferredError('held back', '/trade/query', 2 * HOUR));
    },
  ],
])('is planned for its end at the latest where %s', async (_where, happens) => {
  happens();
  expect(await attemptAt(10 * MINUTE)).toEqual({ next: 10 * MINUTE });
});

test('begins with a gap that is no longer than what is left', async () => {
  expect(await attemptAt(MINUTE, 1)).toEqual({ next: MINUTE });
});
