/**
 * Secrets that nobody sealed. They are refused, and a person is told: whoever sent one has put it into a history, where it
 * stays, and will do so again.
 */
import { InvalidRequestError } from '../gateway';
import { CARD_AS_TOKEN, isCardNumber } from '../gateway/card-numbers';
import { isSealed, SECRET_FIELDS, type SecretField } from '../gateway/sealing';
import type { Attention, NewPayment } from '../workflows/contract';

/** A card token or PIN that came as it is, or a card's own number in a token's place. Never says what the field holds. */
export class BareSecretError extends InvalidRequestError {
  readonly attention: Attention = 'bare-secret';
}

/** Five parts, as a compact JWE has them; of ours the second one, an encrypted key, is empty. */
const COMPACT_JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Throws BareSecretError naming each secret field that holds something other than a sealed value, and with them what `check`
 * refuses of the order, so that its sender hears of every fault at once.
 */
export function refuseBareSecrets({ kind, request }: NewPayment, check: () => void): void {
  const issues = SECRET_FIELDS.filter((name) => isBare(request[name])).map((field) => ({
    field,
    rule: 'must be sealed to the worker’s public key: it would stay in the history',
  }));
  if (issues.length === 0) return;
  const isOther = ({ field }: { field: string }) => !issues.some((bare) => field.split('.')[0] === bare.field);
  const faults = [...issues, ...faultsOf(check).filter(isOther)];
  throw new BareSecretError(kind === 'direct' ? '/trade/pay' : '/trade/create', faults, request.out_trade_no);
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

/** Throws BareSecretError where a card's own number was sealed in its token's place. */
export function demandToken(opened: Partial<Record<SecretField, string>>, out_trade_no: string): void {
  if (!isCardNumber(opened.token ?? '')) return;
  throw new BareSecretError('/trade/pay', [{ field: 'token', rule: CARD_AS_TOKEN }], out_trade_no);
}

function isBare(value: unknown): boolean {
  if (isSealed(value)) return !COMPACT_JWE.test(value.sealed);
  return value !== undefined && value !== null;
}
