/** What was announced and the gateway's answer does not say: the answer may come from a copy that is behind, so it has to last. */
import { patched } from '@temporalio/workflow';
import type { Trade, TradeId } from '../gateway/query';
import { settleTrade } from './activities';
import type { NotificationSignal } from './contract';
import { tellsOfMoney } from './transitions';

export interface Asked {
  trade: Trade;
  /** Whether the gateway keeps saying otherwise than it announced: a person has to look. */
  denied: boolean;
}

/** Holds what the gateway answered against its notifications, and asks again until an answer agrees or has lasted. */
export async function askAgainIfBehind(
  trade: Trade,
  claims: readonly Pick<NotificationSignal, 'trade_status'>[],
  { app_id, id, settling_ms }: { app_id: string; id: TradeId; settling_ms: number },
): Promise<Asked> {
  const isBehind = (status: string) => claims.some((claim) => tellsOfMoney(status, claim.trade_status ?? ''));
  // Histories of earlier versions take the first answer.
  if (!isBehind(trade.trade_status) || !patched('what-was-announced-is-asked-for-again')) {
    return { trade, denied: false };
  }
  for (let last = trade; ; ) {
    const { trade_status: seen } = last;
    const next = await settleTrade({ app_id, id, seen, settling_ms });
    if (!isBehind(next.trade_status)) return { trade: next, denied: false };
    if (next.trade_status === seen) return { trade: next, denied: true };
    last = next;
  }
}
