import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { faultSchema } from '../faults/faults';
import { settingsSchema } from '../options';
import { refundStatuses } from '../refunds/refund';
import { isRefundAction, refundActions } from '../refunds/refunds';
import type { Simulator } from '../simulator';
import { IllegalAction, UnknownAccount, UnknownRefund, UnknownTrade } from '../trades/errors';
import { bankActions, buyerActions, isBankAction, isBuyerAction, tradeStatuses } from '../trades/states';
import { transferAccountSchema } from '../trades/trade';
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
const numbered = z.object({ no: z.string() });
const actionNamed = z.object({ no: z.string(), action: z.string() });
const choice = z.strictObject({ method: text });
const enabled = z.strictObject({ enabled: z.boolean() });
const nothing = z.strictObject({});
const refundFilter = z.strictObject({
  app_id: text,
  out_trade_no: text,
  trade_no: text,
  out_request_no: text,
  refund_status: z.enum(refundStatuses).optional(),
});
const accountFilter = z.strictObject({
  app_id: text,
  buyer_id: text,
  status: z.enum(['ACTIVE', 'CANCELED']).optional(),
});
const deposit = z.strictObject({
  amount: z.string(),
  notify: z.boolean().optional(),
  says: transferAccountSchema.partial().optional(),
});
const ledgerFilter = z.strictObject({ app_id: text, out_trade_no: text });
const lie = z.strictObject({ trade_status: z.enum(tradeStatuses).optional() });
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
 * | `POST trades/:no/dispute`, `chargeback`, `reverse-chargeback`, `force-refund` | a bank's action, likewise |
 * | `GET refunds?out_request_no=&trade_no=`, `GET refunds/:no` | refunds; `no` is a `refund_id`, an `out_request_no`, or a trade's number (its latest) |
 * | `POST refunds/:no/confirm`, `approve`, `refuse`, `revoke` | acts on a refund; 409 likewise |
 * | `GET accounts?buyer_id=&status=`, `GET accounts/:no` | virtual accounts; `no` is an `account_id` or an `account_number` |
 * | `POST accounts/:no/deposits` `{ amount, notify?, says? }`, `GET accounts/:no/deposits` | money comes in; what came in |
 * | `POST accounts/:no/cancel` | cancels an account behind the merchant's back |
 * | `GET ledger?out_trade_no=` | charges and refunds of every order |
 * | `POST trades/:no/forge` `{ trade_status? }` | sends a lie that another key signed |
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
  server.get('/trades/:no', (request) => simulator.trade(numbered.parse(request.params).no));
  server.post('/trades/:no/notify', (request) => {
    nothing.parse(body(request));
    return simulator.notify(numbered.parse(request.params).no);
  });
  server.post('/trades/:no/notifications', (request) =>
    simulator.setNotifications(numbered.parse(request.params).no, enabled.parse(body(request)).enabled),
  );
  server.post('/trades/:no/forge', (request) =>
    simulator.forge(numbered.parse(request.params).no, lie.parse(body(request)).trade_status),
  );
  server.post('/trades/:no/:action', (request) => {
    const { no, action } = actionNamed.parse(request.params);
    if (isBuyerAction(action)) return simulator.act(action, no, choice.parse(body(request)));
    if (!isBankAction(action)) {
      const known = [...Object.keys(buyerActions), ...Object.keys(bankActions), 'forge', 'notify', 'notifications'];
      throw new RangeError(`No action ${action}; there are ${known.join(', ')}.`);
    }
    nothing.parse(body(request));
    return simulator.bankAct(action, no);
  });

  server.get('/refunds', (request) => simulator.refunds(refundFilter.parse(request.query)));
  server.get('/refunds/:no', (request) => simulator.refund(numbered.parse(request.params).no));
  server.post('/refunds/:no/:action', (request) => {
    const { no, action } = actionNamed.parse(request.params);
    nothing.parse(body(request));
    if (!isRefundAction(action)) {
      throw new RangeError(`No action ${action}; there are ${refundActions.join(', ')}.`);
    }
    return simulator.refundAct(action, no);
  });

  server.get('/accounts', (request) => simulator.accounts(accountFilter.parse(request.query)));
  server.get('/accounts/:no', (request) => simulator.account(numbered.parse(request.params).no));
  server.get('/accounts/:no/deposits', (request) => simulator.deposits(numbered.parse(request.params).no));
  server.post('/accounts/:no/deposits', (request) =>
    simulator.deposit(numbered.parse(request.params).no, deposit.parse(body(request))),
  );
  server.post('/accounts/:no/cancel', (request) => {
    nothing.parse(body(request));
    return simulator.cancelAccount(numbered.parse(request.params).no);
  });
  server.get('/ledger', (request) => simulator.ledger(ledgerFilter.parse(request.query)));

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
