/** The endpoint as a server of its own: `POST /ipn/{app_id}`, `/healthz` and `/readyz`, with the bounds of a public door. */
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import rateLimit from '@fastify/rate-limit';
import underPressure from '@fastify/under-pressure';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { FAIL, unavailable } from './answers';
import { webhookPlugin } from './mounts';
import { Readiness } from './readiness';
import { createWebhook, type WebhookOptions } from './webhook';

export interface WebhookServerOptions extends WebhookOptions {
  log: FastifyBaseLogger;
  /** Refuse for a while where the process is too busy or its memory too full; for a process that does nothing else. */
  shedLoad?: boolean | undefined;
  /** Hears of each answer to a notification, or to what claims to be one: its status, and how long it took. */
  onAnswer?: ((status: number, ms: number) => void) | undefined;
  /** Once aborted, `/readyz` says no and connections are not kept, though everything is still served. */
  stopping?: AbortSignal | undefined;
}

/** What a sender may take to say all of it, headers and body. */
const REQUEST_TIMEOUT_MS = 10_000;
const MINUTE_MS = 60_000;
/** How far behind the process may run, and how much of its heap may be in use, before it refuses. */
const BUSY = { delay_ms: 1_000, heap: 0.85 };

/** Makes the server; the caller listens and closes. Nothing is acknowledged before Temporal has it. */
export function webhookServer(options: WebhookServerOptions): FastifyInstance {
  const { client, log, trustedProxies = [], shedLoad = false, onAnswer, stopping } = options;
  const webhook = createWebhook(options);
  const server = Fastify({
    loggerInstance: log,
    // Paths that cannot be decoded or are too long: Fastify's own answers name it and repeat the path.
    frameworkErrors: (_error, _request, reply) => fail(reply, 404),
    clientErrorHandler: answerBroken,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // Fastify turns Node's own guards against slow senders off unless told.
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 15_000,
    keepAliveTimeout: 30_000,
    // Node swaps the two time-outs where that for the headers is the longer one, and looks only every 30 s unless told.
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
  });
  server.server.maxConnections = webhook.limits.connections;
  // No body is wanted but that of a notification, which the endpoint reads itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));

  server.setErrorHandler((error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status === 500) log.error({ err: error, url: request.routeOptions.url }, 'the webhook failed');
    return fail(reply, status);
  });
  server.setNotFoundHandler((_request, reply) => fail(reply, 404));
  server.addHook('onSend', async (_request, reply) => {
    if (stopping?.aborted) reply.header('connection', 'close');
  });

  server.register(async (door) => {
    if (onAnswer) door.addHook('onResponse', async (_request, reply) => onAnswer(reply.statusCode, reply.elapsedTime));
    if (shedLoad) {
      await door.register(underPressure, {
        maxEventLoopDelay: BUSY.delay_ms,
        maxHeapUsedBytes: BUSY.heap * getHeapStatistics().heap_size_limit,
        retryAfter: Number(unavailable().headers['retry-after']),
      });
    }
    await door.register(rateLimit, {
      max: webhook.limits.per_address,
      timeWindow: MINUTE_MS,
      // Only their own gateway is at these addresses; its signature is looked at all the same.
      allowList: (request) => webhook.allows?.(request.ip) ?? false,
      addHeaders: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      addHeadersOnExceeding: { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false },
      onExceeded: (request) => log.debug({ address: request.ip }, 'an address sends too much'),
    });
    await door.register(webhookPlugin(webhook));
  });

  const readiness = new Readiness(client);
  server.addHook('onClose', () => readiness.settled());
  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const yes = !stopping?.aborted && (await readiness.isReady());
    return reply.code(yes ? 200 : 503).send({ status: yes ? 'ready' : 'not ready' });
  });
  return server;
}

function fail(reply: FastifyReply, status: number) {
  return reply.code(status).type('application/json; charset=utf-8').send(FAIL);
}

/** What Node's parser refuses: its error's code, and our answer. All else is 400. */
const BROKEN: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

function answerBroken(error: { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const head = [
      `HTTP/1.1 ${BROKEN[error.code ?? ''] ?? '400 Bad Request'}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${FAIL.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${FAIL}`);
  }
  socket.destroy();
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
