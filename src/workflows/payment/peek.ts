/** A first look that costs next to nothing: most deposits are paid when they are notified. */
import { workflowInfo } from '@temporalio/workflow';
import { knownIds, outcomeOf, type PaymentInput, type Trade } from '../../contract';
import { glance } from '../shared/look';

/** Whether the payment is that of an account's deposit, or of another workflow that takes a trade on. */
export function mayPeek(input: PaymentInput): boolean {
  return input.kind === 'adopt' && input.previous === undefined && workflowInfo().parent !== undefined;
}

/**
 * The trade if it is paid. Null says nothing: then it is looked for as every other. Notifications that come meanwhile change
 * nothing of it, because a replay may see them before it or after it.
 */
export async function peekAtPaid(input: PaymentInput): Promise<Trade | null> {
  if (input.kind !== 'adopt' || !mayPeek(input)) return null;
  const { app_id, out_trade_no = null, trade_no = null } = input;
  const trade = await glance(app_id, knownIds({ out_trade_no, trade_no }));
  return trade && outcomeOf(trade.trade_status) === 'SUCCESS' ? trade : null;
}
