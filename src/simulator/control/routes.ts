import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { faultSchema } from '../faults/faults';
import { settingsSchema } from '../options';
import type { Simulator } from '../simulator';
import { IllegalAction, UnknownTrade } from '../trades/errors';
import { buyerActions, isBuyerAction, tradeStatuses } from '../trades/states';
import { refusalToControl } from './guard';

/** What the control API needs. */
export interface ControlParts {
  simulator: Simulator;
  /** Answers other machines too. */
  allowRemote: boolean;
}

const text = z.string().optional();
const tradeFilter = z.strictObject({
  app_id: text,
  out_trade_no: text,
  trade_no: text,
  trade_status: z.enum(tradeStatuses).optional(),
});
const notificationFilter = z.strictObject({ app_id: text, out_trade_no: text, trade_no: text });
const requestFilter = z.strictObject({ app_id: text, out_trade_no: text, trade_no: text, path: text });
const tradeNumber = z.object({ no: z.string() });
const actionNamed = z.object({ no: z.string(), action: z.string() });
const choice = z.strictObject({ method: text });
const enabled = z.strictObject({ enabled: z.boolean() });
const nothing = z.strictObject({});
const clockChange = z.strictObject({
  advance: z.union([z.number().min(0), z.string()]).optional(),
  speed: z.number().min(0).optional(),
});
const settingsChange = settingsSchema.partial();

/**
 * The control API, what a test or a person does in the place of buyers, banks, time and trouble. Plain JSON:
 *
 * | request | does |
 * |---|---|
 * | `GET trades?out_trade_no=&app_id=&trade_status=` | lists trades |
 * | `GET trades/:no` | one trade; `no` is a `trade_no` or an `out_trade_no` |
 * | `POST trades/:no/submit`, `pay`, `refuse`, `cancel`, `risk` `{ method? }` | a buyer's action; 409 and a sentence where the state forbids it |
 * | `POST trades/:no/notify` | the dashboard's callback button: one attempt now |
 * | `POST trades/:no/notifications` `{ enabled }` | switches this trade's notifications |
 * | `GET notifications?out_trade_no=` | notifications and every attempt |
 * | `GET clock`, `POST clock` `{ advance: "2h" }` or `{ speed: 60 }` | reads, moves or paces the clock |
 * | `GET settings`, `POST settings` `{ notifications: false, … }` | reads or changes settings |
 * | `GET requests?path=&out_trade_no=` | the ledger of requests received |
 * | `GET faults`, `POST faults` `{ on, fault, out_trade_no?, times?, ms? }`, `DELETE faults` | lists, sets, clears faults |
 *
 * Failures are `{ "error": "a sentence" }`: 400 a request that makes no sense, 403 not from here, 404 no such trade, 409 not now.
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

  server.get('/trades', (request) => simulator.trades(tradeFilter.parse(request.query)));
  server.get('/trades/:no', (request) => simulator.trade(tradeNumber.parse(request.params).no));
  server.post('/trades/:no/notify', (request) => {
    nothing.parse(body(request));
    return simulator.notify(tradeNumber.parse(request.params).no);
  });
  server.post('/trades/:no/notifications', (request) =>
    simulator.setNotifications(tradeNumber.parse(request.params).no, enabled.parse(body(request)).enabled),
  );
  server.post('/trades/:no/:action', (request) => {
    const { no, action } = actionNamed.parse(request.params);
    if (!isBuyerAction(action)) {
      throw new RangeError(
        `No action ${action}; there are ${Object.keys(buyerActions).join(', ')}, notify, notifications.`,
      );
    }
    return simulator.act(action, no, choice.parse(body(request)));
  });
  server.get('/notifications', (request) => simulator.notifications(notificationFilter.parse(request.query)));
  server.get('/requests', (request) => simulator.requests(requestFilter.parse(request.query)));

  server.get('/clock', () => clock());
  server.post('/clock', async (request) => {
    const { advance, speed } = clockChange.parse(body(request));
    if (speed !== undefined) simulator.clock.speed = speed;
    if (advance !== undefined) await simulator.advance(advance);
    return clock();
  });

  server.get('/settings', () => simulator.settings);
  server.post('/settings', (request) => simulator.configure(settingsChange.parse(body(request))));

  server.get('/faults', () => simulator.faults());
  server.post('/faults', (request) => simulator.addFault(faultSchema.parse(body(request))));
  server.delete('/faults', () => {
    simulator.clearFaults();
    return simulator.faults();
  });
  done();

  function clock() {
    return { now: new Date(simulator.clock.now()).toISOString(), speed: simulator.clock.speed };
  }
}

function body(request: FastifyRequest): unknown {
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  return bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString('utf8'));
}

function explain(error: unknown): { status: number; sentence: string } {
  if (error instanceof z.ZodError) return { status: 400, sentence: z.prettifyError(error) };
  if (!(error instanceof Error)) return { status: 500, sentence: 'Something unknown went wrong.' };
  const status =
    error instanceof UnknownTrade
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
