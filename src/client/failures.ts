/** Turns the failure of a workflow into the error that the client throws. */
import { ApplicationFailure } from '@temporalio/common';
import { detailsOf, FAILURE } from '../contract';
import {
  type AccountError,
  AccountNotCanceledError,
  AccountNotCreatedError,
  AccountPendingError,
  DuplicateOrderError,
  DuplicateRefundError,
  InvalidAccountError,
  InvalidLookupError,
  InvalidOrderError,
  type LookupError,
  NotAnsweredError,
  NotCreatedError,
  NotRefundedError,
  OverRefundError,
  type PaymentError,
  PaymentNotCanceledError,
  PaymentNotFoundError,
  PaymentPendingError,
} from './errors';

type ErrorClass<E> = new (message: string, id: string, details: Record<string, unknown>, type: string) => E;

type ErrorTable<E> = readonly (readonly [type: string, error: ErrorClass<E>])[];

const PAYMENT_ERRORS: ErrorTable<PaymentError> = [
  [FAILURE.invalidRequest, InvalidOrderError],
  [FAILURE.notCreated, NotCreatedError],
  [FAILURE.differentRequest, DuplicateOrderError],
  [FAILURE.duplicateOrder, DuplicateOrderError],
  [FAILURE.pending, PaymentPendingError],
  [FAILURE.closing, PaymentPendingError],
  [FAILURE.notCanceled, PaymentNotCanceledError],
];

/** A later row replaces an earlier one of the same type. */
const REFUND_ERRORS: ErrorTable<PaymentError> = [
  ...PAYMENT_ERRORS,
  [FAILURE.overRefund, OverRefundError],
  [FAILURE.notRefunded, NotRefundedError],
  [FAILURE.notFound, PaymentNotFoundError],
  [FAILURE.differentRequest, DuplicateRefundError],
  [FAILURE.duplicateRefund, DuplicateRefundError],
  [FAILURE.refundPending, PaymentPendingError],
  [FAILURE.notAnswered, PaymentPendingError],
];

const LOOKUP_ERRORS: ErrorTable<LookupError> = [
  [FAILURE.invalidRequest, InvalidLookupError],
  [FAILURE.notAnswered, NotAnsweredError],
];

const ACCOUNT_ERRORS: ErrorTable<AccountError> = [
  [FAILURE.invalidRequest, InvalidAccountError],
  [FAILURE.notCreated, AccountNotCreatedError],
  [FAILURE.notCanceled, AccountNotCanceledError],
  [FAILURE.pending, AccountPendingError],
];

/** The error for a payment's failure under an `out_trade_no`; undefined if `cause` is not a failure in the table. */
export const paymentErrorOf = readerOf(PAYMENT_ERRORS);

/** The error for a refund's failure under an `out_trade_no`; undefined if `cause` is not a failure in the table. */
export const refundErrorOf = readerOf(REFUND_ERRORS);

/** The error for an account's failure under a key or `account_id`; undefined if `cause` is not a failure in the table. */
export const accountErrorOf = readerOf(ACCOUNT_ERRORS);

/** The error for the failure of a question to the gateway; undefined if `cause` is not a failure in the table. */
export const lookupErrorOf = readerOf(LOOKUP_ERRORS);

function readerOf<E>(table: ErrorTable<E>) {
  const classes = new Map(table);
  return (cause: unknown, id: string): E | undefined => {
    if (!(cause instanceof ApplicationFailure)) return undefined;
    const kind = classes.get(cause.type ?? '');
    return kind && new kind(cause.message, id, detailsOf(cause) ?? {}, cause.type ?? '');
  };
}
