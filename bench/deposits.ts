/**
 * `npm run bench:deposits`: thousands of deposits into one account, each delivered seven times in any order, and what that
 * costs: the total, each run's history, the memory of the worker, which is a process of its own. BENCH_DEPOSITS says how
 * many, 5,000 unless told; BENCH_KILLS=5 kills the worker (`kill -9`) five times at random meanwhile.
 */
import { join } from 'node:path';
import { APP } from '../src/testing/stack';
import { outsideStack } from '../test/harness/outside-worker';
import { runsOf } from '../test/harness/runs';
import type { Terminal } from '../test/harness/terminal';
import { burst } from '../test/real-server/accounts/deliveries';

const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 5_000);
const DELIVERIES = DEPOSITS * 7;
const KILLS = Number(process.env.BENCH_KILLS ?? 0);
const HOUR_MS = 3_600_000;
/** So many looks at the worker's memory. */
const SAMPLES = 20;
const MB = 1024 * 1024;

const say = (text: string) => process.stdout.write(`${text}\n`);

test(
  'deposits',
  async () => {
    const probe = join(__dirname, 'memory-probe.cjs');
    const stack = await outsideStack({
      settings: { GATEWAY_CALLS_PER_SECOND: '10000', NODE_OPTIONS: `--expose-gc --require=${probe}` },
    });
    try {
      await stack.startWorker();
      const { accounts } = stack.payments;
      const { account_id } = await accounts.create({
        customer: {
          buyer_id: 'buyer-1',
          email: 'sofia@example.com',
          identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
        },
      });
      const kills = new Set(Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * (DELIVERIES - 1))));
      say(`\n${DEPOSITS} deposits × 7 deliveries, shuffled, one account; ${kills.size} × kill -9`);
      const started = Date.now();
      const look = (what: string) =>
        say(`${seconds(started)} s  ${what.padEnd(32)}  ${memoryOf(stack.workers.at(-1))}`);
      const every = Math.max(1, Math.floor(DELIVERIES / SAMPLES));
      let replacing: Promise<unknown> = Promise.resolve();
      const { total, counted } = await burst({
        ...stack,
        accounts,
        app: APP,
        account_id,
        deposits: DEPOSITS,
        progress: (acknowledged) => {
          if (acknowledged % every === 0) look(`${acknowledged} deliveries acknowledged`);
          if (!kills.has(acknowledged)) return;
          // One after the other: deliveries go on while a worker starts.
          replacing = replacing.then(async () => {
            await stack.workers.at(-1)?.kill();
            look('worker killed');
            await stack.startWorker();
          });
        },
        pending: (waiting) => look(`${waiting} being confirmed`),
      });
      await replacing;
      look('everything counted');
      const { count, total: sums, set_aside } = counted.deposits;
      say(
        `counted ${count} of ${DEPOSITS}, ${sums.MXN} MXN of ${total}, set aside ${set_aside.length}, attention ${counted.attention ?? 'none'}`,
      );
      const runs = await runsOf(stack.temporal.client, `spei-account:${APP.app_id}:${account_id}`);
      for (const { status, events, bytes } of [...runs].reverse())
        say(`run  ${events} events  ${bytes} bytes  ${status}`);
      expect(counted).toMatchObject({
        attention: null,
        deposits: { count: DEPOSITS, total: { MXN: total }, pending: 0, set_aside: [] },
      });
      expect(Math.max(...runs.map(({ events }) => events))).toBeLessThanOrEqual(5_000);
    } finally {
      await stack.close();
    }
  },
  HOUR_MS,
);

/** What the worker printed last of the memory of each of its threads (see memory-probe.cjs). */
function memoryOf(worker: Terminal | undefined): string {
  const heaps = new Map<number, number>();
  let resident = 0;
  for (const [line] of worker?.printed.matchAll(/^\{"memory":.*$/gm) ?? []) {
    const { memory }: { memory: { thread: number; heap: number; rss: number } } = JSON.parse(line);
    heaps.set(memory.thread, memory.heap);
    resident = memory.rss;
  }
  const heap = [...heaps.values()].reduce((sum, used) => sum + used, 0);
  return heaps.size === 0 ? 'not known yet' : `heap after GC ${inMb(heap)} MB, resident ${inMb(resident)} MB`;
}

function inMb(bytes: number): string {
  return (bytes / MB).toFixed(0).padStart(3);
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(0).padStart(4);
}
