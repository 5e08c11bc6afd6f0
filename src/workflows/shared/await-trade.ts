/** Finds a trade that should exist: a notification, a caller or an earlier run named it. */

import type { Attention } from '../../contract';
import type { QueriedTrade, TradeId } from '../../contract/gateway';
import { gateway } from './activities';

/** A person is told after this long that the gateway does not know the trade. */
const UNKNOWN_TRADE_MS = 10 * 60_000;

/** The record of the trade: its ids, and where to raise the attention. */
interface AwaitedTrade {
  readonly id: TradeId;
  raise(attention: Attention): void;
  settle(attention: Attention): void;
}

/**
 * Returns the trade once the gateway knows it. Searches without end, under the attention `unknown-trade` after ten
 * minutes. `waitFor` shows what the workflow waits for.
 */
export async function awaitTrade(
  app_id: string,
  record: AwaitedTrade,
  waitFor: (what: string) => void,
): Promise<QueriedTrade | null> {
  let found = await gateway.searchTrade({ app_id, id: record.id, settling_ms: UNKNOWN_TRADE_MS });
  if (!found) {
    record.raise('unknown-trade');
    waitFor('the gateway to know this trade');
    found = await gateway.searchTrade({ app_id, id: record.id });
  }
  if (found) record.settle('unknown-trade');
  return found;
}
