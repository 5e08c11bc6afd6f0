/** Trades under the order's number that are not this payment's: each is looked at by itself, and put before a person. */
import { isOfTrade, type NotificationSignal, tradesNamedBy } from '../../contract';
import { lookOnce } from '../shared/look';
import { isBehind } from '../shared/stale-read';
import type { PaymentContext } from './context';
import { type PendingClaim, signalsIn } from './known-payment';

/** The trades that these claims name beside ours. */
export function otherTradesIn(claims: readonly PendingClaim[], ours: string | null): string[] {
  return tradesNamedBy(signalsIn(claims).filter((one) => !isOfTrade(one, ours)));
}

/** Looks at these trades, which settles the claims that had named them. */
export async function lookAtOtherTrades(trade_nos: readonly string[], context: PaymentContext): Promise<void> {
  const claims = context.known.claims.filter(({ signal }) => signal.trade_no && trade_nos.includes(signal.trade_no));
  for (const trade_no of trade_nos) await lookAtOtherTrade(trade_no, context, claims);
  context.learn({ is: 'settled', claims });
}

/** Asks the gateway for a trade, takes note of it and of what these claims say of it, and raises `second-trade`. */
export async function lookAtOtherTrade(
  other: string,
  context: PaymentContext,
  claims: readonly PendingClaim[],
): Promise<void> {
  const said = signalsIn(claims).filter(({ trade_no }) => trade_no === other);
  // Told at once: the look may take its time.
  for (const signal of said) noteClaim(other, signal, context);
  context.learn({ is: 'noted', other });
  context.raise('second-trade');
  const looked = await lookOnce(context.app_id, { trade_no: other }, context.policy);
  if (looked.is === 'found') context.learn({ is: 'noted', other, said: looked.trade, isAnswered: true });
  if (looked.is === 'no-such-order') context.learn({ is: 'noted', other, isAnswered: true });
  // The replica that answers may be behind: what was acknowledged as money stays money.
  for (const signal of said) noteClaim(other, signal, context);
}

/** A notification counts where the trade shows no such money, or nothing is known of the trade. */
function noteClaim(
  other: string,
  { trade_status, amount, ...said }: NotificationSignal,
  context: PaymentContext,
): void {
  const known = context.known.others.find(({ trade_no }) => trade_no === other);
  if (trade_status === undefined || (known?.trade_status && !isBehind(known.trade_status, [{ ...said, trade_status }])))
    return;
  context.learn({ is: 'noted', other, said: { trade_status, order_amount: known?.order_amount ?? amount } });
}
