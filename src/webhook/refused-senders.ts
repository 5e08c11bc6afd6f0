/**
 * What is refused counts against an address, and never what is genuine: behind a proxy that is not named in the settings the
 * gateway and a stranger have one address. Above the limit, a refusal is 429 and large bodies are not read.
 */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { senderOf } from '../process/addresses';
import { FAIL, tooMany } from './answers';
import { SMALL_BODY_BYTES } from './body-reader';
import type { WebhookLog } from './options';
import { PerMinute } from './per-minute';
import type { Webhook } from './webhook';

const MINUTE_MS = 60_000;
/** Addresses that are remembered as loud. A flood from more of them forgets the first ones. */
const MAX_LOUD = 10_000;

export interface RefusedSenders {
  /** Whether a request may be read: false for a large one of an address that was refused too often. It is answered then. */
  mayRead(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Closes the connection of each refused request of the server, and counts it. */
export function countRefusals(server: FastifyInstance, webhook: Webhook, log: WebhookLog): RefusedSenders {
  const loud = new Map<string, number>();
  const warnings = new PerMinute(1);
  const loudUntil = ({ ip }: FastifyRequest) => loud.get(senderOf(ip)) ?? 0;
  let count: ReturnType<FastifyInstance['createRateLimit']> | undefined;
  server.register(rateLimit, { global: false });
  server.after(() => {
    count = server.createRateLimit({
      max: webhook.limits.per_address,
      timeWindow: MINUTE_MS,
      keyGenerator: ({ ip }) => senderOf(ip),
    });
  });
  server.addHook('onSend', async (request, reply) => {
    const isRefused = reply.statusCode >= 400 && reply.statusCode < 500 && reply.statusCode !== 429;
    if (!isRefused) return;
    reply.header('connection', 'close');
    if (webhook.allows?.(request.ip)) return;
    const counted = await count?.(request);
    if (!counted || counted.isAllowed || !counted.isExceeded) return;
    if (loud.size >= MAX_LOUD) loud.clear();
    loud.set(senderOf(request.ip), Date.now() + counted.ttl);
    refuse(reply, counted.ttlInSeconds);
    if ((await warnings.take()) > 0) return;
    const hint =
      'Genuine notifications are still taken. If this is your own proxy, name it in WEBHOOK_TRUSTED_PROXIES; if you know the addresses of the gateway, name them in WEBHOOK_ALLOWED_IPS.';
    log.warn({ address: request.ip, hint }, 'an address sends too many requests that are refused');
  });
  return {
    mayRead(request, reply) {
      const stated = Number(request.headers['content-length'] ?? Number.NaN);
      if (stated <= SMALL_BODY_BYTES || loudUntil(request) <= Date.now()) return true;
      refuse(reply, Math.ceil((loudUntil(request) - Date.now()) / 1_000)).send(FAIL);
      return false;
    },
  };
}

function refuse(reply: FastifyReply, seconds: number): FastifyReply {
  const { status, headers } = tooMany(Math.max(1, seconds));
  return reply.code(status).headers({ ...headers, connection: 'close' });
}
