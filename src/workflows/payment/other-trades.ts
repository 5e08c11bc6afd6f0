/** Trades under the order's number that are not this payment's: each is looked at by itself, and put before a person. */
import { isOfTrade, type NotificationSignal, tradesNamedBy } from '../../contract';
import { lookOnce } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import type { PaymentContext } from './context';

/** The trades that these notifications name beside ours. */
export function otherTradesIn(notifications: readonly NotificationSignal[], ours: string | null): string[] {
  return tradesNamedBy(notifications.filter((one) => !isOfTrade(one, ours)));
}

/** Looks at these trades, which settles the notifications that had named them. */
export async function lookAtOtherTrades(
  trade_nos: readonly string[],
  app_id: string,
  context: PaymentContext,
  pending: PendingNotifications,
): Promise<void> {
  const named = pending.all.filter(({ trade_no }) => trade_no && trade_nos.includes(trade_no));
  for (const trade_no of trade_nos) await lookAtOtherTrade(app_id, trade_no, context);
  pending.settle(named);
}

/** Asks the gateway for a trade, takes note of it, and raises `second-trade`. */
export async function lookAtOtherTrade(app_id: string, trade_no: string, context: PaymentContext): Promise<void> {
  // Told at once: the look may take its time.
  context.record.noteOtherTrade(trade_no);
  context.raise('second-trade');
  const looked = await lookOnce(app_id, { trade_no }, context.policy.settling_ms);
  if (looked.is === 'found') context.record.noteOtherTrade(trade_no, looked.trade);
}
