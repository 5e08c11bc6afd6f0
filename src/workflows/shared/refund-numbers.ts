/** Numbers (`out_request_no`) of refunds for which the merchant gives none. Pure. */
import type { AfterSaleState, RefundOrder } from '../../contract';
import { sumOf } from '../../gateway/pure/money';

/**
 * The number of a partial refund: the same for the same amount, currency and reason, at most 16 characters. It holds
 * nothing personal, because it stands in a workflow's id.
 */
export function generatedRefundNumber({ refund_amount, refund_currency, refund_reason = '' }: RefundOrder): string {
  return `R${hashOf([sumOf([refund_amount]), refund_currency.toUpperCase(), refund_reason])}`;
}

/** The number of the refund of a late payment: always the same for a trade, and another one for each trade. */
export function latePaymentRefundNumber({
  out_trade_no,
  trade_no,
}: Pick<AfterSaleState, 'out_trade_no' | 'trade_no'>): string {
  return `L${hashOf([out_trade_no ?? trade_no])}`;
}

function hashOf(parts: readonly (string | null)[]): string {
  const text = JSON.stringify(parts);
  // FNV-1a with 64 bits: workflows have no crypto, and this only has to tell a few refunds of one trade apart.
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36).padStart(13, '0');
}
