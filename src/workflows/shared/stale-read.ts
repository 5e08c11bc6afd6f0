/**
 * A query can contradict a notification, because the gateway may read a replica that lags behind. So query again until
 * they agree, or until the answer has stayed the same for `settling_ms`.
 */

import type { NotificationSignal } from '../../contract';
import { type LookResult, reportsNewMoney } from '../../contract';
import type { QueriedTrade, Trade, TradeId } from '../../contract/gateway';
import { gateway } from './activities';
import { LOOK_PATIENCE_MS, searchUntilFound } from './look';
import type { RecheckRequests } from './recheck-requests';

export interface ConsistentRead<Queried extends Trade> {
  trade: Queried | QueriedTrade;
  /** The gateway keeps contradicting its own notification: a person has to look. */
  contradicted: boolean;
}

/** What is asked for. `onUnanswered` hears of a look that did not find the trade; then it is asked for ever less often. */
interface Read {
  readonly app_id: string;
  readonly id: TradeId;
  readonly settling_ms: number;
  readonly onUnanswered?: (looked: Exclude<LookResult, { is: 'found' }>) => void;
  /** Who asks to look now, and hears the next look although it finds nothing. */
  readonly requests?: RecheckRequests;
}

/** Compares a queried trade with the notifications about it, and queries again while the trade may be stale. */
export async function queryUntilConsistent<Queried extends Trade>(
  queried: Queried,
  claims: readonly Pick<NotificationSignal, 'trade_status'>[],
  read: Read,
  isStale: typeof isBehind = isBehind,
): Promise<ConsistentRead<Queried>> {
  for (let trade: Queried | QueriedTrade = queried; ; ) {
    if (!isStale(trade.trade_status, claims)) return { trade, contradicted: false };
    const { trade_status: seen } = trade;
    trade = await settledTrade(seen, read);
    if (trade.trade_status === seen) return { trade, contradicted: true };
  }
}

/** The trade once its status differs from `seen`, or once the gateway has answered `seen` for `settling_ms`. */
export async function settledTrade(
  seen: string,
  { app_id, id, settling_ms, requests, onUnanswered = () => undefined }: Read,
): Promise<QueriedTrade> {
  for (;;) {
    const answer = requests?.begin();
    const looked = await gateway.lookAtTrade({ app_id, id, settling_ms, patience_ms: LOOK_PATIENCE_MS, seen });
    if (looked.is === 'found') return looked.trade;
    onUnanswered(looked);
    answer?.();
    await searchUntilFound({ app_id, id }, () => requests?.isRequested === true);
  }
}

/** Whether a notification reports money that this status does not show. Pure. */
export function isBehind(status: string, claims: readonly Pick<NotificationSignal, 'trade_status'>[]): boolean {
  return claims.some((claim) => reportsNewMoney(status, claim.trade_status ?? ''));
}
