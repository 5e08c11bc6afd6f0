/** How a workflow comes to a trade that is there by all that it was told. */
import type { Trade, TradeId } from '../gateway/query';
import { findTrade } from './activities';
import type { Attention } from './contract';

/** A trade that the gateway does not know is looked for this long before a person is told. */
const ANNOUNCED_MS = 10 * 60_000;

/** What is known of the trade before it is found. */
interface Announced {
  readonly id: TradeId;
  raise(attention: Attention): void;
  settle(attention: Attention): void;
}

/** The trade, once the gateway knows it; it is looked for without an end. `waitFor` shows what is waited for. */
export async function findKnownTrade(
  app_id: string,
  record: Announced,
  waitFor: (what: string) => void,
): Promise<Trade | null> {
  let found = await findTrade({ app_id, id: record.id, settling_ms: ANNOUNCED_MS });
  if (!found) {
    record.raise('unknown-trade');
    waitFor('the gateway to know this trade');
    found = await findTrade({ app_id, id: record.id });
  }
  if (found) record.settle('unknown-trade');
  return found;
}
