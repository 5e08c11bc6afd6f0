/**
 * Refuses orders with unsealed secrets and raises attention: the secret is now in a history, and its sender will send the
 * next one the same way.
 */

import { type Attention, creationOf, type NewPayment } from '../contract';
import { InvalidRequestError } from '../gateway';
import { CARD_AS_TOKEN, isCardNumber } from '../gateway/card-numbers';
import { isSealed, SECRET_FIELDS, type SecretField } from '../gateway/sealing';

/** A token or PIN is not sealed, or a card number was given as a token. The message never holds the value. */
export class BareSecretError extends InvalidRequestError {
  readonly attention: Attention = 'bare-secret';
}

/** The five parts of a compact JWE. The second one, an encrypted key, is empty with our algorithm. */
const COMPACT_JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Throws BareSecretError if a secret field holds an unsealed value. It names these fields and every other fault that `check`
 * finds, so that the sender can mend all at once.
 */
export function assertSecretsSealed({ kind, request }: NewPayment, check: () => void): void {
  const issues = SECRET_FIELDS.filter((name) => isBare(request[name])).map((field) => ({
    field,
    rule: 'must be sealed to the worker’s public key: it would stay in the history',
  }));
  if (issues.length === 0) return;
  const isOther = ({ field }: { field: string }) => !issues.some((bare) => field.split('.')[0] === bare.field);
  const faults = [...issues, ...faultsOf(check).filter(isOther)];
  throw new BareSecretError(creationOf({ kind }), faults, request.out_trade_no);
}

function faultsOf(check: () => void): InvalidRequestError['issues'] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.issues;
    throw error;
  }
}

/** Throws BareSecretError if the sealed token was a card number. */
export function assertToken(opened: Partial<Record<SecretField, string>>, out_trade_no: string): void {
  if (!isCardNumber(opened.token ?? '')) return;
  throw new BareSecretError('/trade/pay', [{ field: 'token', rule: CARD_AS_TOKEN }], out_trade_no);
}

function isBare(value: unknown): boolean {
  if (isSealed(value)) return !COMPACT_JWE.test(value.sealed);
  return value !== undefined && value !== null;
}
