/** Makes one try to create an order: checks it, opens its sealed secrets, sends it, and says what became of it. */
import type { JWK } from 'jose';
import {
  type Attention,
  type CreateInput,
  type CreateResult,
  creationOf,
  type NewPayment,
  orderNotSent,
} from '../contract';
import {
  GatewayError,
  InvalidRequestError,
  open,
  parseCheckout,
  parseDirectPayment,
  type RuleSettings,
  SealingError,
  UnknownSealingKeyError,
} from '../gateway';
import { CARD_AS_TOKEN, isCardNumber } from '../gateway/card-numbers';
import { PATH } from '../gateway/pure/paths';
import { isDuplicate } from '../gateway/refusals';
import { isSealed, SECRET_FIELDS, type SecretField } from '../gateway/sealing';
import { inTime, invalidRequestFailure, sealingKeyNotConfigured } from './failures';
import type { NotifyUrlOf, PaymentGateway } from './gateways';
import { type Sending, type SentRequest, sendOnce } from './send-once';

export interface OrderOptions {
  /** The private keys that open sealed secrets at this moment; the first one that fits is used. */
  sealingKeys: () => readonly JWK[];
  /** Where the gateway posts notifications of orders that name no `notify_url`. */
  notifyUrl: NotifyUrlOf | undefined;
  /** How orders are checked; each setting has a default. */
  rules?: Partial<RuleSettings>;
}

interface Order {
  app_id: string;
  kind: NewPayment['kind'];
  order: Record<string, unknown>;
}

/**
 * Sends the order to the gateway once. Throws `InvalidRequest`, not retryable, if it breaks a rule; a retryable failure
 * only if the gateway certainly has no order and may be asked again. From `send_before` on nothing is sent.
 */
export async function createOrder(
  gatewayOfApp: () => PaymentGateway,
  input: CreateInput,
  options: OrderOptions,
): Promise<CreateResult> {
  return sendOnce<CreateResult>(
    sentBy(input),
    (sending) => attempt(gatewayOfApp(), input, options, sending),
    (outcome) => ({ is: 'unknown', ...outcome }),
  );
}

function sentBy(payment: NewPayment): SentRequest {
  const { out_trade_no } = payment.request;
  return { operation: creationOf(payment), what: `Order ${out_trade_no}`, out_trade_no };
}

async function attempt(
  gateway: PaymentGateway,
  { send_before, reached, ...payment }: CreateInput,
  { sealingKeys, notifyUrl, rules = {} }: OrderOptions,
  sending: Sending,
): Promise<CreateResult> {
  const create = async (): Promise<CreateResult> => {
    assertSecretsSealed(payment, () => checkOrder(withNotifyUrl(payment, notifyUrl), rules));
    const order = await openSecrets(withNotifyUrl(payment, notifyUrl), sealingKeys(), rules);
    const { beforeSending } = sending;
    const answer = await (payment.kind === 'direct'
      ? gateway.pay(order, beforeSending)
      : gateway.createCheckout(order, beforeSending));
    return { is: 'created', answer };
  };
  const failed = (error: unknown) => creationFailed(error, reached, sending);
  return inTime(send_before, create, failed, (reason, why) => orderNotSent(payment, reason, why));
}

/** The result of a failed creation. Throws as {@link createOrder} does. */
function creationFailed(error: unknown, reached: boolean, sending: Sending): CreateResult {
  if (error instanceof SealingError) throw invalidRequestFailure(error.message, []);
  if (error instanceof BareSecretError) throw invalidRequestFailure(error.message, error.issues, error.attention);
  if (error instanceof InvalidRequestError) throw invalidRequestFailure(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  const { message } = error;
  const fields = error.fields();
  if (isDuplicate(fields)) return { is: 'duplicate', error: fields, message };
  switch (error.outcome) {
    case 'created-refused':
      return { is: 'created-refused', error: fields, message };
    case 'unknown':
      throw error;
    case 'not-created':
      // The first time this is returned, not retried: the workflow has to know that the gateway was reached, even if it gives up.
      if (error.retryable && !reached) return { is: 'busy', error: fields, message };
      return sending.madeNothing(error);
    case 'not-sent':
      return sending.madeNothing(error);
  }
}

function withNotifyUrl({ app_id, kind, request }: NewPayment, notifyUrl: NotifyUrlOf | undefined): Order {
  const order = { notify_url: notifyUrl?.(app_id), ...request };
  if (order.notify_url === undefined) {
    throw new InvalidRequestError(creationOf({ kind }), [
      { field: 'notify_url', rule: 'required, because WEBHOOK_PUBLIC_URL is not set' },
    ]);
  }
  return { app_id, kind, order };
}

/** Throws InvalidRequestError naming every fault of the order. */
function checkOrder({ kind, order }: Order, rules: Partial<RuleSettings>): void {
  if (kind === 'checkout') parseCheckout(order, rules);
  else parseDirectPayment(order, rules);
}

/** The order with its secrets opened. They exist in this process's memory only. */
async function openSecrets(
  { app_id, kind, order }: Order,
  keys: readonly JWK[],
  rules: Partial<RuleSettings>,
): Promise<Record<string, unknown>> {
  if (kind === 'checkout') return parseCheckout(order, rules);
  // Checked before anything is opened, so that a wrong order is refused with all its faults.
  const parsed = parseDirectPayment(order, rules);
  const opened: Partial<Record<SecretField, string>> = {};
  for (const name of SECRET_FIELDS) {
    const value = parsed[name];
    const binding = { app_id, out_trade_no: parsed.out_trade_no };
    if (isSealed(value))
      opened[name] = await open(value, keys, binding).catch((error: unknown) => {
        if (!(error instanceof UnknownSealingKeyError)) throw error;
        throw sealingKeyNotConfigured(error.message, creationOf({ kind }));
      });
  }
  assertToken(opened, parsed.out_trade_no);
  return { ...parsed, ...opened };
}

// — Unsealed secrets: the secret is in a history now, and its sender will send the next one the same way —

/** A token or PIN is not sealed, or a card number was given as a token. The message never holds the value. */
class BareSecretError extends InvalidRequestError {
  readonly attention: Attention = 'bare-secret';
}

/** The five parts of a compact JWE. The second one, an encrypted key, is empty with our algorithm. */
const COMPACT_JWE = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Throws BareSecretError if a secret field holds an unsealed value. It names these fields and every other fault that `check`
 * finds, so that the sender can mend all at once.
 */
function assertSecretsSealed({ kind, request }: NewPayment, check: () => void): void {
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
function assertToken(opened: Partial<Record<SecretField, string>>, out_trade_no: string): void {
  if (!isCardNumber(opened.token ?? '')) return;
  throw new BareSecretError(PATH.pay, [{ field: 'token', rule: CARD_AS_TOKEN }], out_trade_no);
}

function isBare(value: unknown): boolean {
  if (isSealed(value)) return !COMPACT_JWE.test(value.sealed);
  return value !== undefined && value !== null;
}
