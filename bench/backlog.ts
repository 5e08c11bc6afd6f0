/**
 * `npm run bench:backlog`: what an outage of one hour costs, and what a new order waits for afterwards, with 20,000, 100,000
 * and 1,000,000 open payments: with today's worker, and with the one before it knew urgencies. In virtual time, by the
 * default settings. BENCH_OPEN=100000 plays one number alone.
 */
import { HOUR, MINUTE } from '../src/gateway/pure/durations';
import { loadConfig } from '../src/process/settings';
import { type Result, type Scenario, simulate } from './backlog/simulation';

const OPEN = process.env.BENCH_OPEN ? [Number(process.env.BENCH_OPEN)] : [20_000, 100_000, 1_000_000];
/** The former worker makes tens of thousands of attempts a second: it is played with so many payments, and as much less of all the rest. */
const FORMER_OPEN = 2_000;
/** With more payments, what is awaited is alone as much as the limit. */
const GOAL = { open: 100_000, p99_ms: 5_000 };
const HOUR_OF_REAL_TIME = 3_600_000;

const config = loadConfig({});
const limits = {
  calls_per_second: config.GATEWAY_CALLS_PER_SECOND,
  circuit_failures: config.GATEWAY_CIRCUIT_FAILURES,
  circuit_pause_ms: config.GATEWAY_CIRCUIT_PAUSE,
};
const SCENARIO = {
  limits,
  orders_per_second: limits.calls_per_second / 4,
  schedule: { poll_schedule_ms: config.PAYMENTS_POLL_SCHEDULE, poll_every_ms: config.PAYMENTS_POLL_EVERY },
  create_within_ms: config.PAYMENTS_CREATE_WITHIN,
  before_ms: 10 * MINUTE,
  outage_ms: HOUR,
  after_ms: HOUR,
  seed: 1,
} satisfies Partial<Scenario>;

type Played = Result & {
  open: number;
  /** So much less than the whole was played. */
  scale: number;
};

const COLUMNS: readonly (readonly [title: string, value: (played: Played) => string])[] = [
  // In the outage: mean, and most in a second.
  ['attempts/s', ({ attempts, scale }) => `${number(mean(attempts) * scale)}, ${number(max(attempts) * scale)}`],
  // At the gateway: mean in the hour after, and most in a second.
  ['calls/s', ({ calls, scale }) => `${number(mean(calls.slice(-3_600)) * scale)}, ${number(max(calls) * scale)}`],
  // After the outage: p50, p99, max.
  ['new orders wait', ({ new_orders }) => times(new_orders, 0.5, 0.99, 1)],
  ['confirmations wait', ({ confirmations }) => times(confirmations, 0.5, 0.99, 1)],
  // From the end of the outage: p50, p99.
  ['orders of the outage wait', ({ caught_orders }) => times(caught_orders, 0.5, 0.99)],
  ['not sent', ({ given_up, scale }) => number(given_up * scale)],
  // Mean of the hour after, of payments that were open from the start.
  ['a look every', ({ polls, open }) => time((open * SCENARIO.after_ms) / polls)],
];

const say = (cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);

test(
  'backlog',
  async () => {
    process.stdout.write(`${SCENARIO.orders_per_second} new orders/s, ${limits.calls_per_second} calls/s at most\n\n`);
    say(['open payments', 'worker', ...COLUMNS.map(([title]) => title)]);
    say(['--:', '---', ...COLUMNS.map(() => '--:')]);
    for (const open of OPEN) {
      for (const worker of ['former', 'today'] as const) {
        // One call a second is the least that can be limited.
        const scale = worker === 'former' ? Math.min(open / FORMER_OPEN, limits.calls_per_second) : 1;
        const result = await simulate({
          ...SCENARIO,
          worker,
          open: open / scale,
          orders_per_second: SCENARIO.orders_per_second / scale,
          limits: { ...limits, calls_per_second: limits.calls_per_second / scale },
        });
        say([number(open), worker, ...COLUMNS.map(([, value]) => value({ ...result, open: open / scale, scale }))]);
        if (worker === 'today' && open <= GOAL.open)
          expect(quantile(result.new_orders, 0.99)).toBeLessThan(GOAL.p99_ms);
      }
    }
  },
  HOUR_OF_REAL_TIME,
);

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function mean(values: Int32Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function max(values: Int32Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function times(values: readonly number[], ...parts: readonly number[]): string {
  return values.length === 0 ? 'none' : parts.map((part) => time(quantile(values, part))).join(', ');
}

/** `ms` in the unit that fits. */
function time(ms: number): string {
  if (ms < 2 * MINUTE) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 2 * HOUR ? `${Math.round(ms / MINUTE)} min` : `${(ms / HOUR).toFixed(1)} h`;
}
