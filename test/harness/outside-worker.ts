/** Everything real on free ports, with the worker as a process of its own: it can be killed, and its memory measured. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { PaymentsClient } from '../../src/client';
import { type SimulatorOptions, startSimulator } from '../../src/simulator';
import { devServer } from '../../src/testing/dev-server';
import { APP } from '../../src/testing/stack';
import { webhookServer } from '../../src/webhook';
import { built } from './built';
import { Terminal } from './terminal';

export type OutsideStack = Awaited<ReturnType<typeof outsideStack>>;

/** `extraArgs` are for the Temporal server's command line, `onFile` keeps histories out of its memory; `settings` are the workers'. */
export async function outsideStack({
  extraArgs = [],
  onFile = false,
  settings = {},
  simulator: simulated = {},
}: {
  extraArgs?: string[];
  onFile?: boolean;
  settings?: Record<string, string>;
  simulator?: Partial<SimulatorOptions>;
}) {
  await built();
  const folder = mkdtempSync(join(tmpdir(), 'outside-'));
  const file = ['--db-filename', join(folder, 'temporal.sqlite'), '--sqlite-pragma', 'journal_mode=WAL'];
  const temporal = await devServer([...extraArgs, ...(onFile ? file : [])]);
  const simulator = await startSimulator({ apps: [APP], ...simulated });
  const taskQueue = `outside-${randomUUID()}`;
  const webhook = webhookServer({
    client: temporal.client,
    taskQueue,
    apps: [APP],
    signature: { header: 'Service-Signature', scheme: 'hex' },
    log: pino({ level: 'silent' }),
  });
  const webhookUrl = await webhook.listen({ host: '127.0.0.1', port: 0 });
  const workers: Terminal[] = [];

  return {
    folder,
    temporal,
    taskQueue,
    simulator,
    webhookUrl,
    workers,
    payments: new PaymentsClient({ client: temporal.client, app_id: APP.app_id, taskQueue }),

    /** Resolves once it works. `more`: settings of this one; `program`: another build than lib/. */
    async startWorker(more: Record<string, string> = {}, program?: string): Promise<Terminal> {
      const env = {
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_NAMESPACE: 'default',
        PAYMENTS_TASK_QUEUE: taskQueue,
        GATEWAY_BASE_URL: simulator.url,
        GATEWAY_APP_ID: APP.app_id,
        GATEWAY_SECRET_KEY: APP.secret_key,
        WEBHOOK_PUBLIC_URL: webhookUrl,
        PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
        ...settings,
        ...more,
      };
      const worker = new Terminal({ cwd: folder, env, ...(program ? { program } : {}) }, 'worker');
      workers.push(worker);
      await worker.sees(/worker started/);
      return worker;
    },

    async close(): Promise<void> {
      for (const worker of workers) await worker.kill();
      await webhook.close();
      await simulator.close();
      await temporal.teardown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
