/**
 * The errors that a merchant's backend catches. Each one says whether an order, a refund or an account can exist. Tell them
 * apart by `type`, as every language does, or by class; {@link isPaymentFailure} makes TypeScript know the fields.
 */
import { FAILURE } from '../contract';
import type { FieldIssue } from '../gateway';

/** What a failure says besides its type and message: see `details[0]` in docs/contract.md. */
type Details = Readonly<Record<string, unknown>>;

/** The types that only a client knows: nothing was found under the number, or the gateway did not answer a question. */
export const CLIENT_FAILURE = { notFound: 'NotFound' } as const;

/** An error of a client, in the form that all of them share. */
abstract class ClientError extends Error {
  /** The failure's type, the same in every language. */
  abstract readonly type: string;
  /** Whether the same call may give another answer later. Repeating it is always safe. */
  abstract readonly retryable: boolean;

  constructor(
    message: string,
    readonly details: Details,
  ) {
    super(message);
  }

  /** For logs of programs. It holds no personal data and no secret. */
  toJSON(): object {
    const { type, message, retryable, details } = this;
    return { type, message, retryable, ...details };
  }

  /** A text of the details; undefined where it is missing. */
  protected text(name: string): string | undefined {
    const value = this.details[name];
    return typeof value === 'string' ? value : undefined;
  }
}

/** An error about a payment or a refund; `out_trade_no` is its order. Each one that is thrown is a {@link PaymentFailure}. */
export abstract class PaymentError extends ClientError {
  constructor(
    message: string,
    readonly out_trade_no: string,
    details: Details = {},
  ) {
    super(message, details);
  }

  override toJSON(): object {
    return { out_trade_no: this.out_trade_no, ...super.toJSON() };
  }
}

/** The order breaks the gateway's rules; nothing was sent. `issues` names every wrong field with its rule. */
export class InvalidOrderError extends PaymentError {
  override readonly name = 'InvalidOrderError';
  readonly type = FAILURE.invalidRequest;
  readonly retryable = false;
  readonly issues: readonly FieldIssue[];
  /** The wrong fields, such as `customer.name`. */
  readonly fields: readonly string[];
  constructor(message: string, out_trade_no: string, { issues }: Details) {
    super(message, out_trade_no, { issues: issuesOf(issues) });
    this.issues = issuesOf(issues);
    this.fields = this.issues.map(({ field }) => field);
  }
}

/** No order was created: the gateway refused it, or it was not sent. With `may_exist` an earlier try may still show one. */
export class NotCreatedError extends PaymentError {
  override readonly name = 'NotCreatedError';
  readonly type = FAILURE.notCreated;
  /** The gateway's `code` and `sub_code`, where it gave them. */
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  /** The order is watched, and its number cannot be used again before that is over. */
  readonly may_exist = this.details.may_exist === true;
  readonly retryable = this.details.retryable === true && !this.may_exist;
}

/** This number was used with another request, or somebody else made an order with it. Nothing was charged here. */
export class DuplicateOrderError extends PaymentError {
  override readonly name = 'DuplicateOrderError';
  /** `DifferentRequest`: the order is ours, and these `fields` differ. `DuplicateOrder`: it was not made here. */
  readonly type = this.details.fields === undefined ? FAILURE.duplicateOrder : FAILURE.differentRequest;
  readonly retryable = false;
  readonly fields: readonly string[] = textsOf(this.details.fields);
}

/**
 * The result is not known yet. The payment goes on, and so does a refund, unless the message says that it was not taken. Ask
 * again with the same request.
 */
export class PaymentPendingError extends PaymentError {
  override readonly name = 'PaymentPendingError';
  readonly type = FAILURE.pending;
  readonly retryable = true;
}

/** Temporal has no payment under this number. */
export class PaymentNotFoundError extends PaymentError {
  override readonly name = 'PaymentNotFoundError';
  readonly type = CLIENT_FAILURE.notFound;
  readonly retryable = false;
}

/** The gateway has the order, or may have it, so it cannot be withdrawn. The payment goes on. */
export class PaymentNotCanceledError extends PaymentError {
  override readonly name = 'PaymentNotCanceledError';
  readonly type = FAILURE.notCanceled;
  readonly retryable = false;
  readonly trade_status = this.text('trade_status');
}

/** The refund is more than what is left of the payment; nothing was sent. */
export class OverRefundError extends PaymentError {
  override readonly name = 'OverRefundError';
  readonly type = FAILURE.overRefund;
  readonly retryable = false;
  /** What is left of the payment: a decimal string in currency units. */
  readonly left = this.text('left');
}

/** The gateway refused the refund, or the trade cannot be refunded now. There is no refund. */
export class NotRefundedError extends PaymentError {
  override readonly name = 'NotRefundedError';
  readonly type = FAILURE.notRefunded;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly trade_status = this.text('trade_status');
  readonly retryable = this.details.retryable === true;
}

/** Another refund was requested before under this number, or without a number. Nothing was refunded now. */
export class DuplicateRefundError extends PaymentError {
  override readonly name = 'DuplicateRefundError';
  readonly type = this.details.fields === undefined ? FAILURE.duplicateRefund : FAILURE.differentRequest;
  readonly retryable = false;
  readonly fields: readonly string[] = textsOf(this.details.fields);
}

/** Every error about a payment or a refund: `switch (error.type)` knows the fields of each. */
export type PaymentFailure =
  | InvalidOrderError
  | NotCreatedError
  | DuplicateOrderError
  | PaymentPendingError
  | PaymentNotFoundError
  | PaymentNotCanceledError
  | OverRefundError
  | NotRefundedError
  | DuplicateRefundError;

/** Whether an error is one about a payment or a refund. */
export const isPaymentFailure = (error: unknown): error is PaymentFailure => error instanceof PaymentError;

/** An error about a virtual account; `key` is the merchant's key or the account's id. Each one is an {@link AccountFailure}. */
export abstract class AccountError extends ClientError {
  constructor(
    message: string,
    readonly key: string,
    details: Details = {},
  ) {
    super(message, details);
  }

  override toJSON(): object {
    return { key: this.key, ...super.toJSON() };
  }
}

/** The request breaks the gateway's rules; nothing was sent. `issues` names every wrong field with its rule. */
export class InvalidAccountError extends AccountError {
  override readonly name = 'InvalidAccountError';
  readonly type = FAILURE.invalidRequest;
  readonly retryable = false;
  readonly issues: readonly FieldIssue[];
  constructor(message: string, key: string, { issues }: Details) {
    super(message, key, { issues: issuesOf(issues) });
    this.issues = issuesOf(issues);
  }
}

/** The gateway refused, and there is no account. The same key may be used again. */
export class AccountNotCreatedError extends AccountError {
  override readonly name = 'AccountNotCreatedError';
  readonly type = FAILURE.notCreated;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly retryable = this.details.retryable === true;
}

/** The gateway refuses to cancel this account. */
export class AccountNotCanceledError extends AccountError {
  override readonly name = 'AccountNotCanceledError';
  readonly type = FAILURE.notCanceled;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly retryable = this.details.retryable === true;
}

/** The result is not known yet, and the work goes on. Ask again. */
export class AccountPendingError extends AccountError {
  override readonly name = 'AccountPendingError';
  readonly type = FAILURE.pending;
  readonly retryable = true;
}

/** Temporal has no account under this id. */
export class AccountNotFoundError extends AccountError {
  override readonly name = 'AccountNotFoundError';
  readonly type = CLIENT_FAILURE.notFound;
  readonly retryable = false;
}

/** Every error about a virtual account. */
export type AccountFailure =
  | InvalidAccountError
  | AccountNotCreatedError
  | AccountNotCanceledError
  | AccountPendingError
  | AccountNotFoundError;

/** Whether an error is one about a virtual account. */
export const isAccountFailure = (error: unknown): error is AccountFailure => error instanceof AccountError;

/** An error of a question to the gateway (`banks`, `installments`, `walletToken`). Nothing was changed. */
export abstract class LookupError extends ClientError {
  constructor(
    message: string,
    /** The workflow that asked. */
    readonly question: string,
    details: Details = {},
  ) {
    super(message, details);
  }
}

/** The question breaks the gateway's rules, and was not asked. `issues` names every wrong field with its rule. */
export class InvalidLookupError extends LookupError {
  override readonly name = 'InvalidLookupError';
  readonly type = FAILURE.invalidRequest;
  readonly retryable = false;
  readonly issues: readonly FieldIssue[] = issuesOf(this.details.issues);
}

/** The gateway refused the question, or has not answered in time. */
export class NotAnsweredError extends LookupError {
  override readonly name = 'NotAnsweredError';
  readonly type = FAILURE.notAnswered;
  /** The gateway's `code` and `sub_code`, where it refused. */
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly retryable = this.details.retryable !== false;
}

/** Every error of a question to the gateway. */
export type LookupFailure = InvalidLookupError | NotAnsweredError;

/** Issues come from a workflow's failure, so their form is not certain. */
function issuesOf(issues: unknown): FieldIssue[] {
  return Array.isArray(issues)
    ? issues.map((issue) => ({ field: String(issue?.field), rule: String(issue?.rule) }))
    : [];
}

const textsOf = (texts: unknown): string[] => (Array.isArray(texts) ? texts.map(String) : []);
