/** Makes a refund: a query that allows it to begin, then one request, in the same attempt. */
import type { RefundAttempt, RefundResult } from '../contract';
import { GatewayError, InvalidRequestError, OtherAnswerError, otherThanAsked } from '../gateway';
import { nameOfTrade } from '../gateway/query';
import { REFUND_PATH } from '../gateway/refund';
import { isDuplicate } from '../gateway/refusals';
import { invalidRequestFailure } from './failures';
import type { PaymentGateway } from './gateways';
import { type BuyerOf, fillUserInfo } from './refund-user-info';
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
  return { operation: REFUND_PATH, what, out_trade_no: id.out_trade_no };
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
  const found = await tradeUnlessDenied(gateway, refund, noSuchOrderWords);
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
    if (differing.length > 0) throw new OtherAnswerError(nameOfTrade(refund.id), differing, { operation: REFUND_PATH });
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
