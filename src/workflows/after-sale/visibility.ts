/** What operators see after a sale. No personal data: search attributes are never encrypted. */
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { type AfterSaleState, type RefundState, SEARCH_ATTRIBUTE } from '../../contract';
import { amountAttribute, tradeAttributes } from '../shared/visibility';

export function afterSaleAttributes(state: AfterSaleState): SearchAttributeUpdatePair[] {
  return tradeAttributes(state, state.trade_status ?? 'UNKNOWN');
}

/** The refunds as a list in Markdown, for Temporal UI. */
export function afterSaleDetails(state: AfterSaleState, waitingFor: string): string[] {
  const { trade_status, order_amount, order_currency, refunded_amount, refunding_amount } = state;
  const lines = [
    `**${trade_status ?? '?'}** · ${order_amount ?? '?'} ${order_currency ?? ''} paid, ${refunded_amount} refunded, ${refunding_amount} being refunded`,
    ...state.refunds.map((one) => `- ${refundLine(one)}`),
    ...(Number(state.refunded_elsewhere) > 0 ? [`${state.refunded_elsewhere} went back by other refunds.`] : []),
    ...(state.ledger_complete ? [] : ['There are refunds that are not in this list: none is granted meanwhile.']),
    ...state.claims.map(({ trade_status }) => `Notified, and not confirmed yet: ${trade_status ?? '?'}`),
    `Waiting for: ${waitingFor}`,
  ];
  return lines;
}

function refundLine(refund: RefundState): string {
  const { out_request_no, refund_amount, refund_currency, outcome, refund_status, started_at } = refund;
  const status = outcome ?? refund_status ?? (started_at ? 'being requested' : 'waits for its turn');
  return `${out_request_no}: ${refund_amount} ${refund_currency}, ${status}`;
}

/** The search attributes of one refund. Its status is the gateway's, or its outcome. */
export function refundAttributes(refund: RefundState): SearchAttributeUpdatePair[] {
  return [
    { key: SEARCH_ATTRIBUTE.status, value: refund.outcome ?? refund.refund_status ?? 'REFUNDING' },
    { key: SEARCH_ATTRIBUTE.currency, value: refund.refund_currency },
    { key: SEARCH_ATTRIBUTE.attention, value: refund.attention },
    amountAttribute(refund.refund_amount),
  ];
}

/** The details of one refund, in Markdown. */
export function refundDetails(refund: RefundState, waitingFor: string): string[] {
  const { refund_amount, refund_currency, outcome, refund_status, confirmed_by } = refund;
  const lines = [
    `**${outcome ?? refund_status ?? 'REQUESTING'}** · ${refund_amount} ${refund_currency}`,
    outcome ? `Ended, known by ${confirmed_by ?? 'the gateway’s answer'}.` : `Waiting for: ${waitingFor}`,
  ];
  return lines;
}
