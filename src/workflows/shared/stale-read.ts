/**
 * A query can contradict a notification, because the gateway may read a replica that lags behind. So query again until
 * they agree, or until the answer has stayed the same for `settling_ms`.
 */

import type { NotificationSignal } from '../../contract';
import { reportsNewMoney } from '../../contract';
import type { Trade, TradeId } from '../../contract/gateway';
import { gateway } from './activities';

export interface ConsistentRead {
  trade: Trade;
  /** The gateway keeps contradicting its own notification: a person has to look. */
  contradicted: boolean;
}

/** Compares a queried trade with the notifications about it, and queries again while the trade may be stale. */
export async function queryUntilConsistent(
  queried: Trade,
  claims: readonly Pick<NotificationSignal, 'trade_status'>[],
  { app_id, id, settling_ms }: { app_id: string; id: TradeId; settling_ms: number },
  isStale: typeof isBehind = isBehind,
): Promise<ConsistentRead> {
  for (let trade = queried; ; ) {
    if (!isStale(trade.trade_status, claims)) return { trade, contradicted: false };
    const { trade_status: seen } = trade;
    trade = await gateway.settleTrade({ app_id, id, seen, settling_ms });
    if (trade.trade_status === seen) return { trade, contradicted: true };
  }
}

/** Whether a notification reports money that this status does not show. Pure. */
export function isBehind(status: string, claims: readonly Pick<NotificationSignal, 'trade_status'>[]): boolean {
  return claims.some((claim) => reportsNewMoney(status, claim.trade_status ?? ''));
}
