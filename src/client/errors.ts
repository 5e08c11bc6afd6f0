/** What a merchant's backend may meet, typed, each saying whether the order can exist. */
import type { FieldIssue } from '../gateway';
import { FAILURE } from '../workflows/contract';
import { failureOf, issuesOf } from './failures';

export class PaymentError extends Error {
  override readonly name: string = 'PaymentError';
  constructor(
    message: string,
    readonly out_trade_no: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The order breaks the gateway's rules; nothing was sent. */
export class InvalidOrderError extends PaymentError {
  override readonly name = 'InvalidOrderError';
  constructor(
    message: string,
    out_trade_no: string,
    readonly issues: readonly FieldIssue[],
  ) {
    super(message, out_trade_no, { issues });
  }
}

/** The gateway refused, and there is no order. `details` has its code and sub_code. */
export class NotCreatedError extends PaymentError {
  override readonly name = 'NotCreatedError';
}

/** Another request runs, or ran, under this number; or somebody else made an order with it. Nothing was charged here. */
export class DuplicateOrderError extends PaymentError {
  override readonly name = 'DuplicateOrderError';
}

/** Not known yet: the payment goes on by itself. Ask again with the same request. */
export class PaymentPendingError extends PaymentError {
  override readonly name = 'PaymentPendingError';
}

/** No payment runs or ran under this number here. */
export class PaymentNotFoundError extends PaymentError {
  override readonly name = 'PaymentNotFoundError';
}

/** The refund is more than is left of what was paid. Nothing was sent. `details.left` says what is left. */
export class OverRefundError extends PaymentError {
  override readonly name = 'OverRefundError';
}

/** The gateway refused the refund, or the trade cannot be refunded now. There is no refund. */
export class NotRefundedError extends PaymentError {
  override readonly name = 'NotRefundedError';
}

/** Another refund was asked for before under this number, or without one. Nothing was refunded now. */
export class DuplicateRefundError extends PaymentError {
  override readonly name = 'DuplicateRefundError';
}

/** A refund's failure as the error that callers catch; undefined where it is none of ours. */
export function fromRefundFailure(cause: unknown, out_trade_no: string): PaymentError | undefined {
  const failure = failureOf(cause);
  if (!failure) return undefined;
  const { message, details } = failure;
  switch (failure.type) {
    case FAILURE.overRefund:
      return new OverRefundError(message, out_trade_no, details);
    case FAILURE.notRefunded:
      return new NotRefundedError(message, out_trade_no, details);
    case FAILURE.differentRequest:
    case FAILURE.duplicateRefund:
      return new DuplicateRefundError(message, out_trade_no, details);
    case FAILURE.refundPending:
    case FAILURE.closing:
      return new PaymentPendingError(message, out_trade_no, details);
    default:
      return fromFailure(cause, out_trade_no);
  }
}

/** A workflow's failure as the error that callers catch; undefined where it is none of ours. */
export function fromFailure(cause: unknown, out_trade_no: string): PaymentError | undefined {
  const failure = failureOf(cause);
  if (!failure) return undefined;
  const { message, details } = failure;
  switch (failure.type) {
    case FAILURE.invalidRequest:
      return new InvalidOrderError(message, out_trade_no, issuesOf(failure));
    case FAILURE.notCreated:
      return new NotCreatedError(message, out_trade_no, details);
    case FAILURE.differentRequest:
    case FAILURE.duplicateOrder:
      return new DuplicateOrderError(message, out_trade_no, details);
    case FAILURE.pending:
      return new PaymentPendingError(message, out_trade_no, details);
    default:
      return undefined;
  }
}
