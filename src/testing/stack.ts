/** A whole stack for end-to-end tests: Temporal, simulator, worker and webhook, all real, on free ports of this machine. */
import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { OnEvent } from '../activities';
import { PaymentsClient } from '../client';
import { dataConverter } from '../codec';
import { newSealingKeys } from '../gateway';
import { PaymentGatewayPlugin } from '../plugin';
import { type Config, loadConfig } from '../process/settings';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator';
import { webhookServer } from '../webhook';
import { devServer } from './dev-server';
import { workflowBundle } from './workflow-bundle';

/** The one app of every stack and simulation. */
export const APP = { app_id: 'test-app', secret_key: 'test-secret-key' };

export interface StackOptions {
  /** Settings (environment variables) besides those of the stack, which poll every second. */
  env?: Record<string, string>;
  simulator?: Partial<SimulatorOptions>;
  /** Default true. Without a webhook, notifications reach nobody. */
  webhook?: boolean;
  worker?: Pick<WorkerOptions, 'maxCachedWorkflows' | 'interceptors'>;
  /** More arguments for the command line of the Temporal server. */
  temporal?: string[];
  /** Where Temporal UI listens. By default there is none. */
  uiPort?: number;
  onEvent?: OnEvent;
}

export interface Stack {
  temporal: TestWorkflowEnvironment;
  /** Encrypts if the settings hold keys; `temporal.client` never does. */
  client: Client;
  simulator: Simulator;
  payments: PaymentsClient;
  config: Config;
  webhookUrl: string;
  taskQueue: string;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** Polls come soon, so that tests wait for seconds and not for minutes. */
const FAST = { PAYMENTS_POLL_SCHEDULE: '500ms,1s,2s', PAYMENTS_POLL_EVERY: '1s', PAYMENTS_SETTLING: '2s' };

const NO_WEBHOOK = 'http://127.0.0.1:9';

/**
 * Starts a Temporal development server, the simulated gateway, a worker and the webhook. Throws UserError if no Temporal server is on this
 * machine and none can be downloaded.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const temporal = await devServer(options.temporal ?? [], options.uiPort);
  const simulator = await startSimulator({ apps: [APP], ...options.simulator });
  const settings = await settingsOf(simulator, options.env ?? {});
  const first = settings(NO_WEBHOOK);
  const taskQueue = first.PAYMENTS_TASK_QUEUE;

  const { connection, namespace = 'default' } = temporal;
  const client = new Client({ connection, namespace, dataConverter: dataConverter(first) });
  const server = options.webhook === false ? undefined : webhookOf(first, client);
  const webhookUrl = (await server?.listen({ host: '127.0.0.1', port: 0 })) ?? NO_WEBHOOK;

  const config = settings(webhookUrl);
  const worker = await workerOf(temporal, config, options);
  const running = worker.run();
  const sealingKey = config.PAYMENTS_SEALING_PUBLIC_JWK;
  return {
    temporal,
    client,
    simulator,
    payments: new PaymentsClient({ client, app_id: APP.app_id, taskQueue, sealingKey }),
    config,
    webhookUrl,
    taskQueue,
    async close() {
      await server?.close();
      worker.shutdown();
      await running;
      await simulator.close();
      await temporal.teardown();
    },
  };
}

/** The settings of a stack with keys and a task queue that no other stack has; they lack only the webhook's address. */
async function settingsOf(simulator: Simulator, env: Record<string, string>): Promise<(webhookUrl: string) => Config> {
  const sealing = await newSealingKeys('test-key');
  const fixed = {
    PAYMENTS_TASK_QUEUE: `payments-${randomUUID()}`,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(sealing.privateJwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(sealing.publicJwk),
    // As in production, unless a test reads histories.
    ...(env.PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES ? {} : { PAYMENTS_ENCRYPTION_KEYS: newKey() }),
    ...FAST,
  };
  return (webhookUrl) => loadConfig({ ...fixed, WEBHOOK_PUBLIC_URL: webhookUrl, ...env });
}

const newKey = () => `stack:${randomBytes(32).toString('base64')}`;

function webhookOf(config: Config, client: Client): FastifyInstance {
  const { GATEWAY_SIGNATURE_HEADER: header, GATEWAY_SIGNATURE_SCHEME: scheme, PAYMENTS_TASK_QUEUE: taskQueue } = config;
  return webhookServer({
    client,
    taskQueue,
    apps: [APP],
    signature: { header, scheme },
    log: pino({ level: 'silent' }),
  });
}

async function workerOf(temporal: TestWorkflowEnvironment, config: Config, { worker, onEvent }: StackOptions) {
  return Worker.create({
    connection: temporal.nativeConnection,
    namespace: temporal.namespace ?? 'default',
    taskQueue: config.PAYMENTS_TASK_QUEUE,
    workflowBundle: await workflowBundle(dataConverter(config).failureConverterPath),
    ...worker,
    plugins: [new PaymentGatewayPlugin(config, { onEvent })],
  });
}
