/**
 * `npm run bench:deposits`: thousands of deposits into one account, and what that costs: the total, each run's history, the
 * memory of the worker, which is a process of its own. First BENCH_PILED deposits (500 unless told) pile up while no worker
 * runs, and what each costs once one does is printed; then the others of BENCH_DEPOSITS (5,000 unless told) come, each delivered
 * BENCH_TIMES times (7) in any order. BENCH_KILLS=5 kills the worker (`kill -9`) five times at random meanwhile.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Big from 'big.js';
import { paymentWorkflowId, speiAccountWorkflowId } from '../src/contract';
import { APP } from '../src/testing/stack';
import { type OutsideStack, outsideStack } from '../test/harness/outside-worker';
import { runsOf } from '../test/harness/runs';
import type { Terminal } from '../test/harness/terminal';
import { burst, deliverAll, settled } from '../test/real-server/accounts/deliveries';
import { type Cpu, cpuOf, type HistoryCost, historyCost, server, usedSince } from './deposits/cost';

const DEPOSITS = Number(process.env.BENCH_DEPOSITS ?? 5_000);
const PILED = Math.min(Number(process.env.BENCH_PILED ?? 500), DEPOSITS);
const TIMES = Number(process.env.BENCH_TIMES ?? 7);
const KILLS = Number(process.env.BENCH_KILLS ?? 0);
const DAY_MS = 24 * 3_600_000;
/** Deliveries between two looks at the worker's memory. */
const LOOK_EVERY = 1_000;
/** So many come at once: whoever sends more than an account counts in its time only waits at the webhook. */
const WAVE = 2_000;
const IDLE_MS = 5_000;
const MB = 1024 * 1024;

const say = (text: string) => process.stdout.write(`${text}\n`);
const started = Date.now();
const customer = {
  ...{ buyer_id: 'buyer-1', email: 'sofia@example.com' },
  identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
};

test(
  'deposits',
  async () => {
    const probe = join(__dirname, 'memory-probe.cjs');
    const stack = await outsideStack({
      // 50,000 deposits in the memory of the server would need 20 GB.
      onFile: true,
      settings: { GATEWAY_CALLS_PER_SECOND: '10000', NODE_OPTIONS: `--expose-gc --require=${probe}` },
    });
    try {
      await stack.startWorker();
      const { account_id } = await stack.payments.accounts.create({ customer });
      const bench = new Bench(stack, account_id);
      if (PILED > 0) await bench.pileUp();
      while (bench.sent < DEPOSITS) await bench.wave(Math.min(WAVE, DEPOSITS - bench.sent));
      await bench.conclude();
    } finally {
      await stack.close();
    }
  },
  DAY_MS,
);

class Bench {
  sent = 0;
  private total = new Big(0);
  private replacing: Promise<unknown> = Promise.resolve();
  private acknowledged = 0;
  private readonly kills = new Set(
    Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * ((DEPOSITS - PILED) * TIMES - 1))),
  );

  constructor(
    private readonly stack: OutsideStack,
    private readonly account_id: string,
  ) {}

  private burstOf(deposits: number) {
    const { stack, account_id } = this;
    const pending = (waiting: number) => this.look(`${waiting} being confirmed`);
    return {
      ...{ ...stack, accounts: stack.payments.accounts, app: APP, account_id, deposits, before: this.sent },
      ...{ seed: 7 + this.sent, pending },
    };
  }

  /** What server and worker use of the CPU while nothing comes. */
  private async idle(): Promise<Cpu> {
    const pid = this.stack.workers.at(-1)?.pid;
    const before = cpuOf(pid);
    await delay(IDLE_MS);
    return usedSince(before, cpuOf(pid));
  }

  /** Deposits pile up while no worker runs. What each costs is told once all are counted. */
  async pileUp(): Promise<void> {
    const { stack, account_id } = this;
    await settled(this.burstOf(0));
    const idle = await this.idle();
    const workflowId = speiAccountWorkflowId(APP.app_id, account_id);
    await stack.workers.at(-1)?.kill();
    const piled = this.burstOf(PILED);
    this.total = this.total.plus(await deliverAll({ ...piled, times: 1 }));
    say(`\n${seconds()} s  ${PILED} deposits have piled up`);
    const worker = await stack.startWorker();
    const [before, began] = [cpuOf(worker.pid), Date.now()];
    const { deposits } = await settled(piled);
    const [used, took] = [usedSince(before, cpuOf(worker.pid)), Date.now() - began];
    const cpu = (name: 'server' | 'worker') => ((used[name] - (idle[name] * took) / IDLE_MS) / PILED).toFixed(1);
    this.sent += PILED;
    const { client } = stack.temporal;
    const account = await historyCost(client, workflowId);
    const payment = await historyCost(client, paymentWorkflowId(APP.app_id, deposits.latest[0]?.out_trade_no ?? ''));
    const perDeposit = ({ events, tasks }: HistoryCost, of: number) =>
      `${(events / of).toFixed(1)} events and ${(tasks / of).toFixed(1)} workflow tasks`;
    say(
      `a deposit cost its account ${perDeposit(account, PILED)}, its payment ${perDeposit(payment, 1)}; CPU beside what an ` +
        `idle stack uses: ${cpu('server')} ms of the server, ${cpu('worker')} ms of the worker; ${(took / PILED).toFixed(1)} ms of the clock`,
    );
    this.look(`${PILED} counted`);
  }

  /** Deposits come, each delivered several times in any order. */
  async wave(deposits: number): Promise<void> {
    const { total } = await burst({ ...this.burstOf(deposits), times: TIMES, progress: () => this.progress() });
    this.total = this.total.plus(total);
    this.sent += deposits;
    this.look(`${this.sent} of ${DEPOSITS} counted`);
  }

  private progress(): void {
    const { stack } = this;
    this.acknowledged += 1;
    if (this.acknowledged % LOOK_EVERY === 0) this.look(`${this.acknowledged} deliveries acknowledged`);
    if (!this.kills.has(this.acknowledged)) return;
    // One after the other: deliveries go on while a worker starts.
    this.replacing = this.replacing.then(async () => {
      await stack.workers.at(-1)?.kill();
      this.look('worker killed');
      await stack.startWorker();
    });
  }

  async conclude(): Promise<void> {
    const { stack, account_id } = this;
    await this.replacing;
    const counted = await settled(this.burstOf(0));
    const { count, total: sums, set_aside } = counted.deposits;
    const total = this.total.toFixed(2);
    say(
      `counted ${count} of ${DEPOSITS}, ${sums.MXN} MXN of ${total}, set aside ${set_aside.length}, attention ${counted.attention ?? 'none'}`,
    );
    const runs = await runsOf(stack.temporal.client, speiAccountWorkflowId(APP.app_id, account_id));
    const longest = runs.reduce((one, other) => (one.events < other.events ? other : one));
    say(`${runs.length} runs, the longest of ${longest.events} events and ${longest.bytes} bytes`);
    expect(counted).toMatchObject({
      attention: null,
      deposits: { count: DEPOSITS, total: { MXN: total }, pending: 0, set_aside: [] },
    });
  }

  private look(what: string): void {
    const worker = memoryOf(this.stack.workers.at(-1));
    say(`${seconds()} s  ${what.padEnd(32)}  ${worker}; server ${inMb(server()?.resident ?? Number.NaN)} MB`);
  }
}

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

function seconds(): string {
  return ((Date.now() - started) / 1000).toFixed(0).padStart(5);
}
