/** Trades under the order's number that are not this payment's: each is looked at by itself, and put before a person. */
import { isOfTrade, type NotificationSignal, tradesNamedBy } from '../../contract';
import { lookOnce } from '../shared/look';
import type { PendingNotifications } from '../shared/pending-notifications';
import { isBehind } from '../shared/stale-read';
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
  for (const trade_no of trade_nos) await lookAtOtherTrade(app_id, trade_no, context, named);
  pending.settle(named);
}

/** Asks the gateway for a trade, takes note of it and of what these notifications say of it, and raises `second-trade`. */
export async function lookAtOtherTrade(
  app_id: string,
  trade_no: string,
  context: PaymentContext,
  notifications: readonly NotificationSignal[],
): Promise<void> {
  const claims = notifications.filter((one) => one.trade_no === trade_no);
  // Told at once: the look may take its time.
  for (const claim of claims) noteClaim(trade_no, claim, context);
  context.record.others.note(trade_no);
  context.raise('second-trade');
  const looked = await lookOnce(app_id, { trade_no }, context.policy);
  if (looked.is === 'found') context.record.others.note(trade_no, looked.trade);
  if (looked.is !== 'no-answer') context.record.others.markAnswered(trade_no);
  // The copy that answers may be behind: what was acknowledged as money stays money.
  for (const claim of claims) noteClaim(trade_no, claim, context);
}

/** A notification counts where the trade shows no such money, or nothing is known of the trade. */
function noteClaim(trade_no: string, claim: NotificationSignal, { record }: PaymentContext): void {
  const { trade_status, amount } = claim;
  const known = record.others.find(trade_no);
  if (trade_status === undefined || (known?.trade_status && !isBehind(known.trade_status, [claim]))) return;
  record.others.note(trade_no, { trade_status, order_amount: known?.order_amount ?? amount });
}
