/** One shop with keys on a real Temporal: two workers and the webhook are programs of their own, which a test stops and starts anew. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { freePort } from '../../../src/cli/dev/temporal';
import { PaymentsClient } from '../../../src/client';
import { dataConverter } from '../../../src/codec';
import { newSealingKeys } from '../../../src/gateway';
import { loadConfig } from '../../../src/process/settings';
import { type Simulator, startSimulator } from '../../../src/simulator';
import { devServer } from '../../../src/testing/dev-server';
import { APP } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { built } from '../../harness/built';
import { Commands } from '../../harness/commands';
import { environmentOf, ROOT, Terminal } from '../../harness/terminal';

const TASK_QUEUE = 'payments';
const CLOCK = join(__dirname, '../../harness/shifted-clock.cjs');

/** An app of this gateway that no order of the test is for. */
const OTHER_APP = { app_id: 'other-app', secret_key: 'other-secret-key' };

/** Polls, looks and deadlines follow one another within seconds, as their defaults do within minutes and hours. */
const FAST = {
  PAYMENTS_POLL_SCHEDULE: '500ms,1s,2s',
  PAYMENTS_POLL_EVERY: '2s',
  PAYMENTS_SETTLING: '1s',
  PAYMENTS_PATIENCE: '10s',
  PAYMENTS_GRACE: '5s',
  PAYMENTS_WATCH_WINDOW: '1h',
};

export type OutageKind = 'a proxy’s page' | 'no connection';

interface WorkerOptions {
  /** Its settings have the other app alone. */
  lacksApp?: boolean;
  /** How far its clock is ahead, in ms. */
  clock_ms?: number;
}

export class Life {
  private constructor(
    readonly folder: string,
    readonly temporal: TestWorkflowEnvironment,
    readonly simulator: Simulator,
    private readonly env: Record<string, string>,
    private keys: string,
    private readonly commands: Commands,
  ) {}

  private readonly programs = new Set<Terminal>();
  private webhook: Terminal | undefined;
  private workers: Terminal[] = [];

  static async begin(): Promise<Life> {
    await built();
    const folder = mkdtempSync(join(tmpdir(), 'ordinary-life-'));
    const temporal = await devServer();
    const simulator = await startSimulator({ apps: [APP, OTHER_APP], refundTakes: '1s' });
    const { port } = await freePort(0);
    const sealing = await newSealingKeys('life');
    const base_url = simulator.url;
    const files = {
      'apps.json': [{ ...APP, base_url }],
      'other-apps.json': [{ ...OTHER_APP, base_url }],
    };
    for (const [name, apps] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(apps));
    const env = {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: 'default',
      PAYMENTS_TASK_QUEUE: TASK_QUEUE,
      GATEWAY_APPS_FILE: join(folder, 'apps.json'),
      WEBHOOK_PORT: String(port),
      WEBHOOK_STOP_DELAY: '0s',
      WEBHOOK_PUBLIC_URL: `http://127.0.0.1:${port}`,
      PAYMENTS_SEALING_JWKS: JSON.stringify(sealing.privateJwks),
      PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(sealing.publicJwk),
      ...FAST,
    };
    return new Life(folder, temporal, simulator, env, setting(key('k1')), new Commands(folder));
  }

  /** What each program and each command finds. */
  get settings(): Record<string, string> {
    return { ...this.env, PAYMENTS_ENCRYPTION_KEYS: this.keys };
  }

  /** A merchant's or an operator's client, with the keys of this moment. */
  get client(): Client {
    const { connection } = this.temporal;
    return new Client({ connection, dataConverter: dataConverter(loadConfig(this.settings)) });
  }

  get payments(): PaymentsClient {
    const sealingKey = loadConfig(this.settings).PAYMENTS_SEALING_PUBLIC_JWK;
    return new PaymentsClient({ client: this.client, app_id: APP.app_id, taskQueue: TASK_QUEUE, sealingKey });
  }

  /** Runs a command to its end, as an operator does. */
  async run(...args: string[]): Promise<{ code: number | null; output: string; printed: string }> {
    return this.commands.run(this.settings, ...args);
  }

  /** Compares this month with the merchant's books, a CSV. */
  async reconcile(
    csv: string,
  ): Promise<{ code: number | null; differences: { out_trade_no: string }[]; said: string }> {
    const env = environmentOf(this.settings);
    const command = spawn(
      process.execPath,
      [join(ROOT, 'lib/cli/main.js'), 'reconcile', '--csv', '--json', '--since', '1d'],
      {
        cwd: this.folder,
        env,
      },
    );
    command.stdin.end(csv);
    const [output, said, [code]] = await Promise.all([
      text(command.stdout),
      text(command.stderr),
      once(command, 'close'),
    ]);
    const differences = output
      .split('\n')
      .filter(Boolean)
      .map((line) => z.looseObject({ out_trade_no: z.string() }).parse(JSON.parse(line)));
    return { code: z.number().nullable().parse(code), differences, said };
  }

  async startWebhook(): Promise<void> {
    this.webhook = await this.start(['webhook'], /webhook (is )?(started|listens|listening)|listening/i);
  }

  /** Starts workers beside those that run. */
  async startWorkers(count: number, { lacksApp = false, clock_ms }: WorkerOptions = {}): Promise<Terminal[]> {
    const env = {
      ...(lacksApp ? { GATEWAY_APPS_FILE: join(this.folder, 'other-apps.json') } : {}),
      ...(clock_ms === undefined ? {} : { NODE_OPTIONS: `--require ${CLOCK}`, SHIFTED_CLOCK_MS: String(clock_ms) }),
    };
    const started = await Promise.all(
      Array.from({ length: count }, () => this.start(['worker'], /worker started/, env)),
    );
    this.workers.push(...started);
    return started;
  }

  /** Stops workers as a deploy does; all that run where none is named. */
  async stopWorkers(which: readonly Terminal[] = this.workers): Promise<void> {
    const stopped = [...which];
    this.workers = this.workers.filter((one) => !stopped.includes(one));
    await Promise.all(stopped.map((one) => one.interrupt()));
  }

  /** Brings other keys to every program, by a restart of each. */
  async deploy(keys: string): Promise<void> {
    const many = this.workers.length;
    await this.stopWorkers();
    await this.webhook?.interrupt();
    this.keys = keys;
    await this.startWebhook();
    await this.startWorkers(many);
  }

  get encryptionKeys(): string {
    return this.keys;
  }

  /** From now on, and until `end`, the gateway answers nothing: whatever is asked. */
  outage(kind: OutageKind): { end(): void } {
    const fault = kind === 'no connection' ? 'reset-before' : '5xx-before';
    for (const on of [
      'pay',
      'create',
      'query',
      'refund',
      'account-create',
      'account-query',
      'account-quantity',
    ] as const)
      this.simulator.addFault({ on, fault, times: 1_000_000 });
    return { end: () => void this.simulator.clearFaults() };
  }

  async end(): Promise<void> {
    for (const program of this.programs) await program.kill();
    await this.commands.end();
    await this.simulator.close();
    await this.temporal.teardown();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async start(args: string[], ready: RegExp, env: Record<string, string> = {}): Promise<Terminal> {
    const program = new Terminal({ cwd: this.folder, env: { ...this.settings, ...env } }, ...args);
    this.programs.add(program);
    await program.sees(ready);
    return program;
  }
}
