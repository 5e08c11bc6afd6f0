/** The worker as a program: `npm run worker`, or `payment-gateway worker`. */
import './temporal/requires-worker';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { dataConverter } from './codec/data-converter';
import { scheduledJobs } from './contract';
import { PaymentGatewayPlugin } from './plugin';
import type { Environment } from './process/environment';
import { reportAndExit } from './process/exit';
import { checkGateways } from './process/gateway-check';
import { Readiness, serveHealth } from './process/health';
import { createLogger } from './process/log';
import { measureNode } from './process/metrics/node';
import { appIdsOf, type Config, loadConfig, requireGateways, warnOfRisks } from './process/settings';
import { requireNamespace, temporalConfig, unreachable } from './temporal/connection';
import { whyNotPolling } from './temporal/pollers';
import { installRuntime, runtimeRecorder } from './temporal/runtime';
import { requireSearchAttributes } from './temporal/search-attributes';
import { telemetryOf } from './temporal/telemetry/from-settings';
import type { Telemetry } from './temporal/telemetry/telemetry';
import { watchForStops } from './temporal/watch-for-stops';
import { builtBundle } from './temporal/workflow-bundle';

/** Longer than one exchange with the gateway, so that a creation under way still gets its answer when the worker stops. */
export const SHUTDOWN_GRACE = '60 seconds';

/** A worker and the connection that it uses. */
export interface ConnectedWorker {
  /** Runs until `shutdown` or a signal, then closes the connection. */
  run(): Promise<void>;
  shutdown(): void;
  isStopping(): boolean;
  /** Why it gets no work, as the server has it; undefined where that lists it as a poller of both kinds of tasks. Never throws. */
  whyNotPolling(): Promise<string | undefined>;
}

/**
 * Makes a worker with everything that payments need, and connects it. The caller runs it. Throws ConfigError, also if the
 * namespace lacks search attributes, TemporalUnreachableError, UnknownNamespaceError and SearchAttributeConflictError.
 */
export async function createWorker(config: Config, env: Environment, telemetry?: Telemetry): Promise<ConnectedWorker> {
  requireGateways(config);
  const plugin = new PaymentGatewayPlugin(config, { telemetry });
  const { connectionOptions, namespace } = temporalConfig(env);
  const connection = await NativeConnection.connect(connectionOptions).catch((error: unknown) => {
    throw unreachable(connectionOptions.address, error);
  });
  try {
    await requireNamespace(connection, namespace);
    await requireSearchAttributes(connection, namespace);
    const workflowBundle = builtBundle(dataConverter(config).failureConverterPath);
    // Temporal lists a poller for minutes after its last poll: a worker that was restarted in its container must not pass for it.
    const identity = `${process.pid}@${hostname()}:${randomUUID()}`;
    const worker = await Worker.create({
      connection,
      namespace,
      identity,
      taskQueue: config.PAYMENTS_TASK_QUEUE,
      plugins: [plugin],
      ...(workflowBundle ? { workflowBundle } : {}),
      shutdownGraceTime: SHUTDOWN_GRACE,
      ...workerOptionsOf(config),
    });
    const watching = watched(new Client({ connection, namespace }), config);
    const end = () => {
      watching.close();
      return connection.close();
    };
    return {
      run: () => worker.run().finally(end),
      shutdown: () => worker.shutdown(),
      isStopping: () => !['INITIALIZED', 'RUNNING'].includes(worker.getState()),
      whyNotPolling: () => whyNotPolling(connection, { namespace, taskQueue: config.PAYMENTS_TASK_QUEUE, identity }),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** How much it does at once, and as which version. The environment has either both parts of a version or none. */
function workerOptionsOf(config: Config): Partial<WorkerOptions> {
  const { TEMPORAL_DEPLOYMENT_NAME: deploymentName, TEMPORAL_WORKER_BUILD_ID: buildId } = config;
  const given = {
    maxConcurrentWorkflowTaskExecutions: config.WORKER_WORKFLOW_SLOTS,
    maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITY_SLOTS,
    maxCachedWorkflows: config.WORKER_CACHED_WORKFLOWS,
  };
  const tuning: Partial<WorkerOptions> = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  if (deploymentName === undefined || buildId === undefined) return tuning;
  const version = { deploymentName, buildId };
  // Each workflow says by itself how it behaves (workflows/versioning.ts), but for one that began before there were versions.
  const defaultVersioningBehavior = 'AUTO_UPGRADE';
  return { ...tuning, workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior } };
}

/** What a worker of these settings tells of what has stopped. */
function watched(client: Client, config: Config): { close(): void } {
  const app_ids = appIdsOf(config);
  const jobs = config.PAYMENTS_SCHEDULES ? scheduledJobs(app_ids) : [];
  const runtime = Runtime.instance();
  const told = { record: runtimeRecorder(app_ids, () => runtime), log: runtime.logger };
  return watchForStops(client, { jobs, deployment: config.TEMPORAL_DEPLOYMENT_NAME }, told);
}

/** Runs a worker until SIGINT or SIGTERM. */
export async function runWorker(env: Environment): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('worker', config.LOG_LEVEL);
  warnOfRisks(config, 'worker', log);
  const runtime = installRuntime({ ...config, log, shutdownSignals: ['SIGINT', 'SIGTERM'] });
  let worker: ConnectedWorker | undefined;
  let node: ReturnType<typeof measureNode> | undefined;
  let telemetry: Telemetry | undefined;
  const ownState = () => (worker === undefined ? 'it is starting' : worker.isStopping() ? 'it is stopping' : undefined);
  const readiness = new Readiness(ownState, async () => worker?.whyNotPolling());
  const health = await serveHealth(config, readiness, log);
  try {
    telemetry = await telemetryOf('payments-worker', config);
    worker = await createWorker(config, env, telemetry);
    node = measureNode(runtimeRecorder(appIdsOf(config), () => runtime));
    log.info({ task_queue: config.PAYMENTS_TASK_QUEUE, apps: config.apps.map((app) => app.app_id) }, 'worker started');
    // Beside the work, which it neither holds up nor ends.
    void checkGateways({ ...config, apps: requireGateways(config) }, log);
    await worker.run();
  } finally {
    node?.close();
    await telemetry?.close();
    await health?.close();
  }
  log.info('worker ended');
}

if (require.main === module) runWorker(process.env).catch(reportAndExit);
