/** Mounts the endpoint in a framework: a Fastify plugin, an Express or Connect middleware, a `Request → Response` handler. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyPluginAsync } from 'fastify';
import { senderAddress } from '../process/addresses';
import type { Answer } from './answers';
import type { WebhookRequest } from './request';
import type { Webhook } from './webhook';

/**
 * For Fastify: `app.register(webhookPlugin(webhook), { prefix: '/payments' })` serves `POST /payments/ipn/{app_id}`. The
 * content-type parsers of your other routes do not change.
 */
export function webhookPlugin(webhook: Webhook): FastifyPluginAsync {
  return async (server) => {
    server.addHook('onClose', () => webhook.settled());
    // The signature is over the exact bytes, so no parser may read them first.
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
 * For Express and every framework that takes Connect's middleware: `app.use('/ipn', webhookMiddleware(webhook))` serves
 * `POST /ipn/{app_id}`. Mount it before `express.json()`. A body that `express.raw()` has read works too.
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
   * The sender's address, from a source that the sender cannot forge, such as Vercel's header `x-real-ip`. An allow-list
   * needs it: a `Request` does not know its connection.
   */
  addressOf?: (request: Request) => string | undefined;
}

/**
 * For Next.js, Hono and other platforms with `Request → Response` handlers. The last segment of the request's path is the
 * app_id. Throws a TypeError if there is an allow-list and no `addressOf`.
 */
export function webhookHandler(
  webhook: Webhook,
  { addressOf }: HandlerOptions = {},
): (request: Request) => Promise<Response> {
  if (webhook.allows && !addressOf) {
    throw new TypeError(
      'With WEBHOOK_ALLOWED_IPS, webhookHandler needs addressOf: a Request does not know its sender.',
    );
  }
  return async (request) => {
    const { status, headers, body } = await webhook.answer({
      method: request.method,
      path: new URL(request.url).pathname,
      headers: [...request.headers],
      address: addressOf?.(request),
      body: request.bodyUsed ? undefined : (request.body ?? []),
    });
    return new Response(body, { status, headers });
  };
}

/** Answers a request of Node's HTTP server. */
function answerNode(webhook: Webhook, request: IncomingMessage): Promise<Answer> {
  const { rawHeaders } = request;
  return webhook.answer({
    method: request.method ?? '',
    path: request.url ?? '',
    // Node joins the values of a repeated header; the raw list keeps them apart.
    headers: rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? ''] as const] : [])),
    address: senderAddress(request, webhook.trusts),
    connection: request.socket,
    body: bytesOf(request),
  });
}

/** The body's bytes; undefined if a framework has parsed it. To stop reading early must not close the connection. */
function bytesOf(request: IncomingMessage): WebhookRequest['body'] {
  const read: unknown = 'body' in request ? request.body : undefined;
  if (read instanceof Uint8Array) return [read];
  if (read !== undefined || request.readableDidRead) return undefined;
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}

function write(response: ServerResponse, { status, headers, body, close }: Answer): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, 'content-length': body.length, ...(close ? { connection: 'close' } : {}) });
  response.end(body);
}
