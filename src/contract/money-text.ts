/** How people read money. */
import { isMoney, sumOf } from '../gateway/pure/money';

/** "3.00 MXN", with or without its currency. What is no money stays as somebody has written it. */
export const moneyText = (amount: string | null, currency: string | null = null): string =>
  [isMoney(amount) ? sumOf([amount]) : (amount ?? 'no amount'), currency ?? ''].join(' ').trim();
