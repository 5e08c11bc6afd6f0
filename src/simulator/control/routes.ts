import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { refundActions } from '../refunds/refunds';
import type { Simulator } from '../simulator';
import { IllegalAction, UnknownAccount, UnknownRefund, UnknownTrade } from '../trades/errors';
import { bankActions, buyerActions } from '../trades/states';
import { refusalToControl } from './guard';
import { controls } from './table';

/** What the control API needs. */
export interface ControlParts {
  simulator: Simulator;
  /** Answers other machines too. */
  allowRemote: boolean;
}

/**
 * Serves the control API: plain JSON, the requests of `table.ts`. Failures are `{ "error": "a sentence" }`: 400 a request
 * that makes no sense, 403 not from here, 404 no such trade, 409 not now.
 */
export function controlRoutes(
  server: FastifyInstance,
  { simulator, allowRemote }: ControlParts,
  done: () => void,
): void {
  server.addHook('onRequest', async (request, reply) => {
    const refusal = allowRemote ? undefined : refusalToControl(request);
    if (refusal !== undefined) await reply.code(403).send({ error: refusal });
  });
  server.setErrorHandler((error, _request, reply) => {
    const { status, sentence } = explain(error);
    return reply.code(status).send({ error: sentence });
  });

  for (const { method, path, handle } of controls) {
    server.route({ method, url: path, handler: async (request) => handle(simulator, request) });
  }
  for (const [things, known] of unknownActions) {
    server.post<{ Params: { action: string } }>(`/${things}/:no/:action`, async ({ params }) => {
      throw new RangeError(`No action ${params.action}; there are ${known.join(', ')}.`);
    });
  }
  done();
}

// Whoever mistypes an action hears of those that there are.
const unknownActions = new Map<string, readonly string[]>([
  ['trades', [...Object.keys(buyerActions), ...Object.keys(bankActions), 'forge', 'notify', 'notifications']],
  ['refunds', refundActions],
]);

function explain(error: unknown): { status: number; sentence: string } {
  if (error instanceof z.ZodError) return { status: 400, sentence: z.prettifyError(error) };
  if (!(error instanceof Error)) return { status: 500, sentence: 'Something unknown went wrong.' };
  const status =
    error instanceof UnknownTrade || error instanceof UnknownRefund || error instanceof UnknownAccount
      ? 404
      : error instanceof IllegalAction
        ? 409
        : error instanceof RangeError || error instanceof SyntaxError
          ? 400
          : 'statusCode' in error && typeof error.statusCode === 'number'
            ? error.statusCode
            : 500;
  return { status, sentence: error.message };
}
