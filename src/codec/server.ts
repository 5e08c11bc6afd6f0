/**
 * The codec server: Temporal's remote codec protocol (`POST /decode`, `POST /encode`, `{ payloads }` as JSON both ways) for
 * Temporal UI and the `temporal` command. What it decodes is masked by the asker's role. It is told the namespace at
 * most, never the workflow: what it encodes is bound to the namespace alone, and what it decodes to what stands beside it.
 */

import type { Payload } from '@temporalio/common';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { z } from 'zod';
import type { Access } from './access';
import { EncryptionCodec, type EncryptionKey, PayloadDecryptionError } from './encryption-codec';
import { MASK, masked, type Role } from './mask';

export interface CodecServerOptions {
  keys: readonly [EncryptionKey, ...EncryptionKey[]];
  /** Who asks, and as what. One that takes everybody is for a server that only this machine reaches. */
  access: Access;
  /** Where Temporal UI is served, as browsers name it: `https://temporal.example.com`. Other pages are refused. */
  origins: readonly string[];
  log: FastifyBaseLogger;
}

/** Temporal takes payloads of up to 2 MiB; base64 makes them a third larger, and a page of events has several. */
const MAX_BODY_BYTES = 16 * 1_048_576;
const REQUEST_TIMEOUT_MS = 10_000;

const base64 = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const body = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), base64).nullish(), data: base64.nullish() })),
});

/** Makes the server; the caller listens and closes. */
export function codecServer({ keys, access, origins, log }: CodecServerOptions): FastifyInstance {
  const codec = new EncryptionCodec(keys);
  const roles = new WeakMap<FastifyRequest, Role>();
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, _request, reply) => refuse(reply, 400, 'not understood'),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 15_000,
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
  });

  server.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'origin' });
    if (origin === undefined) return;
    if (!origins.includes(origin)) return refuse(reply, 403, 'this page may not ask (CODEC_SERVER_UI_ORIGINS)');
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
  });

  // What a browser asks before it lets a page of another origin ask.
  server.options('/*', (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, authorization-extras, content-type, x-namespace',
        'access-control-max-age': '600',
      })
      .send(),
  );

  server.setErrorHandler((error: unknown, _request, reply) => {
    if (error instanceof PayloadDecryptionError) return refuse(reply, 400, error.message);
    const status = statusOf(error);
    if (status >= 500) log.error({ err: error }, 'the codec server failed');
    return refuse(reply, status, status >= 500 ? 'failed' : 'not understood');
  });
  server.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'not found'));

  // Before the body is read: a stranger's is not worth reading.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const role = await access(request.headers.authorization);
    if (role === undefined) return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'who are you?');
    roles.set(request, role);
    return undefined;
  };

  server.post('/decode', { onRequest }, async (request) => {
    const role = roles.get(request) ?? 'viewer';
    const asked = payloadsOf(request.body);
    const decoded = await codec.decode(asked);
    // What came in clear was no secret to the asker.
    return inJson(decoded.map((payload, i) => (payload === asked[i] ? payload : maskedPayload(payload, role))));
  });

  server.post('/encode', { onRequest }, async (request) => {
    const { 'x-namespace': namespace } = request.headers;
    return inJson(
      await codec.encode(
        payloadsOf(request.body),
        typeof namespace === 'string' && namespace !== '' ? { namespace } : undefined,
      ),
    );
  });

  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  return server;
}

/** Throws ZodError, which is answered as not understood. */
function payloadsOf(given: unknown): Payload[] {
  return body.parse(given).payloads.map(({ metadata, data }) => ({ metadata: metadata ?? {}, data: data ?? null }));
}

/** As the protocol has it: bytes are base64. */
function inJson(payloads: Payload[]) {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])),
      ...(data ? { data: text(data) } : {}),
    })),
  };
}

/** JSON is masked field by field, nothing stays nothing, and what cannot be looked into is masked as a whole. */
function maskedPayload(payload: Payload, role: Role): Payload {
  const encoding = Buffer.from(payload.metadata?.encoding ?? []).toString();
  if (encoding === 'binary/null') return payload;
  const shown = encoding.startsWith('json/') ? masked(parsed(payload.data), role) : MASK;
  return { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(shown)) };
}

function parsed(data: Uint8Array | null | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(data ?? []).toString());
  } catch {
    return MASK;
  }
}

function statusOf(error: unknown): number {
  if (error instanceof z.ZodError) return 400;
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message });
}
