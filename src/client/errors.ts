/** The errors that a merchant's backend catches. Each one says whether an order, a refund or an account can exist. */
import type { FieldIssue } from '../gateway';

/** Fields that explain the error, such as the gateway's `code` and `sub_code`. */
type Details = Readonly<Record<string, unknown>>;

/** An error about a payment or a refund; `out_trade_no` is its order. */
export class PaymentError extends Error {
  override readonly name: string = 'PaymentError';
  constructor(
    message: string,
    readonly out_trade_no: string,
    readonly details: Details = {},
  ) {
    super(message);
  }
}

/** The order breaks the gateway's rules; nothing was sent. `issues` names every wrong field with its rule. */
export class InvalidOrderError extends PaymentError {
  override readonly name = 'InvalidOrderError';
  readonly issues: readonly FieldIssue[];
  constructor(message: string, out_trade_no: string, { issues }: Details) {
    super(message, out_trade_no, { issues: issuesOf(issues) });
    this.issues = issuesOf(issues);
  }
}

/**
 * No order was created: the gateway refused it, or it was not sent. With `details.may_exist` an earlier try may still show
 * one. `details` holds the gateway's `code` and `sub_code`, where it gave them.
 */
export class NotCreatedError extends PaymentError {
  override readonly name = 'NotCreatedError';
}

/** This number was used with another request, or somebody else made an order with it. Nothing was charged here. */
export class DuplicateOrderError extends PaymentError {
  override readonly name = 'DuplicateOrderError';
}

/** The result is not known yet, and the payment goes on. Ask again with the same request. */
export class PaymentPendingError extends PaymentError {
  override readonly name = 'PaymentPendingError';
}

/** Temporal has no payment under this number. */
export class PaymentNotFoundError extends PaymentError {
  override readonly name = 'PaymentNotFoundError';
}

/** The gateway has the order, or may have it, so it cannot be withdrawn. The payment goes on. */
export class PaymentNotCanceledError extends PaymentError {
  override readonly name = 'PaymentNotCanceledError';
}

/** The refund is more than what is left of the payment; nothing was sent. `details.left` is the amount that is left. */
export class OverRefundError extends PaymentError {
  override readonly name = 'OverRefundError';
}

/** The gateway refused the refund, or the trade cannot be refunded now. There is no refund. */
export class NotRefundedError extends PaymentError {
  override readonly name = 'NotRefundedError';
}

/** Another refund was requested before under this number, or without a number. Nothing was refunded now. */
export class DuplicateRefundError extends PaymentError {
  override readonly name = 'DuplicateRefundError';
}

/** An error about a virtual account; `key` is the merchant's key or the account's id. */
export class AccountError extends Error {
  override readonly name: string = 'AccountError';
  constructor(
    message: string,
    readonly key: string,
    readonly details: Details = {},
  ) {
    super(message);
  }
}

/** The request breaks the gateway's rules; nothing was sent. `issues` names every wrong field with its rule. */
export class InvalidAccountError extends AccountError {
  override readonly name = 'InvalidAccountError';
  readonly issues: readonly FieldIssue[];
  constructor(message: string, key: string, { issues }: Details) {
    super(message, key, { issues: issuesOf(issues) });
    this.issues = issuesOf(issues);
  }
}

/** The gateway refused, and there is no account. `details` holds its `code` and `sub_code`. The same key may be used again. */
export class AccountNotCreatedError extends AccountError {
  override readonly name = 'AccountNotCreatedError';
}

/** The gateway refuses to cancel this account. `details` holds its `code` and `sub_code`. */
export class AccountNotCanceledError extends AccountError {
  override readonly name = 'AccountNotCanceledError';
}

/** The result is not known yet, and the work goes on. Ask again. */
export class AccountPendingError extends AccountError {
  override readonly name = 'AccountPendingError';
}

/** Temporal has no account under this id. */
export class AccountNotFoundError extends AccountError {
  override readonly name = 'AccountNotFoundError';
}

/** Issues come from a workflow's failure, so their form is not certain. */
function issuesOf(issues: unknown): FieldIssue[] {
  return Array.isArray(issues)
    ? issues.map((issue) => ({ field: String(issue?.field), rule: String(issue?.rule) }))
    : [];
}
