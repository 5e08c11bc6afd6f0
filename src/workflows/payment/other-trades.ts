/** Trades under the order's number that are not this payment's: each is looked at by itself, and put before a person. */
import { isOfTrade, tradesNamedBy } from '../../contract';
import { lookUnless } from '../shared/look';
import type { PaymentContext } from './context';
import { claimsOfTrade, type PendingClaim, signalsIn } from './known-payment';
import { ofOtherLooked, ofOtherNamed, ofOtherNotified } from './look-results';

/** The trades, other than ours, that these claims name. */
export function otherTradesIn(claims: readonly PendingClaim[], ours: string | null): string[] {
  return tradesNamedBy(signalsIn(claims).filter((one) => !isOfTrade(one, ours)));
}

/** Puts these trades before a person at once: the look at them may take its time. */
export function tellOfOtherTrades(trade_nos: readonly string[], context: PaymentContext): void {
  for (const other of trade_nos) context.learn(...ofOtherNamed(other, noted(other, context)));
}

/** Looks at these trades, and settles the claims that named them. Stops at news of our trade: the look that follows goes on with the rest. */
export async function lookAtOtherTrades(trade_nos: readonly string[], context: PaymentContext): Promise<void> {
  for (const other of trade_nos) {
    const claims = context.known.claims.filter(({ signal }) => signal.trade_no === other);
    if (!(await lookAtOtherTrade(other, context, claims))) return;
    context.learn({ is: 'settled', claims });
  }
}

const hasNewsOfOurs = ({ known, requests }: PaymentContext): boolean =>
  requests.isRequested || claimsOfTrade(known, known.shown.trade_no).some(({ heard }) => heard > known.looked_after);

const noted = (other: string, { known }: PaymentContext) => known.others.find(({ trade_no }) => trade_no === other);

/**
 * Asks the gateway for a trade, and notes its answer and what these claims say. A person is told of changes. False if news of our trade
 * came before the answer.
 */
async function lookAtOtherTrade(
  other: string,
  context: PaymentContext,
  claims: readonly PendingClaim[],
): Promise<boolean> {
  const said = signalsIn(claims).filter(({ trade_no }) => trade_no === other);
  const noteNotified = () => {
    for (const signal of said) context.learn(...ofOtherNotified(context.known, other, signal));
  };
  const before = noted(other, context)?.trade_status;
  noteNotified();
  const looked = await lookUnless(() => hasNewsOfOurs(context), context.app_id, { trade_no: other }, context.policy);
  if (looked === null) return false;
  context.learn(...ofOtherLooked(other, looked));
  noteNotified();
  if (noted(other, context)?.trade_status !== before) context.raise('second-trade');
  return true;
}
