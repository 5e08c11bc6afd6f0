/** Whether an amount is what was ordered. Pure. */
import type { PaymentState } from '../../contract';
import { sameAmount } from '../../gateway/pure/money';

/** Whether this is not what was ordered. Of a trade that was adopted without an order, the gateway's first word counts. */
export function isUnlikeOrder(
  { order_amount, order_currency }: Pick<PaymentState, 'order_amount' | 'order_currency'>,
  { amount, currency }: { readonly amount: string | undefined; readonly currency: string | undefined },
): boolean {
  return (
    (amount !== undefined && order_amount !== null && !sameAmount(amount, order_amount)) ||
    (currency !== undefined && order_currency !== null && currency.toUpperCase() !== order_currency.toUpperCase())
  );
}
