/**
 * Fastify as a server that strangers may reach needs it: time limits for slow senders, and answers that show nothing of Node, Fastify
 * or our code, also for requests that Node's own parser refuses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';

/** The body of every answer that is a refusal. */
export const FAIL = '{"result":"fail"}';
/** The longest time for a whole request, headers and body. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface HttpServerOptions {
  log: FastifyBaseLogger;
  /** Called with the address of a connection whose request could not be read. */
  onUnreadable?: (address: string) => void;
}

/** A server without routes. The caller adds them, listens and closes. */
export function httpServer({ log, onUnreadable = () => {} }: HttpServerOptions): FastifyInstance {
  const server = Fastify({
    loggerInstance: log,
    // For paths that are too long or cannot be decoded: Fastify's own answers name Fastify and repeat the path.
    frameworkErrors: (_error, { raw: { socket } }, reply) => {
      onUnreadable(socket.remoteAddress ?? '');
      return sendFail(reply.header('connection', 'close'), 404);
    },
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ECONNRESET') onUnreadable(socket.remoteAddress ?? '');
      answerParserError(error, socket);
    },
    logController: new LogController({ disableRequestLogging: true }),
    // Fastify's defaults turn off Node's own limits for slow senders.
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: 15_000,
    keepAliveTimeout: 30_000,
    // Node swaps the two timeouts if the one for headers is longer, and by default checks only every 30 s.
    http: { headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
  });
  refuseExpectations(server);
  // Only notifications have a body, and the endpoint reads it itself.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  server.setErrorHandler((error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status === 500) log.error({ err: error, url: request.routeOptions.url }, 'a request failed');
    return sendFail(reply, status);
  });
  server.setNotFoundHandler((_request, reply) => sendFail(reply, 404));
  return server;
}

/**
 * Node itself would answer a request that expects something unknown (`Expect: x`), and keep its connection open. Here it is a
 * request like any other, which is refused, closed and counted.
 */
function refuseExpectations(server: FastifyInstance): void {
  const unmet = new WeakSet<IncomingMessage>();
  server.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    server.server.emit('request', request, response);
  });
  server.addHook('onRequest', async (request, reply) => (unmet.has(request.raw) ? sendFail(reply, 417) : undefined));
}

function sendFail(reply: FastifyReply, status: number) {
  return reply.code(status).type('application/json; charset=utf-8').send(FAIL);
}

/** Our answers to requests that Node's parser refuses, by the code of its error. All others get 400. */
const PARSER_ERRORS: Record<string, string> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

function answerParserError(error: { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const head = [
      `HTTP/1.1 ${PARSER_ERRORS[error.code ?? ''] ?? '400 Bad Request'}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${FAIL.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${FAIL}`);
  }
  socket.destroy();
}

/** The HTTP status of a request that failed with this error. */
export function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
