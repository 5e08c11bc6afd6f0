/** Trades under the order's number that are not this payment's: each is looked at by itself, and put before a person. */
import { isOfTrade, tradesNamedBy } from '../../contract';
import { lookOnce } from '../shared/look';
import type { PaymentContext } from './context';
import { type PendingClaim, signalsIn } from './known-payment';
import { ofOtherLooked, ofOtherNamed, ofOtherNotified } from './look-results';

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
  const noteNotified = () => {
    for (const signal of said) context.learn(...ofOtherNotified(context.known, other, signal));
  };
  noteNotified();
  context.learn(...ofOtherNamed(other));
  context.learn(...ofOtherLooked(other, await lookOnce(context.app_id, { trade_no: other }, context.policy)));
  noteNotified();
}
