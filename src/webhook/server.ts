/** The IPN endpoint over HTTP: `POST /ipn/{app_id}`, `/healthz` and `/readyz`. */
import type { Client } from '@temporalio/client';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { deliver, keepStray } from './deliver';
import { receive, type SignatureSettings, type WebhookApp } from './receive';

export interface WebhookOptions {
  client: Client;
  taskQueue: string;
  apps: readonly WebhookApp[];
  signature: SignatureSettings;
  log: FastifyBaseLogger;
}

/** A notification has well under 4 KiB. */
const MAX_BODY_BYTES = 65_536;
/** What a sender may take to say all of it, headers and body. */
const REQUEST_TIMEOUT_MS = 10_000;
/** What one call of Temporal may take, in ms: gateways wait for an acknowledgement only so long. */
const TEMPORAL_TIMEOUT_MS = 3_000;

/** The body of every refusal: it tells nothing of the reason. */
const REFUSED = { result: 'fail' };

/** Makes the server; the caller listens and closes. Nothing is acknowledged before Temporal has it. */
export function webhookServer({ client, taskQueue, apps, signature, log }: WebhookOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: log,
    // Paths that cannot be decoded or are too long: Fastify's own answers name it and repeat the path.
    frameworkErrors: (_error, _request, reply) => notFound(reply),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    // Fastify turns Node's own guards against slow senders off unless told.
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 15_000,
    keepAliveTimeout: 30_000,
    // Node swaps the two time-outs where that for the headers is the longer one, and looks only every 30 s unless told.
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
  });
  const delivery = { client, taskQueue, timeout_ms: TEMPORAL_TIMEOUT_MS };

  // The signature is over the bytes as they came: nobody may parse them first.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  server.setErrorHandler((error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error, url: request.routeOptions.url }, 'the webhook failed');
    return reply.code(status).send(REFUSED);
  });
  server.setNotFoundHandler((_request, reply) => notFound(reply));

  server.post<{ Params: { app_id: string } }>('/ipn/:app_id', async (request, reply) => {
    const { app_id } = request.params;
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const decision = receive(
      { app_id, signatures: headerValues(request, signature.header), body },
      apps,
      signature.scheme,
    );
    if (decision.is === 'refused') {
      log.warn({ why: decision.why }, 'a notification was refused');
      return reply.code(401).send(REFUSED);
    }
    try {
      if (decision.is === 'notification') await deliver(delivery, decision.notification, decision.digest);
      else await keepStray(delivery, app_id, body, decision.digest);
    } catch (error) {
      return temporalIsAway(error, reply, log);
    }
    if (decision.is === 'notification') {
      const { out_trade_no, trade_no, trade_status } = decision.notification;
      log.info({ app_id, out_trade_no, trade_no, trade_status }, 'notification accepted');
    } else {
      log.error(
        { app_id, digest: decision.digest },
        'a signed notification could not be read; it is kept for a person',
      );
    }
    return reply.code(200).type('text/plain').send('success');
  });

  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const ready = await client
      .withDeadline(Date.now() + TEMPORAL_TIMEOUT_MS, () =>
        client.workflowService.describeNamespace({ namespace: client.options.namespace }),
      )
      .then(
        () => true,
        () => false,
      );
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  return server;
}

function notFound(reply: FastifyReply) {
  return reply.code(404).send(REFUSED);
}

/** Not acknowledged, so the gateway sends it again: its schedule is our queue. */
function temporalIsAway(error: unknown, reply: FastifyReply, log: FastifyBaseLogger) {
  log.error({ err: error }, 'Temporal did not take a notification; the gateway is asked to send it again');
  return reply.code(503).header('retry-after', '60').send(REFUSED);
}

/** Node joins a repeated header into one value; the raw list still tells them apart. */
function headerValues(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name.toLowerCase());
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
