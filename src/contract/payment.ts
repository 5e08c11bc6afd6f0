/** The shapes of a payment: plain JSON, amounts as decimal strings in currency units, times in ISO 8601 and UTC. */
import type { CurrencyCode, PaymentMethod, TradeStatusName } from '../gateway/pure/names';
import type { Attention, ShownWait } from './attention';
import type { GatewayResponse } from './gateway';
import type { NotificationSignal } from './notification';

/** An order: the body of `/trade/pay` or `/trade/create` without `app_id` and `timestamp`. */
export interface OrderRequest {
  readonly out_trade_no: string;
  readonly order_amount: string;
  readonly order_currency: string;
  readonly method?: string | undefined;
  readonly timeout_express?: string | undefined;
  readonly cancellation_express?: string | undefined;
  readonly [field: string]: unknown;
}

/** Starts a payment: `direct` is `/trade/pay`, `checkout` is `/trade/create`. */
export interface NewPayment {
  kind: 'direct' | 'checkout';
  app_id: string;
  request: OrderRequest;
  /**
   * Of a start with the reuse policy `REJECT_DUPLICATE`, which no earlier run precedes: a new UUID, which the argument of the update
   * `created` of the same update-with-start repeats; of a child workflow, the run id of its parent. A copy of this input proves
   * nothing: without either, earlier runs under the workflow id are read before the order is sent.
   */
  first_start_id?: string | undefined;
}

/** Adopts a trade that exists already: made elsewhere, or known by a notification. One of the ids suffices. */
export interface AdoptedPayment {
  kind: 'adopt';
  app_id: string;
  trade_no?: string | undefined;
  out_trade_no?: string | undefined;
  /** Of a child workflow that was started with the reuse policy `REJECT_DUPLICATE`: its parent's run id. No earlier run is read. */
  first_start_id?: string | undefined;
  /** Notifications that the run before had, and that none of its looks settled. */
  pending_notifications?: readonly NotificationSignal[] | undefined;
  /** The order that the run which gave way to this one may have made: a trade under the number may be that. */
  may_be?: Pick<NewPayment, 'kind' | 'request'> | undefined;
  /** Why the run that gave way to this one needed a person. */
  reasons?: readonly Attention[] | undefined;
}

/** What the gateway named where it was not what was ordered. */
export interface OtherAmount {
  /** In currency units. Null where it named none. */
  readonly amount: string | null;
  readonly currency: string | null;
}

export type PaymentInput = NewPayment | AdoptedPayment;

export const PAYMENT_OUTCOMES = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
export type Source = 'query' | 'notification' | 'operator';

/** One change of the trade's status, in the order in which we learned it. */
export interface Transition {
  /** ISO 8601, UTC. */
  time: string;
  from: string | null;
  to: string;
  source: 'creation' | Source | 'deadline';
  /** Who decided and why, where a person did. */
  by?: string;
  reason?: string;
  /** After a sale: all that the person named as gone back by refunds that are not in the list. The latest counts. */
  refunded_elsewhere?: string;
}

/** The whole public state of a payment: the query `state`, and what the workflow returns. */
export interface PaymentState extends ShownWait {
  app_id: string;
  out_trade_no: string | null;
  trade_no: string | null;
  /** The gateway's last answer; null before any. */
  trade_status: TradeStatusName | null;
  /** Decimal string in currency units. */
  order_amount: string | null;
  order_currency: CurrencyCode | null;
  method: PaymentMethod | null;
  outcome: PaymentOutcome | null;
  confirmed_by: Source | null;
  attention: Attention | null;
  /** ISO 8601, UTC: when the order expires by `timeout_express` or by its method's usual time. */
  expires_at: string | null;
  history: Transition[];
  /** The run that had ended before news of its trade started this one. */
  previous: { run_id: string; outcome: PaymentOutcome | null } | null;
  /** The gateway's answer to the creation, as the update `created` returns it. */
  payment_data: PaymentData | null;
  /** The gateway's reason, where the payment was refused. */
  refused_because: { code: string | null; sub_code: string | null } | null;
  /** Trades under the same number that are not this payment's, as an answer or a notification of the gateway showed them. */
  other_trades: OtherTrade[];
  /** The refund of money that came after the payment had ended otherwise; absent where none is to be made. */
  late_payment_refund?: LatePaymentRefund;
  /** What the gateway named last instead of what was ordered (`amount-mismatch`). */
  mismatch?: OtherAmount;
}

/** Another trade under the order's number. `trade_status` and the amount are null until the gateway has said them. */
export interface OtherTrade {
  trade_no: string;
  trade_status: string | null;
  order_amount: string | null;
}

/** Its further life is the after-sale's. */
export interface LatePaymentRefund {
  out_request_no: string;
  /** The gateway's answer to it; null before that, or where there is no refund. */
  refund_status: string | null;
  /** Why there is no refund, where there is none. */
  reason: string | null;
}

/** The creation's answer without `code` and `msg`. */
export interface PaymentData {
  readonly [field: string]: unknown;
  /** The creation's answer was lost, and a query found the trade: data of the method may be missing. */
  readonly recovered: boolean;
}

/** A person's decision. `by` says who. */
export interface PaymentResolution {
  /** Ends the payment. Without it, the reason that is shown is settled and the payment goes on, where looking settles it. */
  outcome?: PaymentOutcome | undefined;
  /** Why it needed a person, as that was shown: where it is another reason now, nothing is settled. */
  seen?: string | undefined;
  reason: string;
  by: string;
}

export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentState>;

/** One run of a workflow. */
export interface RunOfWorkflow {
  readonly workflow_id: string;
  readonly run_id: string;
}

// — The answer of the update `created` —

/** The payment data that the gateway's own answer to a creation makes. */
export const dataOfCreation = (answer: GatewayResponse): PaymentData => ({ ...answer, recovered: false });

/** The answer that the next run repeats: the payment data, the refusal, or the decision of the person who ended it without any. */
export function answerToKeep(state: PaymentState): PaymentData | null {
  const isAnswered = state.refused_because !== null || state.confirmed_by === 'operator';
  return isAnswered ? (creationAnswer(state) ?? null) : state.payment_data;
}

/**
 * The payment data; for a payment that ended without any, the person's word or its last status; undefined while the creation is
 * not decided.
 */
export function creationAnswer(state: PaymentState): PaymentData | undefined {
  if (state.payment_data !== null) return state.payment_data;
  if (state.outcome === null) return undefined;
  const { out_trade_no, trade_no, trade_status, outcome, confirmed_by, refused_because, mismatch } = state;
  // Nothing proves that a trade which was found meanwhile is of this order, or one that costs something else.
  if (confirmed_by === 'operator' || mismatch)
    return { out_trade_no, trade_no: null, trade_status: outcome, recovered: false };
  return { out_trade_no, trade_no, trade_status: trade_status ?? outcome, ...refused_because, recovered: false };
}
