/** Finds a trade that should exist: a notification, a caller or an earlier run named it. */

import type { QueriedTrade, TradeId } from '../../contract/gateway';
import { attentionAfter, type LookTimes, lookOnce, searchOn } from './look';
import type { TradeReasons } from './reasons';

/** After a silence, a denial ends the search once it has lasted this long: then a look decides. */
const SETTLING_MS = 30_000;

/** The record of the trade: its ids, and why it needs a person. */
interface AwaitedTrade {
  readonly id: TradeId;
  readonly reasons: TradeReasons;
}

/**
 * Returns the trade once the gateway knows it. After `patience_ms` of denials the search goes on under the attention `unknown-trade`,
 * until a person settles that: then null. After as long a silence it goes on under the reason for that, and what the gateway
 * says after it is decided in the same way. `waitFor` shows what the workflow waits for.
 */
export async function awaitTrade(
  app_id: string,
  record: AwaitedTrade,
  { patience_ms }: LookTimes,
  waitFor: (what: string) => void,
): Promise<QueriedTrade | null> {
  const { id } = record;
  for (;;) {
    const looked = await lookOnce(app_id, id, { settling_ms: patience_ms, patience_ms });
    if (looked.is === 'found') return foundBy(record.reasons, looked.trade);
    record.reasons.raise(attentionAfter(looked));
    waitFor('the gateway to know this trade');
    const isSettled = () => looked.is === 'no-such-order' && !record.reasons.has('unknown-trade');
    const search = { app_id, id, after: looked.is, settling_ms: SETTLING_MS };
    const found = await searchOn(search, isSettled);
    if (found) return foundBy(record.reasons, found);
    if (isSettled()) return null;
  }
}

function foundBy(reasons: TradeReasons, trade: QueriedTrade): QueriedTrade {
  reasons.settleUnanswered();
  return trade;
}
