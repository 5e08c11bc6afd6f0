/** Finds a trade that should exist: a notification, a caller or an earlier run named it. */

import type { Attention } from '../../contract';
import type { QueriedTrade, TradeId } from '../../contract/gateway';
import { gateway } from './activities';
import { runUntilResolved } from './cancellable';
import type { Reasons } from './reasons';

/** A person is told after this long that the gateway does not know the trade. */
const UNKNOWN_TRADE_MS = 10 * 60_000;

/** The record of the trade: its ids, and why it needs a person. */
interface AwaitedTrade {
  readonly id: TradeId;
  readonly reasons: Reasons<Attention>;
}

/**
 * Returns the trade once the gateway knows it. After ten minutes the search goes on under the attention `unknown-trade`, until a person
 * settles that: then null. `waitFor` shows what the workflow waits for.
 */
export async function awaitTrade(
  app_id: string,
  record: AwaitedTrade,
  waitFor: (what: string) => void,
): Promise<QueriedTrade | null> {
  const { id } = record;
  const found = [await gateway.searchTrade({ app_id, id, settling_ms: UNKNOWN_TRADE_MS })];
  if (found[0] === null) {
    record.reasons.raise('unknown-trade');
    waitFor('the gateway to know this trade');
    const search = async () => void found.push(await gateway.searchTrade({ app_id, id }));
    await runUntilResolved(() => !record.reasons.has('unknown-trade'), search);
  }
  const trade = found.at(-1) ?? null;
  if (trade) record.reasons.settle('unknown-trade');
  return trade;
}
