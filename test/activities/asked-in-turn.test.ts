/** A trade that is asked for by its own number and by the order's. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { gatewayActivities } from '../../src/activities';
import { type Gateway, gatewayOf } from '../../src/activities/gateways';
import { throttled } from '../../src/activities/throttle';
import { urgencyOfActivity } from '../../src/activities/urgency';
import type { Trade, TradeId } from '../../src/gateway';
import { HOUR } from '../../src/gateway/pure/durations';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { APP } from '../../src/testing/stack';

/** A gateway whose answers name this order; null: it denies every trade. */
function gatewayWith(out_trade_no: string | null): FakeGateway {
  const gateway = new FakeGateway(async () => 0);
  if (out_trade_no !== null)
    gateway.query = async (by) => ({ ...by, trade_no: 'T1', out_trade_no, trade_status: 'SUCCESS', answer: {} });
  return gateway;
}

/** What a turn of the watch finds, or the type of its failure. The gateway has denied the trade since an hour. */
async function turn(attempt: number, out_trade_no: string | null) {
  const gateway = gatewayWith(out_trade_no);
  const activities = gatewayActivities({
    gateways: new Map([[APP.app_id, gateway]]),
    sealingKeys: () => [],
    notifyUrl: undefined,
  });
  const now = Date.now();
  const environment = new MockActivityEnvironment({
    ...{ activityType: 'gateway.watch', attempt, currentAttemptScheduledTimestampMs: now },
    heartbeatDetails: { total: 0, in_a_row: 0, last: 0, denied_since: now - HOUR },
  });
  const read_by = environment.context.info.workflowExecution?.runId ?? '';
  const id = { trade_no: 'T1', out_trade_no: 'order-1' };
  const schedule = { poll_schedule_ms: [], poll_every_ms: HOUR };
  const watch = { app_id: APP.app_id, id, others: [{ out_trade_no: 'order-1' }], known: [], seen: 'PROCESSING' };
  const tell = { from: { 'unknown-trade': 0 }, lasting_ms: HOUR };
  return environment
    .run(async () => activities['gateway.watch']({ ...watch, schedule, read_by, tell }))
    .catch(({ type }: { type?: string }) => type);
}

test.each([
  ['its own number', 3],
  ['the order’s', 4],
])('by %s, an answer that names another order is no answer', async (_number, attempt) => {
  expect(await turn(attempt, 'order-1')).toMatchObject({ trade_status: 'SUCCESS' });
  expect(await turn(attempt, 'order-9')).toBe('GatewayUnavailable');
});

test.each([
  ['its own number is told', 3, 'TradeDenied'],
  ['the order’s is not: it is not about this trade', 4, 'GatewayUnavailable'],
])('a denial that lasts by %s', async (_number, attempt, type) => {
  expect(await turn(attempt, null)).toBe(type);
});

test('an end that our trade shows waits a few seconds at most for what the order’s number shows', async () => {
  const gateway = new FakeGateway(async () => 0);
  const asked: TradeId[] = [];
  gateway.query = async (by) => {
    asked.push(by);
    if (by.trade_no === undefined) await new Promise(() => undefined);
    return { trade_no: 'T1', out_trade_no: 'order-1', trade_status: 'EXPIRED', answer: {} };
  };
  const { 'gateway.glance': glance } = gatewayActivities({
    gateways: new Map([[APP.app_id, gateway]]),
    sealingKeys: () => [],
    notifyUrl: undefined,
  });
  const id = { trade_no: 'T1', out_trade_no: 'order-1' };
  jest.useFakeTimers();
  try {
    const environment = new MockActivityEnvironment({ activityType: 'gateway.glance', startToCloseTimeoutMs: 7_000 });
    const looked = environment.run(async () => glance({ app_id: APP.app_id, id, number_too: 'at an end' }));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await looked).toMatchObject({ trade_no: 'T1', trade_status: 'EXPIRED' });
  } finally {
    jest.useRealTimers();
  }
  expect(asked).toEqual([{ trade_no: 'T1' }, { out_trade_no: 'order-1' }]);
});

/** What a glance shows where our trade has expired by its own number; `byNumber`: what the gateway shows under the order's. */
async function ended(byNumber: Partial<Trade>, calls_per_second: number) {
  const gateway: Gateway = {
    ...gatewayOf(new Map<string, never>(), APP.app_id),
    query: async (by) => ({
      ...{ trade_no: 'T1', out_trade_no: 'order-1', trade_status: 'EXPIRED', answer: {} },
      ...(by.trade_no === undefined ? byNumber : {}),
    }),
  };
  const limits = { calls_per_second, circuit_failures: 10, circuit_pause_ms: 1_000 };
  const limited = throttled(gateway, APP.app_id, limits, urgencyOfActivity, {
    circuit: () => undefined,
    heldBack: () => undefined,
  });
  const { 'gateway.glance': glance } = gatewayActivities({
    gateways: new Map([[APP.app_id, limited]]),
    sealingKeys: () => [],
    notifyUrl: undefined,
  });
  const id = { trade_no: 'T1', out_trade_no: 'order-1' };
  const environment = new MockActivityEnvironment({ activityType: 'gateway.glance', startToCloseTimeoutMs: 7_000 });
  return environment.run(async () => glance({ app_id: APP.app_id, id, number_too: 'at an end' }));
}

test.each([1_000, 1])('another trade under the number is found with %d calls a second', async (calls_per_second) => {
  const second = { trade_no: 'T2', trade_status: 'SUCCESS' };
  expect(await ended(second, calls_per_second)).toMatchObject({ trade_status: 'EXPIRED', second });
});

test.each([
  ['SUCCESS', 'SUCCESS'],
  ['PROCESSING', 'EXPIRED'],
])('ours that is %s by the order’s number is %s: one of two replicas may be stale', async (trade_status, shown) => {
  expect(await ended({ trade_status }, 1_000)).toMatchObject({ trade_no: 'T1', trade_status: shown });
});
