/** Numbers (`out_request_no`) of refunds for which the merchant gives none. Pure. */
import type { AfterSaleState } from '../../contract';
import { digestOf } from '../../gateway/pure/digest';
import { sumOf } from '../../gateway/pure/money';

/** The numbers of a trade: the order's is the surer one, because it never changes. */
type TradeNumbers = Pick<AfterSaleState, 'out_trade_no' | 'trade_no'>;

/** What tells a part of a payment from its other parts. */
interface RefundedPart {
  readonly amount: string;
  readonly currency: string;
  readonly reason: string;
}

/**
 * The number of a refund: the same for the same trade, amount, currency and reason, at most 16 characters, and another one
 * for each trade, because a gateway may ask for numbers that are unique over the whole app. That of all, or of all that is left,
 * is one for each trade: asked for twice, it is one refund. It holds nothing personal.
 */
export function generatedRefundNumber(trade: TradeNumbers, part: RefundedPart | 'whole'): string {
  const what = part === 'whole' ? [part] : [sumOf([part.amount]), part.currency.toUpperCase(), part.reason];
  return `R${digestOf(JSON.stringify([trade.out_trade_no ?? trade.trade_no, ...what]))}`;
}

/** The number of the refund of a late payment: always the same for a trade, and another one for each trade. */
export function latePaymentRefundNumber({ out_trade_no, trade_no }: TradeNumbers): string {
  return `L${digestOf(JSON.stringify([out_trade_no ?? trade_no]))}`;
}
