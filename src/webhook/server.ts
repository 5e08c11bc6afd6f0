/** The endpoint on a server: `POST /ipn/{app_id}`, `/healthz` and `/readyz`, with the limits that a public server needs. */
import { getHeapStatistics } from 'node:v8';
import underPressure from '@fastify/under-pressure';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { addHealthRoutes } from '../process/health';
import { httpServer } from '../process/http-server';
import { unavailable } from './answers';
import { boundConnections, type ConnectionRules } from './connections';
import { MinuteCounts } from './minute-counts';
import { webhookPlugin } from './mounts';
import type { WebhookOptions } from './options';
import { webhookReadiness } from './readiness';
import { RefusedSenders } from './refused-senders';
import { createWebhook, type Webhook } from './webhook';

export interface WebhookServerOptions extends WebhookOptions {
  log: FastifyBaseLogger;
  /** Answer 503 while the process is too busy or its memory too full. For a process that serves nothing else. */
  shedLoad?: boolean | undefined;
  /** Called after each answer on the notification route, with its status and its duration in ms. */
  onAnswer?: ((status: number, ms: number) => void) | undefined;
  /** Once it is aborted, `/readyz` answers 503 and connections are not kept alive. Everything is still served. */
  stopping?: AbortSignal | undefined;
  /** `elsewhere`: another server answers checks of health (HEALTH_ADDRESS). Default: this one. */
  health?: 'here' | 'elsewhere' | undefined;
}

/** Load is shed above these: the delay of the event loop in ms, and the used part of the heap. */
const BUSY = { delay_ms: 1_000, heap: 0.85 };

/** Makes the server. The caller listens and closes. Throws a TypeError for invalid networks. */
export function webhookServer(options: WebhookServerOptions): FastifyInstance {
  const { client, log, stopping, health } = options;
  const webhook = createWebhook(options);
  const refused = new RefusedSenders(webhook, log);
  const server = httpServer({ log, onUnreadable: (address) => refused.countConnection(address) });
  refused.watch(server);
  boundConnections(server.server, connectionRules(webhook, options));
  server.addHook('onSend', async (_request, reply) => {
    if (stopping?.aborted) reply.header('connection', 'close');
  });
  server.register((routes) => addNotificationRoute(routes, webhook, options, refused));
  if (health !== 'elsewhere') addHealthRoutes(server, webhookReadiness(client, stopping));
  return server;
}

function connectionRules(
  webhook: Webhook,
  { log, health, trustedProxies = [] }: WebhookServerOptions,
): ConnectionRules {
  const warnings = new MinuteCounts();
  return {
    perAddress: webhook.limits.connections_per_address,
    overall: webhook.limits.connections,
    isGenuine: (socket) => webhook.hasSentGenuine(socket),
    isExempt: (address) => webhook.trusts(address) || (webhook.allows?.(address) ?? false),
    // Behind a proxy, or with health checks on this server, other addresses than the gateway's may connect, too.
    isStranger: (address) =>
      health === 'elsewhere' && trustedProxies.length === 0 && !(webhook.allows?.(address) ?? true),
    onClosed: (address) => {
      if (warnings.add() > 1) return;
      log.warn(
        { address },
        'connections are closed: this address may have none, or there are too many, and no genuine notification came by these',
      );
    },
  };
}

async function addNotificationRoute(
  server: FastifyInstance,
  webhook: Webhook,
  { log, onAnswer, shedLoad }: WebhookServerOptions,
  refused: RefusedSenders,
): Promise<void> {
  if (onAnswer) server.addHook('onResponse', async (_request, reply) => onAnswer(reply.statusCode, reply.elapsedTime));
  if (shedLoad) {
    await server.register(underPressure, {
      maxEventLoopDelay: BUSY.delay_ms,
      maxHeapUsedBytes: BUSY.heap * getHeapStatistics().heap_size_limit,
      retryAfter: Number(unavailable().headers['retry-after']),
    });
  }
  const isHidden = untrustedProxyWarning(webhook, log);
  server.addHook('onRequest', async (request, reply) => {
    isHidden(request);
    if (!refused.mayRead(request, reply)) return reply;
    return undefined;
  });
  await server.register(webhookPlugin(webhook));
}

/** Warns once a minute that an untrusted proxy hides the senders, which then count as one. */
function untrustedProxyWarning(webhook: Webhook, log: FastifyBaseLogger): (request: FastifyRequest) => void {
  const warnings = new MinuteCounts();
  return ({ raw: { headers, socket } }) => {
    const { remoteAddress: address = '' } = socket;
    if (headers['x-forwarded-for'] === undefined || webhook.trusts(address) || warnings.add() > 1) return;
    log.warn({ address }, 'X-Forwarded-For is not believed: if this is your proxy, name it in WEBHOOK_TRUSTED_PROXIES');
  };
}
