/**
 * Health checks for operators. `/healthz` says that the process lives, and asks nobody: an outage of Temporal must not restart every
 * process. `/readyz` says whether the process should get work now, and if not, why.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { httpServer } from './http-server';
import { listen, placeOf } from './listen';

/** How long one answer is reused, in ms, so that nobody can flood Temporal through `/readyz`. */
const ASKED_EVERY_MS = 10_000;
/** A health check waits only some seconds, and a call to an absent Temporal may take longer. */
const ANSWERED_WITHIN_MS = 4_000;
/** Few clients check a program's health; further connections are closed. */
const MOST_CONNECTIONS = 100;

/** Whether a program should get work. */
export class Readiness {
  private last: { at: number; why: Promise<string | undefined> } | undefined;

  /**
   * Each returns a line that says why not, or undefined if it should: `own` is what the program itself knows, and `ask` asks Temporal. Neither
   * throws.
   */
  constructor(
    private readonly own: () => string | undefined,
    private readonly ask: () => Promise<string | undefined> = async () => undefined,
  ) {}

  async whyNot(): Promise<string | undefined> {
    const own = this.own();
    if (own !== undefined) return own;
    if (this.last === undefined || Date.now() - this.last.at >= ASKED_EVERY_MS)
      this.last = { at: Date.now(), why: Promise.race([this.ask(), silence()]) };
    return this.last.why;
  }

  /** Resolves once no question is in progress. */
  async settled(): Promise<void> {
    await this.last?.why;
  }
}

async function silence(): Promise<string> {
  return delay(ANSWERED_WITHIN_MS, 'Temporal does not answer', { ref: false });
}

/** What a program itself knows that has this signal for its stop. */
export const unlessStopping = (stopping?: AbortSignal) => () => (stopping?.aborted ? 'it is stopping' : undefined);

/** Adds `GET` and `HEAD` of `/healthz` and `/readyz`. Each answer closes its connection, so that nobody holds one by asking again. */
export function addHealthRoutes(server: FastifyInstance, readiness: Readiness): void {
  server.addHook('onClose', () => readiness.settled());
  const headers = { connection: 'close', 'cache-control': 'no-store' };
  server.get('/healthz', (_request, reply) => reply.headers(headers).send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    const why = await readiness.whyNot();
    if (why === undefined) return reply.headers(headers).send({ status: 'ready' });
    return reply.code(503).headers(headers).send({ status: 'not ready', why });
  });
}

/** Serves health checks at HEALTH_ADDRESS, which only health checkers should reach; nothing if it is not set. Throws ConfigError. */
export async function serveHealth(
  { HEALTH_ADDRESS: address }: { HEALTH_ADDRESS?: string | undefined },
  readiness: Readiness,
  log: FastifyBaseLogger,
): Promise<FastifyInstance | undefined> {
  if (address === undefined) return undefined;
  const server = httpServer({ log });
  server.server.maxConnections = MOST_CONNECTIONS;
  addHealthRoutes(server, readiness);
  const place = placeOf(address);
  try {
    const said = {
      ...place,
      what: 'The checks of this program’s health',
      settings: { host: 'HEALTH_ADDRESS', port: 'HEALTH_ADDRESS' },
    };
    await listen(said, () => server.listen(place));
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}
