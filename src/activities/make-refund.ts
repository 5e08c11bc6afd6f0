/** Makes a refund: a look that lets it begin, and then one request, in the same attempt. */
import { activityInfo, heartbeat, log } from '@temporalio/activity';
import type { RefundAttempt, RefundResult } from '../contract';
import { GatewayError, InvalidRequestError, type Refund } from '../gateway';
import { sameAmount } from '../gateway/pure/money';
import { REFUND_PATH } from '../gateway/refund';
import { isDuplicate } from '../gateway/refusals';
import { invalidRequestFailure, notCreated } from './failures';
import type { PaymentGateway } from './gateways';
import { wasResetSince } from './own-run';
import { type BuyerOf, fillUserInfo } from './refund-user-info';
import { queryTrade, surestId } from './trade-queries';

/**
 * Looks at the trade, and sends the refund once where the trade still has the status `seen`. Throws `InvalidRequest`, not
 * retryable, if it breaks a rule; a retryable failure only if there certainly is no refund: the next attempt looks again.
 */
export async function makeRefund(
  gateway: PaymentGateway,
  refund: RefundAttempt,
  buyerOf: BuyerOf,
): Promise<RefundResult> {
  const { heartbeatDetails } = activityInfo();
  // The heartbeat carries it between attempts: a duplicate can be ours only if an attempt has reached the gateway.
  const reached = heartbeatDetails === true;
  if (wasResetSince(refund.original_run_id)) return { is: 'reset' };
  if (refund.seen === null) return { is: 'moved', trade: null };
  const { trade_status, asked_at } = await queryTrade(gateway, refund.id);
  if (trade_status !== refund.seen) return { is: 'moved', trade: { trade_status, asked_at } };
  const { order_amount, method } = refund.trade;
  try {
    const request = fillUserInfo(refund.request, await buyerOf(refund));
    const answer = await gateway.refund(
      { ...request, ...surestId(refund.id) },
      { order_amount, method: method ?? undefined },
    );
    const differing = differingFrom(refund, answer);
    return differing.length === 0 ? { is: 'accepted', answer } : notOurs(differing);
  } catch (error) {
    return refundFailed(error, reached);
  }
}

/** The result of a failed refund. Throws as {@link makeRefund} does. */
function refundFailed(error: unknown, reached: boolean): RefundResult {
  if (error instanceof InvalidRequestError) throw invalidRequestFailure(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  const { message } = error;
  const fields = error.fields();
  if (isDuplicate(fields, 'refund')) return { is: 'duplicate', error: fields, message, reached };
  if (error.outcome === 'not-created' && error.retryable) heartbeat(true);
  if (error.outcome === 'not-sent' || error.outcome === 'not-created') return notCreated(error);
  log.warn('it is unknown whether a refund was made', { ...fields });
  return { is: 'unknown', error: fields, message };
}

/** The fields by which an answer is about something else. A field that the answer lacks says nothing. */
function differingFrom({ id, request }: RefundAttempt, answer: Refund): string[] {
  const asked: Readonly<Record<string, unknown>> = { ...request, ...id };
  const said: Readonly<Record<string, unknown>> = answer;
  const names = ['trade_no', 'out_trade_no', 'out_request_no', 'refund_currency', 'refund_amount'] as const;
  return names.filter((name) => {
    const [ours, theirs] = [asked[name], said[name]];
    if (ours === undefined || theirs === undefined || theirs === null || theirs === '') return false;
    if (name === 'refund_amount') return !sameAmount(String(ours), String(theirs));
    if (name === 'refund_currency') return String(ours).toUpperCase() !== String(theirs).toUpperCase();
    return String(ours) !== String(theirs);
  });
}

function notOurs(differing: readonly string[]): RefundResult {
  const message = `The gateway’s answer to the refund is about something else: ${differing.join(', ')} differ.`;
  log.warn('the answer to a refund is about another one', { differing });
  return { is: 'not-ours', message, error: { outcome: 'unknown', retryable: false, operation: REFUND_PATH } };
}
