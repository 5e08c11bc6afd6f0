/** Settings of the simulated gateway, of the operator's commands, and those of every long-running process. */
import { z } from 'zod';
import { settingDocs } from './meaning';
import { flag, httpAddress, limit, listenAddress, nonEmpty, port } from './types';

export const SIMULATOR_SETTINGS = {
  SIMULATOR_HOST: nonEmpty
    .prefault('127.0.0.1')
    .register(settingDocs, { readBy: 'simulator', meaning: 'The address that it listens on.' }),
  SIMULATOR_PORT: port
    .prefault('8470')
    .register(settingDocs, { readBy: 'simulator', meaning: 'The port that it listens on; `0` for a free one.' }),
  SIMULATOR_PUBLIC_URL: httpAddress
    .optional()
    .register(settingDocs, { readBy: 'simulator', meaning: 'Its address as browsers see it.' }),
  SIMULATOR_DATA_FILE: nonEmpty
    .optional()
    .register(settingDocs, { readBy: 'simulator', meaning: 'The file that keeps its trades. Empty: in memory only.' }),
  SIMULATOR_SPEED: z.coerce.number().positive().max(1_000_000).prefault('1').register(settingDocs, {
    readBy: 'simulator',
    meaning: 'How fast its clock runs: with `60`, a minute passes in a second.',
  }),
  SIMULATOR_INSECURE_REMOTE_CONTROL: flag.prefault('false').register(settingDocs, {
    readBy: 'simulator',
    meaning: '`true` lets other machines control it.',
  }),
};

export const OPERATOR_SETTINGS = {
  TEMPORAL_UI_URL: httpAddress.optional().register(settingDocs, {
    readBy: 'commands',
    meaning: 'Where people open Temporal UI. `payment-gateway ui` makes links from it.',
  }),
};

export const PROCESS_SETTINGS = {
  METRICS_ADDRESS: listenAddress.optional().register(settingDocs, {
    readBy: 'worker, webhook, codec server',
    meaning: 'Where to serve metrics for Prometheus, such as `127.0.0.1:9464`. Empty: nowhere.',
  }),
  METRICS_OTLP_URL: httpAddress.optional().register(settingDocs, {
    readBy: 'worker, webhook, codec server',
    meaning:
      'Where to push metrics instead, by OTLP over HTTP, such as `http://collector:4318/v1/metrics`. Empty: nowhere.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: nonEmpty.optional().register(settingDocs, {
    readBy: 'worker, webhook',
    meaning: 'Where to push traces, by OTLP over HTTP, such as `http://collector:4318`. Empty: no traces.',
  }),
  TEMPORAL_DEPLOYMENT_NAME: nonEmpty.optional().register(settingDocs, {
    readBy: 'worker',
    meaning:
      'This worker’s Worker Deployment. With `TEMPORAL_WORKER_BUILD_ID` it turns versioning on; one alone is refused. Temporal’s Worker Controller sets both.',
  }),
  TEMPORAL_WORKER_BUILD_ID: nonEmpty.optional().register(settingDocs, {
    readBy: 'worker',
    meaning: 'The version within it, such as the digest of the image.',
  }),
  // A worker that keeps workflows in memory needs two.
  WORKER_WORKFLOW_SLOTS: z.coerce.number().int().min(2).optional().register(settingDocs, {
    readBy: 'worker',
    meaning: 'How many workflow tasks run at once. Empty: the SDK’s default.',
  }),
  WORKER_ACTIVITY_SLOTS: limit.optional().register(settingDocs, {
    readBy: 'worker',
    meaning: 'How many activities run at once: calls of the gateway, polls and events. Empty: the SDK’s default.',
  }),
  WORKER_CACHED_WORKFLOWS: z.coerce.number().int().min(0).optional().register(settingDocs, {
    readBy: 'worker',
    meaning:
      'How many workflows stay in memory between their tasks. Empty: the SDK’s default, by the memory that there is.',
  }),
  HEALTH_ADDRESS: listenAddress.optional().register(settingDocs, {
    readBy: 'worker, webhook, codec server',
    meaning:
      'Where `/healthz` and `/readyz` are served, such as `127.0.0.1:8481`. Empty: on the own port, if it has one.',
  }),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .prefault('info')
    .register(settingDocs, {
      readBy: 'worker, webhook, codec server, simulator',
      meaning: '`fatal` to `trace`, or `silent`. From `debug` on, workers log Temporal’s own lines too.',
    }),
};
