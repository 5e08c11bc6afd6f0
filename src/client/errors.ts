/**
 * The errors that a merchant's backend catches. Each one says whether an order, a refund or an account can exist. Tell them
 * apart by `type`, as every language does, or by class; {@link isPaymentFailure} makes TypeScript know the fields.
 */
import { FAILURE, type PaymentOutcome } from '../contract';
import type { CallOutcome, FieldIssue, OpenEnd, TradeStatusName } from '../gateway';
import { ClientError, type Details, decisionIn, issuesIn, textsOf } from './client-error';

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

/**
 * The order breaks the gateway's rules, so it was not sent. `issues` names every wrong field with its rule. With `may_exist`, an earlier
 * attempt of the same order, under other settings, may still have created it.
 */
export class InvalidOrderError extends PaymentError {
  override readonly name = 'InvalidOrderError';
  readonly type = FAILURE.invalidRequest;
  readonly issues: readonly FieldIssue[];
  /** The wrong fields, such as `customer.name`. */
  readonly fields: readonly string[];
  /** The order is watched, and its number cannot be used again until that is over: a new order could charge the buyer twice. */
  readonly may_exist: boolean;
  constructor(message: string, out_trade_no: string, { issues, may_exist }: Details) {
    super(message, out_trade_no, { issues: issuesIn(issues), ...(may_exist === true ? { may_exist } : {}) });
    this.may_exist = may_exist === true;
    this.issues = issuesIn(issues);
    this.fields = this.issues.map(({ field }) => field);
  }
}

/** No order was created: the gateway refused it, or it was not sent. With `may_exist`, an earlier attempt may still have created one. */
export class NotCreatedError extends PaymentError {
  override readonly name = 'NotCreatedError';
  readonly type = FAILURE.notCreated;
  /** The gateway's `code` and `sub_code`, if it gave them. */
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  /** Whether an order can exist. */
  readonly outcome: OpenEnd<CallOutcome> | undefined = this.text('outcome');
  /** The order is watched, and its number cannot be used again until that is over. */
  readonly may_exist = this.details.may_exist === true;
  override readonly retryable = this.details.retryable === true && !this.may_exist;
}

/** This number was used with another request, or somebody else made an order with it. Nothing was sent now; the message says what has the number. */
export class DuplicateOrderError extends PaymentError {
  override readonly name = 'DuplicateOrderError';
  /** `DifferentRequest`: the order is ours, and these `fields` differ. `DuplicateOrder`: it was not made here. */
  readonly type = this.details.fields === undefined ? FAILURE.duplicateOrder : FAILURE.differentRequest;
  readonly fields: readonly string[] = textsOf(this.details.fields);
  /** The gateway's trade under the number, if the gateway has reported it. */
  readonly trade_no = this.text('trade_no');
  readonly trade_status: TradeStatusName | undefined = this.text('trade_status');
  readonly order_amount = this.text('order_amount');
  /** How our own order has ended; undefined while it is under way. */
  readonly outcome: OpenEnd<PaymentOutcome> | undefined = this.text('outcome');
}

const PENDING = [FAILURE.pending, FAILURE.refundPending, FAILURE.closing, FAILURE.notAnswered] as const;

/**
 * The result is not known yet. The payment goes on, and so does a refund, unless the message says that it was not taken. Ask
 * again with the same request.
 */
export class PaymentPendingError extends PaymentError {
  override readonly name = 'PaymentPendingError';
  readonly type = FAILURE.pending;
  override readonly retryable = true;
  /** The failure of the contract. A refund has its own, such as `RefundPending`, or `NotAnswered`, which means that it was not taken. */
  readonly because: (typeof PENDING)[number];
  /** The gateway's error, if there is one. */
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  readonly outcome = this.text('outcome');
  constructor(message: string, out_trade_no: string, details: Details = {}, because?: string) {
    super(message, out_trade_no, details);
    this.because = PENDING.find((type) => type === because) ?? FAILURE.pending;
  }

  override toJSON(): object {
    return { ...super.toJSON(), because: this.because };
  }
}

/** There is no payment under this number: Temporal has none, and for a refund the gateway has none either. */
export class PaymentNotFoundError extends PaymentError {
  override readonly name = 'PaymentNotFoundError';
  readonly type = FAILURE.notFound;
}

/** The gateway has the order, or may have it, so it cannot be withdrawn. The payment goes on. */
export class PaymentNotCanceledError extends PaymentError {
  override readonly name = 'PaymentNotCanceledError';
  readonly type = FAILURE.notCanceled;
  readonly trade_status: TradeStatusName | undefined = this.text('trade_status');
  /** How the payment has ended; undefined while it goes on. */
  readonly outcome: OpenEnd<PaymentOutcome> | undefined = this.text('outcome');
}

/** The refund is more than what is left of the payment; nothing was sent. */
export class OverRefundError extends PaymentError {
  override readonly name = 'OverRefundError';
  readonly type = FAILURE.overRefund;
  /** What is left of the payment: a decimal string in currency units. Every such failure says it. */
  readonly left = this.text('left') ?? '';
}

/** The gateway refused the refund, or the trade cannot be refunded now. There is no refund. */
export class NotRefundedError extends PaymentError {
  override readonly name = 'NotRefundedError';
  readonly type = FAILURE.notRefunded;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  readonly trade_status: TradeStatusName | undefined = this.text('trade_status');
  /** The refund that has used this number, and how it ended; else whether a refund exists, by the gateway's answer. */
  readonly out_request_no = this.text('out_request_no');
  readonly outcome = this.text('outcome');
  /** False if it is not known what is left. */
  readonly ledger_complete = this.flag('ledger_complete');
  /** The person who decided about this refund, and why; undefined if nobody did. */
  readonly resolved = decisionIn(this.details.resolved);
  override readonly retryable = this.details.retryable === true;
}

/** Another refund was requested before under this number, or without a number. Nothing was refunded now. */
export class DuplicateRefundError extends PaymentError {
  override readonly name = 'DuplicateRefundError';
  readonly type = this.details.fields === undefined ? FAILURE.duplicateRefund : FAILURE.differentRequest;
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
  readonly issues: readonly FieldIssue[];
  constructor(message: string, key: string, { issues }: Details) {
    super(message, key, { issues: issuesIn(issues) });
    this.issues = issuesIn(issues);
  }
}

/** The gateway refused, and there is no account. The same key may be used again. */
export class AccountNotCreatedError extends AccountError {
  override readonly name = 'AccountNotCreatedError';
  readonly type = FAILURE.notCreated;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  readonly outcome = this.text('outcome');
  override readonly retryable = this.details.retryable === true;
}

/** The account of this key is canceled: the buyer must not pay into it. Create another one under another key. */
export class AccountCanceledError extends AccountError {
  override readonly name = 'AccountCanceledError';
  readonly type = FAILURE.accountCanceled;
  readonly account_id = this.text('account_id') ?? '';
}

/** The gateway refuses to cancel this account. */
export class AccountNotCanceledError extends AccountError {
  override readonly name = 'AccountNotCanceledError';
  readonly type = FAILURE.notCanceled;
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  readonly outcome = this.text('outcome');
  override readonly retryable = this.details.retryable === true;
}

/** The result is not known yet, and the work goes on. Ask again. */
export class AccountPendingError extends AccountError {
  override readonly name = 'AccountPendingError';
  readonly type = FAILURE.pending;
  override readonly retryable = true;
}

/** Temporal has no account under this id. */
export class AccountNotFoundError extends AccountError {
  override readonly name = 'AccountNotFoundError';
  readonly type = FAILURE.notFound;
}

/** Every error about a virtual account. */
export type AccountFailure =
  | InvalidAccountError
  | AccountNotCreatedError
  | AccountCanceledError
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
  readonly issues: readonly FieldIssue[] = issuesIn(this.details.issues);
}

/** The gateway refused the question, or has not answered in time. */
export class NotAnsweredError extends LookupError {
  override readonly name = 'NotAnsweredError';
  readonly type = FAILURE.notAnswered;
  /** The gateway's `code` and `sub_code`, if it refused. */
  readonly code = this.text('code');
  readonly sub_code = this.text('sub_code');
  readonly http_status = this.number('http_status');
  readonly outcome = this.text('outcome');
  override readonly retryable = this.details.retryable !== false;
}

/** Every error of a question to the gateway. */
export type LookupFailure = InvalidLookupError | NotAnsweredError;
