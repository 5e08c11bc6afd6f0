import Big from 'big.js';
import type { Trade } from '../trades/trade';
import type { Refund, RefundStatus } from './refund';

/** What of a trade's money was given back, is on its way back, and is left; exact. */
export interface Balance {
  refunded: Big;
  refunding: Big;
  left: Big;
}

/** What a refund's amount counts as in each state. */
const countsAs: Readonly<Record<RefundStatus, 'refunded' | 'refunding' | 'nothing'>> = {
  REFUND_VERIFYING: 'refunding',
  REFUND_PROCESSING: 'refunding',
  REFUNDED: 'refunded',
  PARTIAL_REFUND: 'refunded',
  REFUND_REFUSED: 'nothing',
  REFUND_REVOKE: 'nothing',
};

/** The balance of a trade after its refunds. */
export function balanceOf({ order_amount }: Pick<Trade, 'order_amount'>, refunds: readonly Refund[]): Balance {
  const total = (kind: 'refunded' | 'refunding') =>
    refunds
      .filter(({ refund_status }) => countsAs[refund_status] === kind)
      .reduce((sum, { refund_amount }) => sum.plus(refund_amount), new Big(0));
  const [refunded, refunding] = [total('refunded'), total('refunding')];
  return { refunded, refunding, left: new Big(order_amount).minus(refunded).minus(refunding) };
}
