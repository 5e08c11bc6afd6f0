/**
 * The codec server: Temporal's remote codec protocol (`POST /decode` and `POST /encode`) for Temporal UI and the `temporal`
 * command. Decoded payloads are masked by the caller's role. A request may name the namespace, but never the workflow:
 * so an encoded payload is bound to the namespace only, and a decoded payload is not checked against its workflow.
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
import { PayloadDecryptionError } from '../contract/foreign-input';
import { addHealthRoutes, type Readiness } from '../process/health';
import { statusOf } from '../process/http-server';
import type { Access } from './access';
import { type EncryptionKey, ownerTextOf } from './cipher';
import { EncryptionCodec } from './encryption-codec';
import { jsonPayload, maskedPayload, type Role } from './mask';
import { parseOwner } from './payload-owner';

export interface CodecServerOptions {
  keys: readonly [EncryptionKey, ...EncryptionKey[]];
  /** Who may use it, and in which role. Let everybody in only on a server that nothing but this machine reaches. */
  access: Access;
  /** Origins of the web pages that may use it, such as `https://temporal.example.com`. Other pages are refused. */
  origins: readonly string[];
  log: FastifyBaseLogger;
  /** Answers checks of health on this server. Without it, another server does (HEALTH_ADDRESS). */
  readiness?: Readiness | undefined;
}

/** Temporal takes payloads of up to 2 MiB. Base64 makes them a third larger, and a page of events has several. */
const MAX_BODY_BYTES = 16 * 1_048_576;
const REQUEST_TIMEOUT_MS = 10_000;

/** Makes the server. The caller listens and closes. */
export function codecServer({ keys, access, origins, log, readiness }: CodecServerOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, _request, reply) => refuse(reply, 400, 'not understood'),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 15_000,
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
  });
  server.setErrorHandler((error: unknown, _request, reply) => {
    const status = error instanceof z.ZodError ? 400 : statusOf(error);
    if (status >= 500) log.error({ err: error }, 'the codec server failed');
    return refuse(reply, status, status >= 500 ? 'failed' : 'not understood');
  });
  server.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'not found'));
  allowOrigins(server, origins);
  addCodecRoutes(server, new EncryptionCodec(keys, { acceptsClearText: true, readsAll: true }), access);
  if (readiness) addHealthRoutes(server, readiness);
  return server;
}

/** Lets pages of these origins use the server (CORS), and refuses the pages of all others. */
function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  server.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'origin' });
    if (origin === undefined) return;
    if (!origins.includes(origin)) return refuse(reply, 403, 'this page may not ask (CODEC_SERVER_UI_ORIGINS)');
    reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
  });
  // The preflight request, which a browser sends before the request of a page of another origin.
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
}

function addCodecRoutes(server: FastifyInstance, codec: EncryptionCodec, access: Access): void {
  const roles = new WeakMap<FastifyRequest, Role>();
  // Check access before the body is read: a stranger's body is not worth the memory.
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const role = await access(request.headers.authorization);
    if (role === undefined) return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'who are you?');
    roles.set(request, role);
    return undefined;
  };

  server.post('/decode', { onRequest }, async (request) => {
    const role = roles.get(request) ?? 'viewer';
    return payloadsAsJson(await Promise.all(payloadsFrom(request.body).map((one) => shown(one, codec, role))));
  });

  server.post('/encode', { onRequest }, async (request, reply) => {
    const { 'x-namespace': namespace } = request.headers;
    // Without a namespace the payload would have no owner, and nobody would take it.
    if (typeof namespace !== 'string' || namespace === '') return refuse(reply, 400, 'X-Namespace is missing');
    const owner = { namespace };
    return payloadsAsJson(await codec.encode(payloadsFrom(request.body), owner));
  });
}

/** The payload as the role may see it. If it cannot be decrypted, the reason takes its place: an error would hide the whole page. */
async function shown(payload: Payload, codec: EncryptionCodec, role: Role): Promise<Payload> {
  try {
    const [decoded = payload] = await codec.decode([payload]);
    // A payload that came in clear text is not masked: the caller has seen it.
    return decoded === payload ? payload : maskedPayload(decoded, role, parseOwner(ownerTextOf(payload)));
  } catch (error) {
    if (!(error instanceof PayloadDecryptionError)) throw error;
    // A failure's text has the same form.
    return jsonPayload({ message: error.message });
  }
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message });
}

// — Payloads as the protocol writes them: JSON, `{ payloads }`, with bytes in base64 —

const base64 = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const body = z.object({
  // Temporal’s command sends no list if there are no payloads.
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).nullish(), data: base64.nullish() }))
    .nullish()
    .transform((given) => given ?? []),
});

function payloadsFrom(requestBody: unknown): Payload[] {
  return body
    .parse(requestBody)
    .payloads.map(({ metadata, data }) => ({ metadata: metadata ?? {}, data: data ?? null }));
}

function payloadsAsJson(payloads: Payload[]) {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  return {
    payloads: payloads.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)])),
      ...(data ? { data: text(data) } : {}),
    })),
  };
}
