/** What merchants and operators ask of an after-sale, and what they are answered. Pure. */
import type { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleResolution,
  type AfterSaleState,
  type Attention,
  FAILURE,
  outcomeOf,
  type RefundAnswer,
  type RefundOrder,
  type RefundOutcome,
  type RefundState,
  takesMoneyBack,
  typedFailure,
} from '../../contract';
import { amountProblem, isMore, less } from '../../gateway/pure/money';
import { notNow, type RefundFailure } from '../order/refusals';
import { assertResolution, invalidRequest } from '../shared/resolution';
import type { AfterSaleRecord } from './record';
import type { PaidTrade } from './refund-ledger';

const OUTCOMES: readonly RefundOutcome[] = ['REFUNDED', 'REFUND_REFUSED', 'REFUND_REVOKE', 'NOT_CREATED'];

/** A refund is of the order that it is asked of. An id in its body could send it to another trade, in no ledger. */
const IDS_OF_A_TRADE = ['trade_no', 'out_trade_no'] as const;
const NAMES_NO_TRADE = 'not allowed: the refund is of the order that it is asked of';

/** Throws `InvalidRequest` where the request of a refund breaks a rule. */
export function assertRefundOrder(order: RefundOrder): void {
  const { refund_amount, refund_currency, out_request_no } = order ?? {};
  const amount = typeof refund_amount === 'string' ? amountProblem(refund_amount) : 'required, as text';
  const issues = [
    ...(amount === undefined ? [] : [{ field: 'refund_amount', rule: amount }]),
    ...(typeof refund_currency === 'string' ? [] : [{ field: 'refund_currency', rule: 'required' }]),
    ...(isRefundNumber(out_request_no) ? [] : [{ field: 'out_request_no', rule: 'text of at most 16 characters' }]),
    ...IDS_OF_A_TRADE.filter((field) => order?.[field] !== undefined).map((field) => ({ field, rule: NAMES_NO_TRADE })),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

const isRefundNumber = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '' && [...value].length <= 16);

/** Grants a refund, or finds the one that the same request made earlier. Throws why there is none. */
export function grantRefund(record: AfterSaleRecord, state: AfterSaleState, order: RefundOrder): RefundState {
  const { paid } = record;
  if (!paid) throw notPaid(state);
  if (order.refund_currency.toUpperCase() !== paid.order_currency.toUpperCase()) {
    throw invalidRequest([{ field: 'refund_currency', rule: `must be the order’s, ${paid.order_currency}` }]);
  }
  const known = record.ledger.find(order.out_request_no ?? '');
  const claim = state.claims.find(({ trade_status = '' }) => takesMoneyBack(trade_status));
  const claimed = claim && takenByTheBank(claim.trade_status ?? '');
  const obstacle = known ? undefined : (claimed ?? notConfirmed(record));
  if (obstacle) throw typedFailure(obstacle.type, obstacle.message, obstacle.details);
  const decision = record.ledger.request(order, paid, Date.now());
  if ('refund' in decision && decision.is !== 'spent') return decision.refund;
  throw refusalOf(decision, order, paid, state.trade_status);
}

/** The gateway has shown nothing that was paid. */
function notPaid({ trade_status }: AfterSaleState): ApplicationFailure {
  if (trade_status === null || outcomeOf(trade_status) === 'SUCCESS') return notTaken();
  const { type, message, details } = notNow(trade_status);
  return typedFailure(type, message, details);
}

/** Why a refund that was granted may not be sent now; undefined where nothing is in the way. */
export function obstacleTo(record: AfterSaleRecord, entry: RefundState): RefundFailure | undefined {
  const { ledger, paid } = record;
  if (!ledger.sums.ledger_complete) return NOT_KNOWN_WHAT_IS_LEFT;
  const said = record.bank.saidLately(Date.now());
  if (said !== null) return takenByTheBank(said);
  if (paid && isMore(entry.refund_amount, ledger.leftFor(entry, paid))) return NOT_LEFT;
  return notConfirmed(record);
}

/** The failure of a refund that was granted before a person named what went back elsewhere. */
const NOT_LEFT = {
  type: FAILURE.notRefunded,
  message:
    'Since this refund was asked for, so much has gone back by others that it is more than what is left. Nothing was sent. Read the state, and ask for what is left.',
  details: {},
};

/** The failure of a refund of a trade that has refunds which are not in our ledger. */
const NOT_KNOWN_WHAT_IS_LEFT = {
  type: FAILURE.notRefunded,
  message:
    'There are refunds of this trade that we do not know, so nobody knows what is left. Nothing was sent. Look in the gateway’s dashboard what went back by them, and send `resolve` with `refunded_elsewhere`.',
  details: { ledger_complete: false },
};

type Refused = Exclude<
  ReturnType<AfterSaleRecord['ledger']['request']>,
  { is: 'granted' | 'known'; refund: RefundState }
>;

function refusalOf(
  decision: Refused,
  { refund_amount }: RefundOrder,
  { order_amount, order_currency }: PaidTrade,
  trade_status: string | null,
): ApplicationFailure {
  switch (decision.is) {
    case 'over-refund':
      return typedFailure(
        FAILURE.overRefund,
        `${refund_amount} is more than the ${decision.left} that is left of ${order_amount} ${order_currency}. Nothing was sent.`,
        { left: decision.left },
      );
    case 'different':
      return typedFailure(
        FAILURE.differentRequest,
        `Another refund was requested under this number, or without a number: ${decision.fields.join(', ')} differ. Use a new out_request_no.`,
        { fields: decision.fields },
      );
    case 'spent':
      return spent(decision.refund);
    case 'incomplete': {
      const { type, message, details } = NOT_KNOWN_WHAT_IS_LEFT;
      return typedFailure(type, message, { trade_status, ...details });
    }
  }
}

function spent({ out_request_no, outcome }: RefundState): ApplicationFailure {
  const what = outcome === 'REFUND_REFUSED' ? 'was refused' : 'was revoked';
  return typedFailure(
    FAILURE.notRefunded,
    `Refund ${out_request_no} ${what}, and the buyer has no money of it. Nothing was sent now. To try again, mend the request where needed and give it a new out_request_no.`,
    { out_request_no, outcome },
  );
}

/** Lately, so that a copy of the gateway may not show it yet. */
function takenByTheBank(trade_status: string): RefundFailure {
  const message = `The gateway said a moment ago that the trade is ${trade_status}. Nothing was sent. Ask again once that is settled.`;
  return { type: FAILURE.notRefunded, message, details: { trade_status } };
}

/** The bank may have taken the money back all the same: copies of a gateway can be behind for long. */
function notConfirmed({ isUnconfirmed, tradeStatus: trade_status }: AfterSaleRecord): RefundFailure | undefined {
  if (!isUnconfirmed) return undefined;
  const message =
    'A notification of this trade says what the gateway does not confirm, and nobody has looked yet. Nothing was sent. Look at the trade in the gateway’s dashboard, send `resolve`, and ask again.';
  return { type: FAILURE.notRefunded, message, details: { trade_status } };
}

/** The answer to a request whose refund has one, or has ended. Throws why there is none. */
export function answerTo(entry: RefundState, { trade_no, out_trade_no }: AfterSaleState): RefundAnswer {
  const { out_request_no, refund_amount, refund_currency, outcome } = entry;
  if (entry.answer) return entry.answer;
  if (entry.failure) throw typedFailure(entry.failure.type, entry.failure.message, entry.failure.details);
  if (outcome === 'NOT_CREATED') throw resolvedAsNotCreated(entry);
  if (outcome === null)
    throw pending(entry.started_at ? 'the gateway has not settled it' : 'another refund of this trade comes first');
  const ids = { trade_no, out_trade_no, out_request_no };
  // It ended without the gateway's own answer: by a person, or by a query.
  return { ...ids, refund_amount, refund_currency, refund_status: outcome, recovered: true };
}

function resolvedAsNotCreated({ resolved }: RefundState): ApplicationFailure {
  const message = `There is no refund. ${resolved?.by ?? 'Somebody'} decided so: ${resolved?.reason ?? 'no reason given'}`;
  return typedFailure(FAILURE.notRefunded, message, { resolved });
}

/** Nobody has the request: unlike one that is pending, it does not go on by itself. */
export function notTaken(): ApplicationFailure {
  const message =
    'The gateway has not said yet what was paid, so the refund was not taken: nothing was sent, and nothing goes on. Ask again with the same request.';
  return typedFailure(FAILURE.notAnswered, message);
}

/** A number that was mistyped. Of an order that was made elsewhere a moment ago, the gateway may not know yet. */
export const orderNotFound = (out_trade_no: string | null) =>
  typedFailure(
    FAILURE.notFound,
    `Nobody knows order ${out_trade_no}: Temporal has no payment of it, and the gateway says that it has no such order. Nothing was refunded. Check the number.`,
    {},
  );

export const closing = () =>
  typedFailure(FAILURE.closing, 'Nothing was done: the after-sale is just ending. Ask again.', {});

/** Asked on and on, a run would have no room for the person whose decision is waited for. */
export const askedTooOften = () =>
  typedFailure(
    FAILURE.notAnswered,
    'This request was not taken, and nothing was sent: too many have come to this run. A refund that was taken before goes on: read the state for its end. Send `resolve` where the state has an attention, and ask again then.',
  );

function pending(why: string): ApplicationFailure {
  return typedFailure(
    FAILURE.refundPending,
    `The refund goes on by itself, but ${why}. Ask again with the same request.`,
    {},
  );
}

const AMOUNT_IS_MISSING =
  'required: all that went back by refunds that are not in the list, such as "100.00"; "0.00" where nothing did';

/** A person's decision about a refund that has gone on since the person looked. */
export const declinedDecision = () =>
  invalidRequest([
    {
      field: 'out_request_no',
      rule: 'this refund goes on, and may have been sent since you looked: read the state again. Where its workflow cannot go on, terminate that first',
    },
  ]);

/** A decision that pays nothing, about a refund whose workflow was ended a moment ago. */
export const onItsWay = () =>
  invalidRequest([
    {
      field: 'outcome',
      rule: 'the workflow of this refund has just ended, and its request may still be on its way: look in the dashboard again, and decide in two minutes',
    },
  ]);

/** Throws `InvalidRequest` where a person's decision breaks a rule of its form. */
export function assertAfterSaleResolution(resolution: AfterSaleResolution): void {
  const { outcome, out_request_no, refunded_elsewhere: elsewhere } = resolution ?? {};
  const isAmount =
    elsewhere === undefined || (typeof elsewhere === 'string' && /^\d{1,14}(\.\d{1,8})?$/.test(elsewhere));
  assertResolution(resolution, [
    ...(outcome === undefined || OUTCOMES.includes(outcome)
      ? []
      : [{ field: 'outcome', rule: `one of ${OUTCOMES.join(', ')}` }]),
    ...(outcome === undefined || typeof out_request_no === 'string'
      ? []
      : [{ field: 'out_request_no', rule: 'required with an outcome: the refund that was looked at' }]),
    ...(isAmount ? [] : [{ field: 'refunded_elsewhere', rule: 'an amount such as "100.00"' }]),
  ]);
}

/**
 * The refund that a decision is about; undefined where it names none. `shown` is the attention that people read. Throws
 * `InvalidRequest` where that refund waits for none, and where the decision lacks the one thing that is asked for.
 */
export function decidedRefund(
  record: AfterSaleRecord,
  { outcome, out_request_no = '', refunded_elsewhere }: AfterSaleResolution,
  shown: Attention | null,
): RefundState | undefined {
  if (refunded_elsewhere !== undefined) assertMayHaveGone(record, refunded_elsewhere);
  if (outcome === undefined) {
    if (refunded_elsewhere === undefined && shown === 'refund-elsewhere')
      throw invalidRequest([{ field: 'refunded_elsewhere', rule: AMOUNT_IS_MISSING }]);
    return undefined;
  }
  const entry = record.ledger.find(out_request_no);
  if (entry?.attention) return entry;
  throw invalidRequest([
    { field: 'out_request_no', rule: 'no refund under this number waits for a person’s decision' },
  ]);
}

/** Throws `InvalidRequest` where a person names more as gone back elsewhere than can have gone: nothing could be refunded after it. */
function assertMayHaveGone({ ledger, paid }: AfterSaleRecord, amount: string): void {
  const most = paid ? ledger.mostElsewhere(paid) : '0.00';
  if (!isMore(amount, most)) return;
  const why = paid
    ? `${paid.order_amount} ${paid.order_currency} was paid, and ${less(paid.order_amount, most)} of it certainly went back by refunds in the list`
    : 'the gateway has not shown yet what was paid: send “recheck”, and say it then';
  throw invalidRequest([{ field: 'refunded_elsewhere', rule: `at most ${most}: ${why}` }]);
}
