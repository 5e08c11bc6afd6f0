/** What a merchant's backend may meet with virtual accounts, typed. `key` is the merchant's key or the account's id. */
import type { FieldIssue } from '../gateway';
import { FAILURE } from '../workflows/contract';
import { failureOf, issuesOf } from './failures';

export class AccountError extends Error {
  override readonly name: string = 'AccountError';
  constructor(
    message: string,
    readonly key: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The request breaks the gateway's rules; nothing was sent. */
export class InvalidAccountError extends AccountError {
  override readonly name = 'InvalidAccountError';
  constructor(
    message: string,
    key: string,
    readonly issues: readonly FieldIssue[],
  ) {
    super(message, key, { issues });
  }
}

/** The gateway refused, and there is no account: `details` has its code and sub_code. The same key may be tried again. */
export class AccountNotCreatedError extends AccountError {
  override readonly name = 'AccountNotCreatedError';
}

/** The gateway will not cancel this account. `details` has its code and sub_code. */
export class AccountNotCanceledError extends AccountError {
  override readonly name = 'AccountNotCanceledError';
}

/** Not known yet: it goes on by itself. Ask again. */
export class AccountPendingError extends AccountError {
  override readonly name = 'AccountPendingError';
}

/** Nobody follows an account of this id here. */
export class AccountNotFoundError extends AccountError {
  override readonly name = 'AccountNotFoundError';
}

/** A workflow's failure as the error that callers catch; undefined where it is none of ours. */
export function fromAccountFailure(cause: unknown, key: string): AccountError | undefined {
  const failure = failureOf(cause);
  if (!failure) return undefined;
  const { message, details } = failure;
  switch (failure.type) {
    case FAILURE.invalidRequest:
      return new InvalidAccountError(message, key, issuesOf(failure));
    case FAILURE.notCreated:
      return new AccountNotCreatedError(message, key, details);
    case FAILURE.notCanceled:
      return new AccountNotCanceledError(message, key, details);
    case FAILURE.pending:
      return new AccountPendingError(message, key, details);
    default:
      return undefined;
  }
}
