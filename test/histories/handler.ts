/** The merchant's handler of the stacks on which lives are recorded. */
import type { MerchantEvent } from '../../src/contract';

/** Orders and accounts whose events the handler refuses. */
export const refused = new Set<string>();

export async function handler(event: MerchantEvent): Promise<void> {
  const id = 'payment' in event ? event.payment.out_trade_no : 'account' in event && event.account.account_id;
  if (refused.has(id || '')) throw new Error('the handler is out of order');
}
