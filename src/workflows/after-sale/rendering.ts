/** What an after-sale shows: its public state, its search attributes and its page. Rendering changes nothing. Pure. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  type AfterSaleState,
  type Attention,
  type EventPayment,
  eventPayment,
  type GoneMoney,
  goesBackWhole,
  type KnownOrder,
  type LedgerRefund,
  mismatchLine,
  NOTHING_SAID,
  nameDigests,
  type PaymentState,
  type RefundAnswer,
  type RefundState,
  refundInQuestion,
  refundProgress,
  refundSums,
  SEARCH_ATTRIBUTE,
  type Transition,
  timeText,
} from '../../contract';
import { isMore, sumOf } from '../../gateway/pure/money';
import { iso } from '../../gateway/pure/timestamps';
import { shownTrades } from '../shared/noted-trades';
import { type AttentionSubject, tradeAttributes } from '../shared/visibility';
import { decidedLines, shownWait, takenLines } from '../shared/wait';
import { attentionOf } from './attention';
import {
  attentionOfRefund,
  hasPaidNothing,
  isComplete,
  outcomeOfRefund,
  ownTransitions,
  transitionsOf,
} from './ledger';
import { paymentNow } from './payment-end';

/**
 * The public state. `watched_until`: ms since the epoch; 0: it is not watched. `dispute_ms`: how long a dispute may wait for its answer;
 * null while the settings are not read.
 */
export function stateOf(
  order: KnownOrder,
  app_id: string,
  watched_until: number,
  dispute_ms: number | null = null,
): AfterSaleState {
  const ofTrade = (trade: KnownOrder) => trade.refunds.map((one) => refundState(trade, one));
  const own = ofTrade(order);
  const ofEarlier = order.earlier.flatMap((trade) => ofTrade({ ...order, ...trade }));
  const sum = (isCounted: (one: RefundState) => boolean) =>
    sumOf(own.filter(isCounted).map(({ refund_amount }) => refund_amount));
  const isDecided = ({ outcome, attention }: RefundState) => outcome !== null && attention === null;
  const isGone = (one: RefundState) => isDecided(one) && (one.outcome === 'REFUNDED' || one.outcome === 'ACCEPTED');
  const attention = attentionOf(order);
  const money = {
    trade_status: order.seen?.status ?? null,
    order_amount: order.paid?.amount ?? null,
    order_currency: order.paid?.currency ?? null,
    refunded_amount: sum(isGone),
    refunding_amount: sum((one) => !isDecided(one)),
    refunded_elsewhere: order.elsewhere,
  };
  return {
    app_id,
    payment: paymentNow(order, { attention, ...goingBack(money) }),
    out_trade_no: order.out_trade_no,
    trade_no: order.trade_no,
    ...money,
    method: order.method,
    attention,
    ...shownWait(attention === null ? null : order.wait),
    refunds: [...ofEarlier, ...own].toSorted(byRequest),
    ledger_complete: isComplete(order),
    other_trades: shownTrades(order.others),
    claims: order.held.map(({ claim }) => claim),
    bank_said: order.bank && { trade_status: order.bank.status, time: iso(order.bank.at) },
    answer_by: dispute_ms === null ? null : answerBy(order.wait, dispute_ms),
    watched_until: watched_until > 0 ? iso(watched_until) : null,
    history: transitionsOf(order),
  };
}

/** What the payment's state says of its money, as each language reads it to know what is sold. */
const goingBack = (sale: GoneMoney): Pick<PaymentState, 'all_goes_back'> =>
  goesBackWhole(sale) ? { all_goes_back: true } : {};

/** The state without what is said of refunds that were refused, revoked or not made. */
export function withoutRefusals(state: AfterSaleState): AfterSaleState {
  const shown = (one: RefundState) => (hasPaidNothing(one) ? { ...one, ...NOTHING_SAID_OF_IT } : one);
  return { ...state, refunds: state.refunds.map(shown) };
}

const NOTHING_SAID_OF_IT = { outcome: null, refund_status: null, failure: null, resolved: null } as const;

/**
 * The transitions to publish: those of the order's own trade, and not of the trades before it. What the payment had seen until its end, the
 * payment has published.
 */
export function transitionsToTell(order: KnownOrder): Transition[] {
  const { payment, following } = order;
  if (payment === null) return following ? [] : ownTransitions(order);
  const { history, trade_status, outcome } = payment.state;
  // A payment run that repeats an earlier run's end has no history: the earlier run has told it.
  const told = [...history.map(({ to }) => to), trade_status, outcome];
  // No payment tells of a sum that a person has named.
  const isTold = ({ time, to, refunded_elsewhere }: Transition) =>
    refunded_elsewhere === undefined && Date.parse(time) <= payment.ended_at && told.includes(to);
  return ownTransitions(order).filter((one) => !isTold(one));
}

/** A dispute is shown before any other reason, so the wait began when it was heard. */
const answerBy = (wait: KnownOrder['wait'], dispute_ms: number): string | null =>
  wait?.attention === 'dispute' ? iso(wait.since + dispute_ms) : null;

function refundState(order: KnownOrder, refund: LedgerRefund): RefundState {
  const { number, amount, currency, begun, decided, named, answer } = refund;
  const outcome = outcomeOfRefund(refund);
  const begun_at = begun === null ? null : iso(begun.at);
  const said = answer?.refund_status;
  return {
    out_request_no: number,
    trade_no: begun === null ? null : order.trade_no,
    attempt: refund.attempt,
    refund_amount: amount,
    refund_currency: currency,
    partial: order.paid !== null && isMore(order.paid.amount, amount),
    refund_status: named ?? (typeof said === 'string' ? said : null),
    outcome,
    confirmed_by: refund.confirmed_by,
    attention: attentionOfRefund(refund),
    requested_at: iso(refund.requested_at),
    started_at: begun_at,
    sent_at: begun_at,
    answer: answer ?? recoveredAnswer(order, refund),
    failure: refund.failure,
    // What the gateway has said since is no person's decision.
    resolved: refund.confirmed_by === 'operator' && decided ? { by: decided.by, reason: decided.reason } : null,
  };
}

/** The gateway's own answer was lost, but it is known that the gateway has the refund: callers get this answer. */
function recoveredAnswer(order: KnownOrder, refund: LedgerRefund): RefundAnswer | null {
  const outcome = outcomeOfRefund(refund);
  if (refund.asked !== null || (outcome !== 'REFUNDED' && outcome !== 'ACCEPTED')) return null;
  const { number: out_request_no, amount: refund_amount, currency: refund_currency } = refund;
  const ids = { trade_no: order.trade_no, out_trade_no: order.out_trade_no, out_request_no };
  return { ...ids, refund_amount, refund_currency, refund_status: outcome, recovered: true };
}

/** The payment as it is now. An unknown payment counts as paid if the gateway has shown the trade paid. */
export function eventPaymentOf(state: AfterSaleState, { following }: KnownOrder): EventPayment {
  if (state.payment) return eventPayment(state.payment);
  const { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method } = state;
  const { attention, attention_since, taken } = state;
  const trade = { app_id, out_trade_no, trade_no, trade_status, order_amount, order_currency, method };
  return {
    ...trade,
    // A running payment tells its own end: another amount is no sale, and the trade may be another order's.
    ...(order_amount === null || following
      ? { outcome: null, confirmed_by: null }
      : { outcome: 'SUCCESS', confirmed_by: 'query' }),
    ...{ attention, attention_since, taken },
    expires_at: null,
    previous: null,
    refused_because: null,
    other_trades: [],
    ...goingBack(state),
  };
}

export function afterSaleAttributes(state: AfterSaleState): SearchAttributeUpdatePair[] {
  const { payment, refunds, trade_status } = state;
  const outcome = payment?.outcome ?? null;
  const names = nameDigests(refunds.map(({ out_request_no }) => ['refund', out_request_no] as const));
  const expiresAt = state.answer_by === null ? null : new Date(state.answer_by);
  return [
    ...tradeAttributes(state, { status: trade_status ?? outcome ?? NOTHING_SAID, outcome, names }),
    { key: SEARCH_ATTRIBUTE.expiresAt, value: expiresAt },
  ];
}

/** The refunds as a list in Markdown, for Temporal UI. */
export function afterSaleDetails(state: AfterSaleState, reasons: readonly Attention[], waitingFor: string): string[] {
  const others = reasons.filter((one) => one !== state.attention);
  const { trade_status, order_amount, order_currency, payment } = state;
  return [
    order_amount === null && payment !== null
      ? `**${payment.outcome ?? 'No order'}** · the gateway says ${trade_status ?? 'nothing of it'}`
      : `**${trade_status ?? '?'}** · ${[`${order_amount ?? '?'} ${order_currency ?? ''} paid`, ...refundSums(state)].join(', ')}`,
    ...takenLines(state.taken),
    ...decidedLines(state.history.findLast(({ by }) => by !== undefined)),
    ...(payment?.confirmed_by === 'operator'
      ? [
          `To decide otherwise, say what stands: \`"although": "${payment.outcome}"\`, or \`--although ${payment.outcome}\`.`,
        ]
      : []),
    ...(state.answer_by === null
      ? []
      : [`Answer it by **${timeText(state.answer_by)}**, with your evidence, in the gateway’s dashboard.`]),
    ...state.other_trades.map(
      (one) => `Another trade under the number: ${one.trade_no}, ${one.trade_status ?? 'not seen yet'}`,
    ),
    ...state.refunds.map((one) => `- ${refundLine(one)}`),
    ...(isMore(state.refunded_elsewhere, '0') ? [`${state.refunded_elsewhere} went back by other refunds.`] : []),
    ...(state.ledger_complete ? [] : ['There are refunds that are not in this list: none is granted meanwhile.']),
    ...state.claims.map(
      (claim) =>
        `A notification says ${claim.trade_status ?? 'no status'}. ${trade_status === null ? 'The gateway is asked.' : `The gateway has answered ${trade_status} last, and is asked again.`}`,
    ),
    ...(others.length > 0 ? [`It needs a person for more: ${others.join(', ')}.`] : []),
    `Waiting for: ${waitingFor}`,
  ];
}

/** What the after-sale's attention is about. */
export const afterSaleSubject = (state: AfterSaleState): AttentionSubject => ({
  out_request_no: refundInQuestion(state),
  amounts: state.attention === 'amount-mismatch' && state.payment ? mismatchLine(state.payment) : undefined,
  all_goes_back: goesBackWhole(state),
});

function refundLine(refund: RefundState): string {
  const { out_request_no, refund_amount, refund_currency } = refund;
  return `${out_request_no}: ${refund_amount} ${refund_currency}, ${refundProgress(refund)}`;
}

const byRequest = (one: RefundState, other: RefundState) =>
  Date.parse(one.requested_at) - Date.parse(other.requested_at);
