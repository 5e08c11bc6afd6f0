import type { FastifyInstance } from 'fastify';
import { problemOf } from '../errors';
import type { Simulator } from '../simulator';
import { refundActionNames, tradeActionNames } from '../trades/steps';
import { refusalToControl } from './guard';
import { controls } from './table';

/** What the control API and the operator's pages need. */
export interface ControlOptions {
  simulator: Simulator;
  /** Whether other machines may use it. */
  allowRemote: boolean;
}

/** The actions that exist, for the sentence about one that does not. */
const knownActions = new Map<string, readonly string[]>([
  ['trades', [...tradeActionNames, 'forge', 'notify', 'notifications']],
  ['refunds', refundActionNames],
]);

/**
 * Serves the control API: plain JSON, the requests of `table.ts`. Failures are `{ "error": "a sentence" }`: 400 for a
 * request that makes no sense, 403 for another machine, 404 for an unknown number, 409 for a state that forbids it.
 */
export async function controlRoutes(server: FastifyInstance, { simulator, allowRemote }: ControlOptions) {
  server.addHook('onRequest', async (request, reply) => {
    const refusal = allowRemote ? undefined : refusalToControl(request);
    if (refusal !== undefined) await reply.code(403).send({ error: refusal });
  });
  server.setErrorHandler((error, _request, reply) => {
    const { status, sentence } = problemOf(error);
    return reply.code(status).send({ error: sentence });
  });
  for (const { method, path, handle } of controls) {
    server.route({ method, url: path, handler: async (request) => handle(simulator, request) });
  }
  for (const [records, known] of knownActions) {
    server.post<{ Params: { action: string } }>(`/${records}/:no/:action`, async ({ params }) => {
      throw new RangeError(`No action ${params.action}; there are ${known.join(', ')}.`);
    });
  }
}
