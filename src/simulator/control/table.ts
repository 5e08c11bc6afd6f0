import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { faultSchema, faultViewSchema } from '../faults/faults';
import { depositLedgerSchema, ledgerEntrySchema } from '../ledger';
import { attemptSchema } from '../notifications/notification';
import { settingsSchema } from '../options';
import { refundStatuses } from '../refunds/refund';
import { type RefundAction, refundActions } from '../refunds/refunds';
import type { Simulator } from '../simulator';
import {
  type BankAction,
  type BuyerAction,
  bankActions,
  buyerActions,
  isBankAction,
  isBuyerAction,
  tradeStatuses,
} from '../trades/states';
import { transferAccountSchema } from '../trades/trade';
import {
  accountViewSchema,
  notificationViewSchema,
  refundViewSchema,
  requestViewSchema,
  tradeViewSchema,
} from './views';

/** One request that the control API takes: `routes.ts` serves it, the OpenAPI document describes it. */
export interface Control {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/simulator`; `:no` names a trade, a refund or an account. */
  path: string;
  /** What it does, as a sentence. */
  does: string;
  /** Schemas of the parameters, of the JSON body, and of the answer. */
  query: z.ZodObject;
  body: z.ZodType;
  answer: z.ZodType;
  /** Reads a request and does what it asks for. Throws where the request, the number or the state is wrong. */
  handle: (simulator: Simulator, request: FastifyRequest) => unknown;
}

interface Shapes<Query, Body> {
  query: Query;
  body: Body;
  answer: z.ZodType;
}

function control<Query extends z.ZodObject, Body extends z.ZodType>(
  method: Control['method'],
  path: string,
  does: string,
  { query, body, answer }: Shapes<Query, Body>,
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
/** Parameters of no meaning are no mistake; a body where none is wanted is. */
const plain = { query: z.object({}), body: z.strictObject({}) };

const text = z.string().optional();
const tradeFilter = z.strictObject({
  app_id: text,
  out_trade_no: text,
  trade_no: text,
  trade_status: z.enum(tradeStatuses).optional(),
});
const notificationFilter = z.strictObject({ app_id: text, out_trade_no: text, trade_no: text });
const requestFilter = z.strictObject({ app_id: text, out_trade_no: text, trade_no: text, path: text });
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
const ledgerFilter = z.strictObject({ app_id: text, out_trade_no: text });

const choice = z.strictObject({ method: text.describe('The method of a checkout that left it to the buyer.') });
const enabled = z.strictObject({ enabled: z.boolean() });
const lie = z.strictObject({ trade_status: z.enum(tradeStatuses).optional().describe('SUCCESS if left out.') });
const deposit = z.strictObject({
  amount: z.string().describe('An exact decimal with at most two decimals.'),
  notify: z.boolean().optional().describe('false: this deposit is never notified of its own accord.'),
  says: transferAccountSchema.partial().optional().describe('What the notification says in place of the truth.'),
});
const clockChange = z.strictObject({
  advance: z
    .union([z.number().min(0), z.string()])
    .optional()
    .describe('Milliseconds, or a span such as 90s, 30m, 2h or 3d.'),
  speed: z.number().min(0).optional().describe('Simulated seconds per real second; 0 stands still.'),
});
const clockReading = z.object({ now: z.iso.datetime(), speed: z.number() });

const trade = { ...plain, answer: tradeViewSchema };
const refund = { ...plain, answer: refundViewSchema };
const account = { ...plain, answer: accountViewSchema };
const faults = { ...plain, answer: z.array(faultViewSchema) };

const buyersDoings: Readonly<Record<BuyerAction, string>> = {
  submit: 'The buyer submits: INITIAL becomes PROCESSING.',
  pay: 'The buyer pays, and submits before that where it was not yet.',
  refuse: 'The bank refuses the payment.',
  cancel: 'The buyer gives up.',
  risk: 'Risk control takes the payment for a look; cards only.',
};
const banksDoings: Readonly<Record<BankAction, string>> = {
  dispute: 'The buyer disputes a paid trade.',
  chargeback: 'The bank takes the money back.',
  'reverse-chargeback': 'A chargeback is reversed; soon after, the trade is SUCCESS again and nobody is told.',
  'force-refund': 'The bank gives all that is left back, unasked.',
};
const refundDoings: Readonly<Record<RefundAction, string>> = {
  confirm: 'The buyer names an account: REFUND_VERIFYING becomes REFUND_PROCESSING.',
  approve: 'The refund is done.',
  refuse: 'The bank refuses the refund.',
  revoke: 'The refund is canceled; soon after, the trade is SUCCESS again and nobody is told.',
};

/** The control API, what a test or a person does in the place of buyers, banks, time and trouble. */
export const controls: readonly Control[] = [
  control(
    'GET',
    '/trades',
    'Lists trades, oldest first.',
    { ...plain, query: tradeFilter, answer: z.array(tradeViewSchema) },
    (simulator, { query }) => simulator.trades(query),
  ),
  control('GET', '/trades/:no', 'Shows one trade.', trade, (simulator, { no }) => simulator.trade(no)),
  ...Object.keys(buyerActions)
    .filter(isBuyerAction)
    .map((action) =>
      control(
        'POST',
        `/trades/:no/${action}`,
        buyersDoings[action],
        { ...trade, body: choice },
        (simulator, { no, body }) => simulator.act(action, no, body),
      ),
    ),
  ...Object.keys(bankActions)
    .filter(isBankAction)
    .map((action) =>
      control('POST', `/trades/:no/${action}`, banksDoings[action], trade, (simulator, { no }) =>
        simulator.bankAct(action, no),
      ),
    ),
  control(
    'POST',
    '/trades/:no/notify',
    'The dashboard’s callback button: notifies the present state once, now.',
    { ...plain, answer: notificationViewSchema },
    (simulator, { no }) => simulator.notify(no),
  ),
  control(
    'POST',
    '/trades/:no/notifications',
    'Switches this trade’s own notifications off or on; the callback button still works.',
    { ...trade, body: enabled },
    (simulator, { no, body }) => simulator.setNotifications(no, body.enabled),
  ),
  control(
    'POST',
    '/trades/:no/forge',
    'Sends the merchant a lie about the state, signed with another key, and shows what came of it.',
    { ...plain, body: lie, answer: attemptSchema.omit({ at: true }) },
    (simulator, { no, body }) => simulator.forge(no, body.trade_status),
  ),

  control(
    'GET',
    '/refunds',
    'Lists refunds, oldest first.',
    { ...plain, query: refundFilter, answer: z.array(refundViewSchema) },
    (simulator, { query }) => simulator.refunds(query),
  ),
  control('GET', '/refunds/:no', 'Shows one refund.', refund, (simulator, { no }) => simulator.refund(no)),
  ...refundActions.map((action) =>
    control('POST', `/refunds/:no/${action}`, refundDoings[action], refund, (simulator, { no }) =>
      simulator.refundAct(action, no),
    ),
  ),

  control(
    'GET',
    '/accounts',
    'Lists virtual accounts, oldest first.',
    { ...plain, query: accountFilter, answer: z.array(accountViewSchema) },
    (simulator, { query }) => simulator.accounts(query),
  ),
  control('GET', '/accounts/:no', 'Shows one virtual account.', account, (simulator, { no }) => simulator.account(no)),
  control(
    'GET',
    '/accounts/:no/deposits',
    'Shows what came into a virtual account.',
    { ...plain, answer: depositLedgerSchema },
    (simulator, { no }) => simulator.deposits(no),
  ),
  control(
    'POST',
    '/accounts/:no/deposits',
    'Money comes in: a SUCCESS order, and its notification.',
    { ...trade, body: deposit },
    (simulator, { no, body }) => simulator.deposit(no, body),
  ),
  control(
    'POST',
    '/accounts/:no/cancel',
    'Cancels a virtual account behind the merchant’s back.',
    account,
    (simulator, { no }) => simulator.cancelAccount(no),
  ),

  control(
    'GET',
    '/ledger',
    'What became of every order in money: trades, charges, refunds, exact sums.',
    { ...plain, query: ledgerFilter, answer: z.array(ledgerEntrySchema) },
    (simulator, { query }) => simulator.ledger(query),
  ),
  control(
    'GET',
    '/notifications',
    'Lists notifications with all their attempts, oldest first.',
    { ...plain, query: notificationFilter, answer: z.array(notificationViewSchema) },
    (simulator, { query }) => simulator.notifications(query),
  ),
  control(
    'GET',
    '/requests',
    'Lists the requests that the operations received, oldest first; of this process only.',
    { ...plain, query: requestFilter, answer: z.array(requestViewSchema) },
    (simulator, { query }) => simulator.requests(query),
  ),

  control('GET', '/clock', 'Reads the clock.', { ...plain, answer: clockReading }, readClock),
  control(
    'POST',
    '/clock',
    'Moves or paces the clock; answers when all that came due is done.',
    { ...plain, body: clockChange, answer: clockReading },
    async (simulator, { body: { advance, speed } }) => {
      if (speed !== undefined) simulator.clock.speed = speed;
      if (advance !== undefined) await simulator.advance(advance);
      return readClock(simulator);
    },
  ),

  control('GET', '/settings', 'Shows the settings in force.', { ...plain, answer: settingsSchema }, (simulator) => {
    return simulator.settings;
  }),
  control(
    'POST',
    '/settings',
    'Changes the settings that are named, from now on.',
    { ...plain, body: settingsSchema.partial(), answer: settingsSchema },
    (simulator, { body }) => simulator.configure(body),
  ),

  control('GET', '/faults', 'Lists the faults that were set.', faults, (simulator) => simulator.faults()),
  control(
    'POST',
    '/faults',
    'Sets a fault to strike.',
    { ...plain, body: faultSchema, answer: faultViewSchema },
    (simulator, { body }) => simulator.addFault(body),
  ),
  control('DELETE', '/faults', 'Takes all faults away.', faults, (simulator) => {
    simulator.clearFaults();
    return simulator.faults();
  }),
];

function readClock({ clock }: Simulator): z.output<typeof clockReading> {
  return { now: new Date(clock.now()).toISOString(), speed: clock.speed };
}

function bodyOf(request: FastifyRequest): unknown {
  const bytes = request.body instanceof Uint8Array ? request.body : new Uint8Array();
  return bytes.length === 0 ? {} : JSON.parse(Buffer.from(bytes).toString('utf8'));
}
