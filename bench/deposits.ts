/**
 * `npm run bench:deposits`: thousands of deposits into one account, each delivered seven times in any order, and what that
 * costs: the total, each run's history, the worker's memory. BENCH_DEPOSITS says how many, 5,000 unless told.
 */
import { execFileSync } from 'node:child_process';
import { burst, runsOf } from '../test/accounts/deliveries';
import { outsideStack } from '../test/harness/outside-worker';
import { APP } from '../test/harness/stack';

const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 5_000);
const HOUR_MS = 3_600_000;
/** So many looks at the worker's memory. */
const SAMPLES = 20;

const say = (text: string) => process.stdout.write(`${text}\n`);
const memoryOf = (pid: number) => Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024);

test(
  'deposits',
  async () => {
    const stack = await outsideStack({ settings: { GATEWAY_CALLS_PER_SECOND: '10000' } });
    try {
      const worker = await stack.startWorker();
      const [pid = 0] = await worker.processes();
      const { accounts } = stack.payments;
      const { account_id } = await accounts.create({
        customer: {
          buyer_id: 'buyer-1',
          email: 'sofia@example.com',
          identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
        },
      });
      say(`\n${DEPOSITS} deposits × 7 deliveries, shuffled. Worker before: ${memoryOf(pid)} MB`);
      const started = Date.now();
      const every = Math.max(1, Math.floor((DEPOSITS * 7) / SAMPLES));
      const { total, counted } = await burst({
        ...stack,
        accounts,
        app: APP,
        account_id,
        deposits: DEPOSITS,
        progress: (acknowledged) => {
          if (acknowledged % every !== 0) return;
          say(`${seconds(started)} s  ${acknowledged} deliveries acknowledged  worker ${memoryOf(pid)} MB`);
        },
      });
      say(`${seconds(started)} s  everything counted  worker ${memoryOf(pid)} MB`);
      const { count, total: sums } = counted.deposits;
      say(`counted ${count} of ${DEPOSITS}, ${sums.MXN} MXN of ${total}, attention ${counted.attention ?? 'none'}`);
      const runs = await runsOf(stack.temporal.client, `spei-account:${APP.app_id}:${account_id}`);
      for (const { status, events, bytes } of [...runs].reverse())
        say(`run  ${events} events  ${bytes} bytes  ${status}`);
      expect(counted.deposits).toMatchObject({ count: DEPOSITS, total: { MXN: total } });
      expect(Math.max(...runs.map(({ events }) => events))).toBeLessThanOrEqual(5_000);
    } finally {
      await stack.close();
    }
  },
  HOUR_MS,
);

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(0).padStart(4);
}
