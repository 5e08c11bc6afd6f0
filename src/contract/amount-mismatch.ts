/** Both amounts of the reason `amount-mismatch`, in the words that `show` and Temporal UI have. */
import type { PaymentState } from './payment';

type Amounts = Pick<PaymentState, 'order_amount' | 'order_currency' | 'mismatch'>;

/** One line, in currency units; undefined where the gateway has named nothing else than was ordered. */
export function mismatchLine({ order_amount, order_currency, mismatch }: Amounts): string | undefined {
  if (!mismatch) return undefined;
  const { amount, currency } = mismatch;
  return `Ordered: ${money(order_amount, order_currency)}. The gateway names: ${money(amount, currency ?? order_currency)}.`;
}

const money = (amount: string | null, currency: string | null) =>
  [amount ?? 'no amount', currency ?? ''].join(' ').trim();
