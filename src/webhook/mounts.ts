/** The ways to mount the endpoint: a Fastify plugin, an Express or Connect middleware, and `Request → Response`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginAsync } from 'fastify';
import { senderAddress } from './addresses';
import type { Answer } from './answers';
import type { Webhook } from './webhook';

/**
 * For Fastify: `app.register(webhookPlugin(webhook), { prefix: '/payments' })` serves `POST /payments/ipn/{app_id}`. The
 * content-type parsers of your other routes stay as they are.
 */
export function webhookPlugin(webhook: Webhook): FastifyPluginAsync {
  return async (server) => {
    server.addHook('onClose', () => webhook.settled());
    // The signature is over the bytes as they came: nobody may read them first.
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, _payload, done) => done(null));
    server.post('/ipn/:app_id', async (request, reply) => {
      const { status, headers, body, close } = await answerNode(webhook, request.raw);
      if (close) reply.header('connection', 'close');
      return reply.code(status).headers(headers).send(body);
    });
  };
}

/**
 * For Express and whatever takes Connect's middleware: `app.use('/ipn', webhookMiddleware(webhook))` serves
 * `POST /ipn/{app_id}`. Mount it before `express.json()`; a body that `express.raw()` has read is taken too.
 */
export function webhookMiddleware(
  webhook: Webhook,
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    answerNode(webhook, request).then((answer) => write(response, answer), next);
  };
}

export interface HandlerOptions {
  /**
   * Where a request comes from, as the platform says it in a way that senders cannot forge (such as Vercel's
   * `x-real-ip`). Needed for an allow-list: a `Request` has no connection to ask.
   */
  addressOf?: (request: Request) => string | undefined;
}

/**
 * For Next.js, Hono, and other platforms of `Request → Response`. The last segment of its address names the app. Throws a
 * TypeError where there is an allow-list and no `addressOf`.
 */
export function webhookHandler(
  webhook: Webhook,
  { addressOf }: HandlerOptions = {},
): (request: Request) => Promise<Response> {
  if (webhook.allows && !addressOf) {
    throw new TypeError(
      'With WEBHOOK_ALLOWED_IPS, webhookHandler needs addressOf: a Request does not say who sends it.',
    );
  }
  return async (request) => {
    const { status, headers, body } = await webhook.answer({
      method: request.method,
      path: new URL(request.url).pathname,
      headers: [...request.headers],
      address: addressOf?.(request),
      body: request.bodyUsed ? undefined : (request.body ?? nothing()),
    });
    return new Response(body, { status, headers });
  };
}

/** Answers a request of Node's own server. */
function answerNode(webhook: Webhook, request: IncomingMessage): Promise<Answer> {
  const { rawHeaders } = request;
  return webhook.answer({
    method: request.method ?? '',
    path: request.url ?? '',
    // Node joins a header that is repeated; the raw list still tells its values apart.
    headers: rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : [])),
    address: senderAddress(request, webhook.trusts),
    body: bytesOf(request),
  });
}

/** The body of a request that may have passed through a framework. Leaving it early must not end the connection. */
function bytesOf(request: IncomingMessage): AsyncIterable<Uint8Array> | undefined {
  const read: unknown = 'body' in request ? request.body : undefined;
  if (read instanceof Uint8Array) return once(read);
  if (read !== undefined || request.readableDidRead) return undefined;
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}

function write(response: ServerResponse, { status, headers, body, close }: Answer): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, 'content-length': body.length, ...(close ? { connection: 'close' } : {}) });
  response.end(body);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
