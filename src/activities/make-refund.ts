/** Makes a refund: a query that allows it to begin, then one request, in the same attempt. */
import type { RefundAttempt, RefundOrder, RefundResult } from '../contract';
import { GatewayError, InvalidRequestError, OtherAnswerError, otherThanAsked } from '../gateway';
import { PATH } from '../gateway/pure/paths';
import { nameOfTrade } from '../gateway/query';
import { isDuplicate } from '../gateway/refusals';
import { invalidRequestFailure } from './failures';
import type { PaymentGateway } from './gateways';
import { type Sending, type SentRequest, sendOnce } from './send-once';
import { tradeUnlessDenied } from './trade-queries';

/**
 * Looks at the trade, and sends the refund once if the trade still has the status `seen`. Throws `InvalidRequest`, not
 * retryable, if it breaks a rule; a retryable failure only if there certainly is no refund: the next attempt looks again.
 */
export async function makeRefund(
  gatewayOfApp: () => PaymentGateway,
  refund: RefundAttempt,
  buyerOf: BuyerOf,
  noSuchOrderWords: ReadonlySet<string>,
): Promise<RefundResult> {
  return sendOnce<RefundResult>(
    sentBy(refund),
    (sending) => attempt(gatewayOfApp(), refund, { noSuchOrderWords, buyerOf, sending }),
    (outcome) => ({ is: 'unknown', ...outcome }),
  );
}

function sentBy({ id, request: { out_request_no } }: RefundAttempt): SentRequest {
  const what = `${out_request_no ? `Refund ${out_request_no}` : 'The refund'} of ${nameOfTrade(id)}`;
  return { operation: PATH.refund, what, out_trade_no: id.out_trade_no };
}

interface AttemptNeeds {
  readonly noSuchOrderWords: ReadonlySet<string>;
  readonly buyerOf: BuyerOf;
  readonly sending: Sending;
}

async function attempt(
  gateway: PaymentGateway,
  refund: RefundAttempt,
  { noSuchOrderWords, buyerOf, sending }: AttemptNeeds,
): Promise<RefundResult> {
  if (refund.seen === null) return { is: 'moved', trade: null };
  const found = await tradeUnlessDenied({ gateway, noSuchOrderWords }, refund);
  if (found === null) return { is: 'moved', trade: null };
  const { trade_no = refund.id.trade_no } = found.trade;
  // Names the trade, because the order may have another trade by the time this is read.
  const trade = { ...found.trade, ...(trade_no ? { trade_no } : {}) };
  if (trade.trade_status !== refund.seen) return { is: 'moved', trade };
  const { order_amount, method } = refund.trade;
  try {
    const request = fillUserInfo(refund.request, await buyerOf(refund));
    const answer = await gateway.refund(
      // A gateway may know the trade by one of its numbers only.
      { ...request, ...found.by },
      { order_amount, method: method ?? undefined },
      sending.beforeSending,
    );
    const differing = otherThanAsked(refund.id, answer);
    if (differing.length > 0) throw new OtherAnswerError(nameOfTrade(refund.id), differing, { operation: PATH.refund });
    return { is: 'accepted', answer };
  } catch (error) {
    return refundFailed(error, sending);
  }
}

/** The result of a failed refund. Throws as {@link makeRefund} does. */
function refundFailed(error: unknown, sending: Sending): RefundResult {
  if (error instanceof InvalidRequestError) throw invalidRequestFailure(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  const { message } = error;
  const fields = error.fields();
  // The gateway accepted a refund that may be ours. Unlike a request that was lost, it is never sent again.
  if (error instanceof OtherAnswerError) return { is: 'not-ours', error: fields, message };
  // A duplicate can be ours only if an earlier attempt has reached the gateway.
  if (isDuplicate(fields, 'refund')) return { is: 'duplicate', error: fields, message, reached: sending.hasReached };
  if (error.outcome === 'not-sent' || error.outcome === 'not-created') return sending.madeNothing(error);
  throw error;
}

// — The buyer’s data that a payment already has, so that a refund can leave it out. It never leaves the activity —

/** What a refund can copy from its payment: the fields of `user_info` by their dotted paths. */
export type Buyer = Readonly<Record<string, string | undefined>>;

/** Finds the buyer of a trade; empty if Temporal does not have the payment (any more). */
export type BuyerOf = (trade: Pick<RefundAttempt, 'app_id' | 'id'>) => Promise<Buyer>;

const COPIED_FIELDS = ['name', 'email', 'phone', 'identify.number', 'identify.type'];

/** How long a refund's identity number and type may be (section 4.3). */
const MOST_OF_IDENTITY = 16;

/** The buyer of an order, from its `customer` (section 4.1). */
export function buyerOfOrder({ customer }: { readonly [field: string]: unknown }): Buyer {
  return Object.fromEntries(COPIED_FIELDS.map((path) => [path, textAt(customer, path)]));
}

/** The refund with its missing `user_info` filled in. Fields that the refund itself gives are kept. */
function fillUserInfo(refund: RefundOrder, buyer: Buyer): Record<string, unknown> {
  const given = asRecord(refund.user_info);
  const { 'identify.number': number, 'identify.type': type, ...rest } = buyer;
  // A number belongs to its type, so the identity is copied as a whole or not at all. Orders take longer ones, such as a CURP.
  const fits = [number, type].every((text) => text === undefined || text.length <= MOST_OF_IDENTITY);
  const identify = given.identify ?? (number === undefined || !fits ? undefined : defined({ number, type }));
  const user_info = { ...defined(rest), ...given, ...(identify === undefined ? {} : { identify }) };
  return { ...refund, ...(Object.keys(user_info).length > 0 ? { user_info } : {}) };
}

function textAt(value: unknown, path: string): string | undefined {
  const found = path.split('.').reduce<unknown>((at, key) => asRecord(at)[key], value);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function defined(fields: Buyer): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}
