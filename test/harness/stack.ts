/** A whole stack for end-to-end tests: Temporal, simulator, worker and webhook, all real, on free ports. */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkerOptions } from '@temporalio/worker';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import type { OnEvent } from '../../src/activities';
import { PaymentsClient } from '../../src/client';
import { dataConverter } from '../../src/codec';
import { type Config, loadConfig } from '../../src/config';
import { newSealingKeys } from '../../src/gateway';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator';
import { webhookServer } from '../../src/webhook';
import { devServer } from './temporal';

export const APP = { app_id: 'test-app', secret_key: 'test-secret-key' };

export interface StackOptions {
  /** Environment variables on top of the defaults for tests. */
  env?: Record<string, string>;
  simulator?: Partial<SimulatorOptions>;
  /** Without a webhook, notifications reach nobody. */
  webhook?: boolean;
  worker?: Pick<WorkerOptions, 'maxCachedWorkflows'>;
  /** For the Temporal server's command line. */
  temporal?: string[];
  onEvent?: OnEvent;
}

export interface Stack {
  temporal: TestWorkflowEnvironment;
  /** By the stack's settings: it encrypts where they hold keys, which `temporal.client` never does. */
  client: Client;
  simulator: Simulator;
  payments: PaymentsClient;
  config: Config;
  webhookUrl: string;
  taskQueue: string;
  close(): Promise<void>;
}

/** Polls that come soon, so that tests wait for seconds and not for minutes. */
const FAST = { PAYMENTS_POLL_SCHEDULE: '500ms,1s,2s', PAYMENTS_POLL_EVERY: '1s', PAYMENTS_SETTLING: '2s' };

const bundles = new Map<string | undefined, ReturnType<typeof bundleWorkflowCode>>();

/** The workflows, bundled once for all workers of a test file. A stack that encrypts has a failure converter in them. */
export function workflowBundle(failureConverterPath?: string) {
  const bundled =
    bundles.get(failureConverterPath) ??
    bundleWorkflowCode({
      workflowsPath: require.resolve('../../src/workflows'),
      logger: new DefaultLogger('ERROR'),
      ...(failureConverterPath ? { failureConverterPath } : {}),
    });
  bundles.set(failureConverterPath, bundled);
  return bundled;
}

export async function startStack({
  env = {},
  simulator: simulated = {},
  webhook = true,
  worker: workerOptions = {},
  temporal: extraArgs = [],
  onEvent,
}: StackOptions = {}): Promise<Stack> {
  const temporal = await devServer(extraArgs);
  const simulator = await startSimulator({ apps: [APP], ...simulated });
  const sealing = await newSealingKeys('test-key');
  const taskQueue = `payments-${randomUUID()}`;
  const settings = (webhookUrl: string) =>
    loadConfig({
      PAYMENTS_TASK_QUEUE: taskQueue,
      GATEWAY_BASE_URL: simulator.url,
      GATEWAY_APP_ID: APP.app_id,
      GATEWAY_SECRET_KEY: APP.secret_key,
      PAYMENTS_SEALING_JWKS: JSON.stringify(sealing.privateJwks),
      PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(sealing.publicJwk),
      WEBHOOK_PUBLIC_URL: webhookUrl,
      ...FAST,
      ...env,
    });

  const converter = dataConverter(settings('http://127.0.0.1:9'));
  const { connection, namespace } = temporal;
  const client = new Client({ connection, namespace: namespace ?? 'default', dataConverter: converter });

  let server: FastifyInstance | undefined;
  let webhookUrl = 'http://127.0.0.1:9';
  if (webhook) {
    const { GATEWAY_SIGNATURE_HEADER: header, GATEWAY_SIGNATURE_SCHEME: scheme } = settings(webhookUrl);
    server = webhookServer({
      client,
      taskQueue,
      apps: [APP],
      signature: { header, scheme },
      log: pino({ level: 'silent' }),
    });
    webhookUrl = await server.listen({ host: '127.0.0.1', port: 0 });
  }

  const config = settings(webhookUrl);
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    namespace: temporal.namespace ?? 'default',
    taskQueue,
    workflowBundle: await workflowBundle(converter.failureConverterPath),
    ...workerOptions,
    plugins: [new PaymentGatewayPlugin(config, { onEvent })],
  });
  const running = worker.run();
  const payments = new PaymentsClient({
    client,
    app_id: APP.app_id,
    taskQueue,
    sealingKey: sealing.publicJwk,
  });

  return {
    temporal,
    client,
    simulator,
    payments,
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
