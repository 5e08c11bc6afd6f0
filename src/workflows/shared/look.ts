/** One look at a trade, what it needs of a person, and the search for a trade that the gateway does not show yet. */
import { ActivityFailure, isCancellation } from '@temporalio/workflow';
import type { Attention, FindInput, LookResult, QueriedTrade, TradeId } from '../../contract';
import { gateway, glanceAtTrade } from './activities';
import { pollUntil } from './polling';

/** A look that has no answer after this long needs a person, in ms. */
export const LOOK_PATIENCE_MS = 10 * 60_000;

/** "No such order" counts once it has lasted for `settling_ms`. */
export function lookOnce(app_id: string, id: TradeId, settling_ms: number): Promise<LookResult> {
  return gateway.lookAtTrade({ app_id, id, settling_ms, patience_ms: LOOK_PATIENCE_MS });
}

/**
 * One look that the workflow task which is under way makes itself: it costs no task more. Null where the gateway has not answered
 * within a moment: then a look that is repeated follows.
 */
export async function glance(app_id: string, id: TradeId): Promise<QueriedTrade | null> {
  try {
    return await glanceAtTrade({ app_id, id });
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return null;
  }
}

/** Why a person has to know of a look that did not find the trade. */
export function attentionAfter(looked: Exclude<LookResult, { is: 'found' }>): Attention {
  if (looked.is === 'no-such-order') return 'unknown-trade';
  return looked.credentials ? 'credentials' : 'no-answer';
}

/** Asks on, ever more slowly, until the trade is found; null once `isInterrupted` holds. */
export async function searchUntilFound(search: FindInput, isInterrupted: () => boolean): Promise<QueriedTrade | null> {
  const found = await pollUntil(async () => ({ trade: await gateway.searchTrade(search) }), { isInterrupted });
  return typeof found === 'string' ? null : found.trade;
}
