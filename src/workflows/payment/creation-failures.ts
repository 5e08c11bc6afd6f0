/** How a creation fails: what callers are told, and what to do next. */
import type { ApplicationFailure } from '@temporalio/workflow';
import { FAILURE, IF_MADE_ELSEWHERE, type NewPayment, type Trade, typedFailure } from '../../contract';

interface Refusal {
  /** What the gateway said, or why it was not asked; undefined where nothing was tried. */
  message: string | undefined;
  details: { readonly outcome: 'not-created' | 'not-sent'; readonly [field: string]: unknown };
  isWithdrawn: boolean;
}

export function notCreatedFailure(
  { request: { out_trade_no } }: NewPayment,
  { message, details, isWithdrawn }: Refusal,
): ApplicationFailure {
  const unsent = isWithdrawn
    ? 'was not sent: it was withdrawn.'
    : 'was not sent: its time was over before it could be.';
  const words =
    details.outcome === 'not-sent'
      ? `${(isWithdrawn ? undefined : message) ?? `Order ${out_trade_no} ${unsent}`} Nothing was charged.`
      : (message ?? `Order ${out_trade_no} was not created.`);
  return typedFailure(FAILURE.notCreated, words, details);
}

/** `trade`: what the gateway shows under the number, where it shows anything. */
export function duplicateOrderFailure(
  { request: { out_trade_no } }: NewPayment,
  trade: Trade | undefined,
): ApplicationFailure {
  const { trade_no = null, trade_status = null, order_amount = null } = trade ?? {};
  const has = trade ? `: trade ${trade_no}, ${trade_status}, ${order_amount ?? 'of an unknown amount'}` : '';
  return typedFailure(
    FAILURE.duplicateOrder,
    `The gateway has an order ${out_trade_no} already, which was not made here${has}. ${IF_MADE_ELSEWHERE}`,
    { trade_no, trade_status, order_amount },
  );
}
