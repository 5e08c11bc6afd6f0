/** A short play of `npm run bench:backlog`: with many open payments, attempts stay few and new orders do not wait behind them. */
import { type Scenario, simulate } from '../../bench/backlog/simulation';
import { HOUR, MINUTE } from '../../src/gateway/pure/durations';

const SECOND = 1_000;
const SCENARIO: Scenario = {
  worker: 'today',
  open: 100_000,
  orders_per_second: 5,
  limits: { calls_per_second: 20, circuit_failures: 10, circuit_pause_ms: 15 * SECOND },
  schedule: { poll_schedule_ms: [15, 30, 60, 120, 300, 600, 1_800].map((s) => s * SECOND), poll_every_ms: HOUR },
  create_within_ms: HOUR,
  before_ms: MINUTE,
  outage_ms: 5 * MINUTE,
  after_ms: 3 * MINUTE,
  seed: 1,
};

const mean = (values: Int32Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
const p99 = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

// The polls alone are more than the limit, so the backlog would never end.
test('after an outage new orders and confirmations wait less than 5 s, with 100,000 open payments and a backlog of orders', async () => {
  const { attempts, new_orders, confirmations } = await simulate(SCENARIO);
  expect(new_orders.length).toBeGreaterThan(800);
  expect(p99(new_orders)).toBeLessThan(5 * SECOND);
  expect(p99(confirmations)).toBeLessThan(5 * SECOND);
  // 28 polls a second, as without an outage; the others are orders.
  expect(mean(attempts)).toBeLessThan(80);
});

test('polls that are held back become fewer and fewer, whatever the number of open payments', async () => {
  const { attempts } = await simulate({
    ...SCENARIO,
    open: 10_000,
    orders_per_second: 0.01,
    schedule: { poll_schedule_ms: [], poll_every_ms: 10 * MINUTE },
    outage_ms: 2 * HOUR,
    after_ms: 0,
  });
  const natural = 10_000 / 600;
  expect(mean(attempts.slice(0, 300))).toBeGreaterThan(natural * 0.8);
  expect(mean(attempts.slice(-600))).toBeLessThan(natural / 2);
});
