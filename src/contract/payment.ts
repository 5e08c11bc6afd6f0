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
   * Proves that no run was before. For a start with the reuse policy `REJECT_DUPLICATE`: a new UUID, repeated in the argument of the
   * update `created` of the same update-with-start; for a child workflow: the run id of its parent. A copy of this input proves
   * nothing: without the proof, earlier runs under the workflow id are read before the order is sent.
   */
  first_start_id?: string | undefined;
}

/** Adopts a trade that exists already: made elsewhere, or known from a notification. One of the ids is enough. */
export interface AdoptedPayment {
  kind: 'adopt';
  app_id: string;
  trade_no?: string | undefined;
  out_trade_no?: string | undefined;
  /** For a child workflow that was started with the reuse policy `REJECT_DUPLICATE`: its parent's run id. Then no earlier run is read. */
  first_start_id?: string | undefined;
  /** Notifications to the run before that none of its looks settled. */
  pending_notifications?: readonly NotificationSignal[] | undefined;
  /** The order that the run before may have made: a trade under the number may be that order's. */
  may_be?: Pick<NewPayment, 'kind' | 'request'> | undefined;
  /** Why the run before needed a person. */
  reasons?: readonly Attention[] | undefined;
}

/** An amount that the gateway named and that is not what was ordered. */
export interface OtherAmount {
  /** In currency units. Null if it named none. */
  readonly amount: string | null;
  readonly currency: string | null;
}

export type PaymentInput = NewPayment | AdoptedPayment;

export const PAYMENT_OUTCOMES = ['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED'] as const;
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number];
export type Source = 'query' | 'notification' | 'operator';

/** One change of the trade's status, as we learned it. */
export interface Transition {
  /** ISO 8601, UTC. */
  time: string;
  from: string | null;
  to: string;
  source: 'creation' | Source | 'deadline';
  /** Who decided and why, if a person did. */
  by?: string;
  reason?: string;
  /** After a sale: all that went back by refunds that are not in the list, as the person named it. The latest counts. */
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
  /** The earlier run of this payment, and how it had ended; null if there was none. */
  previous: { run_id: string; outcome: PaymentOutcome | null } | null;
  /** The gateway's answer to the creation, as the update `created` returns it. */
  payment_data: PaymentData | null;
  /** The gateway's reason, if the payment was refused. */
  refused_because: { code: string | null; sub_code: string | null } | null;
  /** Trades under the same number that are not this payment's, as an answer or a notification of the gateway showed them. */
  other_trades: OtherTrade[];
  /** The refund of money that came after an end without a sale; absent if none is to be made. */
  late_payment_refund?: LatePaymentRefund;
  /** All that was paid has gone back, or is on its way, by refunds that we know of; absent if money of the sale stays. */
  all_goes_back?: boolean;
  /** What the gateway named last instead of what was ordered (`amount-mismatch`). */
  mismatch?: OtherAmount;
}

/** Another trade under the order's number. `trade_status` and the amount are null until the gateway has told them. */
export interface OtherTrade {
  trade_no: string;
  trade_status: string | null;
  order_amount: string | null;
}

/** The refund of late money. Its later states are in the after-sale. */
export interface LatePaymentRefund {
  out_request_no: string;
  /** The gateway's answer to the refund; null before an answer, or if there is no refund. */
  refund_status: string | null;
  /** Why there is no refund, if there is none. */
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
  /** Ends the payment. Without an outcome, the shown reason is settled and the payment goes on, if looking settles this reason. */
  outcome?: PaymentOutcome | undefined;
  /** The reason that the person was shown: if another reason is shown by now, nothing is settled. */
  seen?: string | undefined;
  reason: string;
  by: string;
}

export type PaymentWorkflow = (input: PaymentInput) => Promise<PaymentState>;

// — The answer of the update `created` —

/**
 * The updates `created` and `cancel`, and those of virtual accounts, wait about this long, then fail with `PaymentPending`: Temporal takes
 * ten updates at once.
 */
export const ANSWER_WAIT_MS = 30_000;

/** The payment data from the gateway's answer to a creation. */
export const dataOfCreation = (answer: GatewayResponse): PaymentData => ({ ...answer, recovered: false });

/** The answer that the next run repeats: the payment data, the refusal, or the decision of a person who ended it without data. */
export function answerToKeep(state: PaymentState): PaymentData | null {
  const isAnswered = state.refused_because !== null || state.confirmed_by === 'operator';
  return isAnswered ? (creationAnswer(state) ?? null) : state.payment_data;
}

/**
 * The payment data; for a payment that ended without data, the person's outcome or the last status; undefined while the creation
 * is not decided.
 */
export function creationAnswer(state: PaymentState): PaymentData | undefined {
  if (state.payment_data !== null) return state.payment_data;
  if (state.outcome === null) return undefined;
  const { out_trade_no, trade_no, trade_status, outcome, confirmed_by, refused_because, mismatch } = state;
  // Nothing proves that a trade that was found meanwhile, or has another amount, belongs to this order.
  if (confirmed_by === 'operator' || mismatch)
    return { out_trade_no, trade_no: null, trade_status: outcome, recovered: false };
  return { out_trade_no, trade_no, trade_status: trade_status ?? outcome, ...refused_because, recovered: false };
}
