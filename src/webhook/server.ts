/** The endpoint on a server: `POST /ipn/{app_id}`, `/healthz` and `/readyz`, with the limits that a public server needs. */
import { getHeapStatistics } from 'node:v8';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { unavailable } from './answers';
import { httpServer } from './http-server';
import { webhookPlugin } from './mounts';
import type { WebhookOptions } from './options';
import { TemporalReadiness } from './readiness';
import { createWebhook, type Webhook } from './webhook';

export interface WebhookServerOptions extends WebhookOptions {
  log: FastifyBaseLogger;
  /** Answer 503 while the process is too busy or its memory too full. For a process that serves nothing else. */
  shedLoad?: boolean | undefined;
  /** Called after each answer on the notification route, with its status and its duration in ms. */
  onAnswer?: ((status: number, ms: number) => void) | undefined;
  /** Once it is aborted, `/readyz` answers 503 and connections are not kept alive. Everything is still served. */
  stopping?: AbortSignal | undefined;
}

const MINUTE_MS = 60_000;
/** Load is shed above these: the delay of the event loop in ms, and the used part of the heap. */
const BUSY = { delay_ms: 1_000, heap: 0.85 };

/** Makes the server. The caller listens and closes. Throws a TypeError for networks that are none. */
export function webhookServer(options: WebhookServerOptions): FastifyInstance {
  const { log, trustedProxies = [], stopping } = options;
  const webhook = createWebhook(options);
  const server = httpServer({ log, trustedProxies, maxConnections: webhook.limits.connections });
  server.addHook('onSend', async (_request, reply) => {
    if (stopping?.aborted) reply.header('connection', 'close');
  });
  server.register((routes) => addNotificationRoute(routes, webhook, options));
  addHealthRoutes(server, options);
  return server;
}

async function addNotificationRoute(
  server: FastifyInstance,
  webhook: Webhook,
  { log, onAnswer, shedLoad }: WebhookServerOptions,
): Promise<void> {
  if (onAnswer) server.addHook('onResponse', async (_request, reply) => onAnswer(reply.statusCode, reply.elapsedTime));
  if (shedLoad) {
    await server.register(underPressure, {
      maxEventLoopDelay: BUSY.delay_ms,
      maxHeapUsedBytes: BUSY.heap * getHeapStatistics().heap_size_limit,
      retryAfter: Number(unavailable().headers['retry-after']),
    });
  }
  const hidden = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false };
  await server.register(rateLimit, {
    max: webhook.limits.per_address,
    timeWindow: MINUTE_MS,
    // The allow-list's addresses belong to the gateway. Its signature is still verified.
    allowList: (request) => webhook.allows?.(request.ip) ?? false,
    addHeaders: hidden,
    addHeadersOnExceeding: hidden,
    onExceeded: (request) => log.debug({ address: request.ip }, 'an address sends too many requests'),
  });
  await server.register(webhookPlugin(webhook));
}

function addHealthRoutes(server: FastifyInstance, { client, stopping }: WebhookServerOptions): void {
  const readiness = new TemporalReadiness(client);
  server.addHook('onClose', () => readiness.settled());
  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const isReady = !stopping?.aborted && (await readiness.isReady());
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' });
  });
}
