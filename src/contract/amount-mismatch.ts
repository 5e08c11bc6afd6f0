/** Both amounts of the reason `amount-mismatch`, in the words that `show` and Temporal UI have. */
import { isMoney, sameAmount } from '../gateway/pure/money';
import type { PaymentState } from './payment';

type Amounts = Pick<PaymentState, 'order_amount' | 'order_currency' | 'mismatch'>;

/** One line, in currency units; undefined where the gateway has named nothing else than was ordered. */
export function mismatchLine({ order_amount, order_currency, mismatch }: Amounts): string | undefined {
  if (!mismatch) return undefined;
  const { amount, currency } = mismatch;
  return `Ordered: ${money(order_amount, order_currency)}. The gateway names: ${money(amount, currency ?? order_currency)}.`;
}

/** Whether this is not what was ordered, or no amount. Of a trade that was adopted without an order, the gateway's first amount counts. Pure. */
export function isUnlikeOrder(
  { order_amount, order_currency }: Pick<PaymentState, 'order_amount' | 'order_currency'>,
  { amount, currency }: { readonly amount?: string | undefined; readonly currency?: string | undefined },
): boolean {
  return (
    (amount !== undefined && !(isMoney(amount) && sameAmount(amount, order_amount ?? amount))) ||
    (currency !== undefined && order_currency !== null && currency.toUpperCase() !== order_currency.toUpperCase())
  );
}

const money = (amount: string | null, currency: string | null) =>
  [amount ?? 'no amount', currency ?? ''].join(' ').trim();
