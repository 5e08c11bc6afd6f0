/** What operators see of a payment. No personal data: search attributes are never encrypted. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { type LatePaymentRefund, type PaymentState, SEARCH_ATTRIBUTE } from '../../contract';
import { attentionLine } from '../shared/attention';
import { tradeAttributes } from '../shared/visibility';

/**
 * `CREATING` and `CREATED` stand where the gateway has named no status: before it has the order, and after it took a
 * checkout.
 */
const statusOf = (state: PaymentState) =>
  state.trade_status ?? state.outcome ?? (state.payment_data ? 'CREATED' : 'CREATING');

export function paymentAttributes(state: PaymentState): SearchAttributeUpdatePair[] {
  const expiresAt = state.expires_at === null ? null : new Date(state.expires_at);
  return [...tradeAttributes(state, statusOf(state)), { key: SEARCH_ATTRIBUTE.expiresAt, value: expiresAt }];
}

/** The details in Temporal UI, in Markdown. */
export function paymentDetails(state: PaymentState, waitingFor: string): string {
  const lines = [
    `**${state.outcome ?? statusOf(state)}** · ${state.order_amount ?? '?'} ${state.order_currency ?? ''} · ${state.method ?? 'method chosen at checkout'}`,
    `Trade ${state.trade_no ?? 'not known yet'}${state.expires_at ? `, expires ${state.expires_at}` : ''}`,
    state.outcome ? `Ended, known by ${state.confirmed_by ?? 'deadline'}.` : `Waiting for: ${waitingFor}`,
  ];
  if (state.late_refund) lines.push(lateRefundLine(state.late_refund));
  if (state.attention) lines.push(attentionLine(state.attention));
  return lines.join('\n\n');
}

function lateRefundLine({ out_request_no, refund_status, reason }: LatePaymentRefund): string {
  if (reason) return `This late payment is not refunded: ${reason}`;
  return `This late payment is refunded: refund ${out_request_no}, ${refund_status ?? 'requested'}.`;
}
