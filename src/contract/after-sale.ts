/** The shapes of what follows a sale: refunds, disputes and chargebacks. Plain JSON, as in payment.ts. */
import type { CurrencyCode, PaymentMethod, TradeStatusName } from '../gateway/pure/names';
import type { Attention, ShownWait } from './attention';
import type { RefundOptions } from './gateway';
import type { NotificationClaim } from './notification';
import type { OtherTrade, PaymentOutcome, PaymentState, Source, Transition } from './payment';

/** Follows an order after its payment, only under the order's own workflow id. */
export interface AfterSaleInput {
  app_id: string;
  out_trade_no: string;
  /** Which of the order's trades was sold, if known. */
  trade_no?: string | undefined;
}

/** The body of `/trade/refund` without `app_id`, `timestamp` and the trade's ids. `{}` asks for all that is left. */
export interface RefundOrder {
  /** A part: a decimal string in currency units. Without it, all that is left of the payment. */
  readonly refund_amount?: string | undefined;
  /** Optional: it has to be the payment's currency. */
  readonly refund_currency?: string | undefined;
  readonly out_request_no?: string | undefined;
  readonly refund_reason?: string | undefined;
  readonly [field: string]: unknown;
}

/** A refund as it is sent: with the amount that was granted. */
export interface GrantedRefund extends RefundOrder {
  readonly refund_amount: string;
  readonly refund_currency: string;
}

/** The request of a refund in a program's own words: `{}` for all that is left, `{ amount }` for a part. */
export function refundOrderOf(refund: RefundOptions): RefundOrder {
  const { amount, ...order } = refund;
  if (!('amount' in refund)) return order;
  // An `amount` of undefined is a mistake, and must not refund all: the after-sale refuses what is no amount.
  return { ...order, refund_amount: typeof amount === 'string' ? amount : 'no text' };
}

/** The refund's answer without `code` and `msg`. */
export interface RefundAnswer {
  readonly [field: string]: unknown;
  /** The refund's number: the merchant's, or one made from the request. */
  readonly out_request_no: string;
  /** The gateway's answer was lost, but we know that the refund exists. */
  readonly recovered: boolean;
}

/**
 * `ACCEPTED`: the gateway has taken the refund, and nothing confirms its end: the amount counts as gone. `NOT_CREATED`: there certainly is
 * no refund. A refused or revoked refund paid nothing either.
 */
export type RefundOutcome = 'ACCEPTED' | 'REFUNDED' | 'REFUND_REFUSED' | 'REFUND_REVOKE' | 'NOT_CREATED';

/** The ends of a refund that the gateway has made, and that paid nothing. */
export const ENDS_UNPAID = ['REFUND_REFUSED', 'REFUND_REVOKE'] as const satisfies readonly RefundOutcome[];

/** Whether a refund with this end paid nothing, and its number cannot be used again. */
export const isEndUnpaid = (outcome: RefundOutcome | null): boolean => ENDS_UNPAID.some((end) => end === outcome);

/** A failure as states and events show it. */
export interface ShownFailure {
  type: string;
  message: string;
  details: Readonly<Record<string, unknown>>;
}

/** One refund, as `state` shows it. */
export interface RefundState {
  /** The merchant's number, or one made from the order and the request. It is always sent to the gateway. */
  out_request_no: string;
  /** The trade that it was sent for; null before it is sent. The order's trade may be another one now. */
  trade_no: string | null;
  /** Which try under this number it is, from 1: a number is free again if there certainly was no refund. */
  attempt: number;
  /** Decimal string in currency units. */
  refund_amount: string;
  refund_currency: string;
  /** As we calculate it: gateways also call a partial refund REFUNDED. */
  partial: boolean;
  /** The gateway's last status of this refund; null before any. */
  refund_status: string | null;
  outcome: RefundOutcome | null;
  confirmed_by: Source | null;
  attention: Attention | null;
  /** ISO 8601, UTC. */
  requested_at: string;
  /** Null while it waits for its turn: a trade's refunds run one after the other. */
  started_at: string | null;
  /** As `started_at`: from then on it may have reached the gateway. In an outage it is tried for long before it does. */
  sent_at: string | null;
  answer: RefundAnswer | null;
  /** Why there is no refund: the failure of the update `refund`. */
  failure: ShownFailure | null;
  /** Who decided and why, if a person did. */
  resolved: { by: string; reason: string } | null;
}

/** The whole public state after the sale: the query `state`, and what the workflow returns. */
export interface AfterSaleState extends ShownWait {
  app_id: string;
  /** The payment as it is now, with what came after its end; null if none is known to have ended. */
  payment: PaymentState | null;
  out_trade_no: string | null;
  trade_no: string | null;
  /** The gateway's last answer; null before any. */
  trade_status: TradeStatusName | null;
  /** What was paid, as a decimal string in currency units; null until the gateway has shown the trade as sold. */
  order_amount: string | null;
  order_currency: CurrencyCode | null;
  method: PaymentMethod | null;
  attention: Attention | null;
  /** The sum of this trade’s refunds that are REFUNDED or ACCEPTED, as we calculate it. */
  refunded_amount: string;
  /** The sum of this trade’s refunds that are not finished, or may be. */
  refunding_amount: string;
  /** In the order of their requests. Refunds of an earlier trade of the order count in no sum. */
  refunds: RefundState[];
  /** What went back by refunds that are not among `refunds`, as a person has named it. */
  refunded_elsewhere: string;
  /**
   * False if there are refunds that are neither among `refunds` nor in `refunded_elsewhere`. No refund is granted then,
   * until a person has named what went back.
   */
  ledger_complete: boolean;
  /** Trades under the same number that are not the order's own. */
  other_trades: OtherTrade[];
  /** Notifications that are held until the gateway's answer agrees, or keeps contradicting them. */
  claims: NotificationClaim[];
  /** The latest report that the bank takes the money back, from any source: no refund is sent for ten minutes after it. */
  bank_said: BankSaid | null;
  /**
   * ISO 8601, UTC: by when a dispute has to be answered, counted from when it was heard; null if none waits for a person. The gateway
   * does not tell its own date.
   */
  answer_by: string | null;
  /** ISO 8601, UTC: until when the trade is polled for disputes and chargebacks; null: not at all. */
  watched_until: string | null;
  history: Transition[];
}

/** DISPUTE or CHARGEBACK, and when it was reported; ISO 8601, UTC. */
export interface BankSaid {
  trade_status: string;
  time: string;
}

/**
 * A person's decision after the payment. With `out_request_no`, `outcome` says how that refund ended, even if it was decided before;
 * without a number, how the order itself has ended. Without an outcome, the reason that is shown counts as
 * looked at; one that needs an answer (a refund, an amount) refuses that.
 */
export interface AfterSaleResolution {
  outcome?: Exclude<RefundOutcome, 'ACCEPTED'> | PaymentOutcome | undefined;
  out_request_no?: string | undefined;
  /** All that went back by refunds that are not in the ledger, as a decimal string. It completes the ledger. */
  refunded_elsewhere?: string | undefined;
  /**
   * What contradicts this decision and the person has seen: the trade's status, if it says that more went back than this decision leaves;
   * the outcome that was decided, or notified, before. Both with a comma between.
   */
  although?: string | undefined;
  /** The reason that the person was shown: if another reason is shown by now, nothing is settled. */
  seen?: string | undefined;
  reason: string;
  by: string;
}

/**
 * The payment as it is now, if its after-sale knows how it ended. Null if the payment's own state still counts: without an outcome, that is
 * the state of a run that made no order, and the number may be used again.
 */
export const paymentAfterEnd = (after: Pick<AfterSaleState, 'payment'> | null | undefined): PaymentState | null =>
  after?.payment?.outcome ? after.payment : null;

/** The ledger of an order that has no after-sale: nothing was refunded, and the payment's state is all that is known. */
export function emptyLedger(payment: PaymentState): AfterSaleState {
  const { app_id, out_trade_no, trade_no, trade_status, method, other_trades, outcome, mismatch } = payment;
  const { attention, attention_since, taken } = payment;
  const isPaid = outcome === 'SUCCESS' && !mismatch;
  return {
    ...{ app_id, out_trade_no, trade_no, trade_status, method, other_trades, attention, attention_since, taken },
    payment: outcome === null ? null : payment,
    order_amount: isPaid ? payment.order_amount : null,
    order_currency: isPaid ? payment.order_currency : null,
    ...{ refunded_amount: '0.00', refunding_amount: '0.00', refunded_elsewhere: '0.00' },
    // It may have been refunded elsewhere before it was known here.
    ledger_complete: attention !== 'refund-elsewhere',
    ...{ refunds: [], claims: [], bank_said: null, answer_by: null, watched_until: null, history: [] },
  };
}

export type AfterSaleWorkflow = (input: AfterSaleInput) => Promise<AfterSaleState>;
