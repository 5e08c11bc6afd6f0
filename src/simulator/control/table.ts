import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { depositSchema } from '../accounts/accounts';
import { faultSchema, faultViewSchema } from '../faults/faults';
import { accountLedgerSchema, ledgerEntrySchema } from '../ledger';
import { attemptSchema, tradeStates } from '../records';
import { settingsSchema } from '../settings';
import type { Simulator } from '../simulator';
import { refundActionNames, refundActions, type TradeAction, tradeActionNames, tradeActions } from '../trades/steps';
import { accountView, filters, notificationView, refundView, requestView, tradeView } from '../views';

/** One request that the control API takes. `routes.ts` serves it and the OpenAPI document describes it. */
export interface Control {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/simulator`. `:no` names a trade, a refund or an account. */
  path: string;
  /** What it does, as a sentence. */
  does: string;
  query: z.ZodObject;
  body: z.ZodType;
  answer: z.ZodType;
  /** Reads a request and does what it asks for. Throws if the request, the number or the state is wrong. */
  handle: (simulator: Simulator, request: FastifyRequest) => unknown;
}

function control<Query extends z.ZodObject, Body extends z.ZodType>(
  method: Control['method'],
  path: string,
  does: string,
  { query, body, answer }: { query: Query; body: Body; answer: z.ZodType },
  run: (simulator: Simulator, asked: { no: string; query: z.output<Query>; body: z.output<Body> }) => unknown,
): Control {
  const handle: Control['handle'] = (simulator, request) =>
    run(simulator, {
      no: numbered.parse(request.params).no,
      query: query.parse(request.query),
      body: body.parse(bodyOf(request)),
    });
  return { method, path, does, query, body, answer, handle };
}

const numbered = z.object({ no: z.string().default('') });
// An unknown parameter does no harm. A body where none belongs is a mistake.
const plain = { query: z.object({}), body: z.strictObject({}) };
const shows = (answer: z.ZodType) => ({ ...plain, answer });
const lists = <Query extends z.ZodObject>(item: z.ZodType, query: Query) => ({
  ...plain,
  query,
  answer: z.array(item),
});
const takes = <Body extends z.ZodType>(body: Body, answer: z.ZodType) => ({ ...plain, body, answer });

const text = z.string().optional();
const methodChoice = z.strictObject({ method: text.describe('The method, if the checkout left it to the buyer.') });
const choiceFor = (action: TradeAction) =>
  tradeActions[action].by === 'buyer' ? methodChoice : methodChoice.omit({ method: true });
const switched = z.strictObject({ enabled: z.boolean() });
const forgery = z.strictObject({ trade_status: z.enum(tradeStates).optional().describe('Default SUCCESS.') });
const clockChange = z.strictObject({
  advance: z
    .union([z.number().min(0), z.string()])
    .optional()
    .describe('Milliseconds, or a span such as 90s, 30m, 2h or 3d.'),
  speed: z.number().min(0).optional().describe('Simulated seconds per real second; 0 stops the clock.'),
});
const clockReading = z.object({ now: z.iso.datetime(), speed: z.number() });
const delivery = attemptSchema.omit({ at: true });
const faultList = z.array(faultViewSchema);

async function changeClock(simulator: Simulator, { advance, speed }: z.output<typeof clockChange>) {
  if (speed !== undefined) simulator.clock.speed = speed;
  if (advance !== undefined) await simulator.advance(advance);
  return readClock(simulator);
}

// biome-ignore format: a table, read by columns
/** The control API: what a test does in place of buyers, banks, time and failures. */
export const controls: readonly Control[] = [
  control('GET',    '/trades',                   'Lists trades, oldest first.', lists(tradeView, filters.trades), (on, { query }) => on.trades(query)),
  control('GET',    '/trades/:no',               'Shows one trade.', shows(tradeView), (on, { no }) => on.trade(no)),
  ...tradeActionNames.map((action) =>
    control('POST', `/trades/:no/${action}`,     tradeActions[action].does, takes(choiceFor(action), tradeView), (on, { no, body }) => on.act(no, action, body))),
  control('POST',   '/trades/:no/notify',        'The dashboard’s callback button: one notification of the present state, now.', shows(notificationView), (on, { no }) => on.notify(no)),
  control('POST',   '/trades/:no/notifications', 'Switches the notifications of this trade. The callback button still works.', takes(switched, tradeView), (on, { no, body }) => on.setNotifications(no, body.enabled)),
  control('POST',   '/trades/:no/forge',         'Sends a false state to the merchant, signed with another key, and shows the answer.', takes(forgery, delivery), (on, { no, body }) => on.forge(no, body.trade_status)),
  control('GET',    '/refunds',                  'Lists refunds, oldest first.', lists(refundView, filters.refunds), (on, { query }) => on.refunds(query)),
  control('GET',    '/refunds/:no',              'Shows one refund.', shows(refundView), (on, { no }) => on.refund(no)),
  ...refundActionNames.map((action) =>
    control('POST', `/refunds/:no/${action}`,    refundActions[action].does, shows(refundView), (on, { no }) => on.actOnRefund(no, action))),
  control('GET',    '/accounts',                 'Lists virtual accounts, oldest first.', lists(accountView, filters.accounts), (on, { query }) => on.accounts(query)),
  control('GET',    '/accounts/:no',             'Shows one virtual account.', shows(accountView), (on, { no }) => on.account(no)),
  control('GET',    '/accounts/:no/deposits',    'Shows the deposits into a virtual account.', shows(accountLedgerSchema), (on, { no }) => on.deposits(no)),
  control('POST',   '/accounts/:no/deposits',    'Money comes in: a trade that is SUCCESS, and its notification.', takes(depositSchema, tradeView), (on, { no, body }) => on.deposit(no, body)),
  control('POST',   '/accounts/:no/cancel',      'Cancels a virtual account without a request of the merchant.', shows(accountView), (on, { no }) => on.cancelAccount(no)),
  control('GET',    '/ledger',                   'The money of every order: trades, charges, refunds, exact sums.', lists(ledgerEntrySchema, filters.ledger), (on, { query }) => on.ledger(query)),
  control('GET',    '/notifications',            'Lists notifications with all their attempts, oldest first.', lists(notificationView, filters.notifications), (on, { query }) => on.notifications(query)),
  control('GET',    '/requests',                 'Lists the requests that this process received for the operations, oldest first.', lists(requestView, filters.requests), (on, { query }) => on.requests(query)),
  control('GET',    '/clock',                    'Reads the clock.', shows(clockReading), readClock),
  control('POST',   '/clock',                    'Moves the clock or sets its speed. Answers when all that became due is done.', takes(clockChange, clockReading), (on, { body }) => changeClock(on, body)),
  control('GET',    '/settings',                 'Shows the settings in force.', shows(settingsSchema), (on) => on.settings),
  control('POST',   '/settings',                 'Changes the settings that are named.', takes(settingsSchema.partial(), settingsSchema), (on, { body }) => on.configure(body)),
  control('GET',    '/faults',                   'Lists the faults that are set.', shows(faultList), (on) => on.faults()),
  control('POST',   '/faults',                   'Sets a fault.', takes(faultSchema, faultViewSchema), (on, { body }) => on.addFault(body)),
  control('DELETE', '/faults',                   'Removes all faults.', shows(faultList), (on) => on.clearFaults()),
];

function readClock({ clock }: Simulator): z.output<typeof clockReading> {
  return { now: new Date(clock.now()).toISOString(), speed: clock.speed };
}

function bodyOf(request: FastifyRequest): unknown {
  const text = String(request.body ?? '');
  return text === '' ? {} : JSON.parse(text);
}
