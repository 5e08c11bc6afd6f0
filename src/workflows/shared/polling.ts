/**
 * Waits for a signal while a slow poll runs. The server spaces the poll's attempts: waiting adds no events to the
 * history.
 */

import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';
import type { WatchInput } from '../../contract';
import type { QueriedTrade } from '../../contract/gateway';
import { gateway } from './activities';

/** What came first: the poll's result, an interruption, or the end of the time. */
export type WaitResult<Found> = Found | 'interrupted' | 'timeout';

interface WaitOptions {
  /** Ends the wait as soon as it holds. */
  isInterrupted: () => boolean;
  /** The longest wait; without it there is no limit. */
  timeout_ms?: number | undefined;
  /** Names the timer in Temporal UI. */
  summary?: string | undefined;
}

/** Waits until the trade has another status than `watch.seen`. */
export async function waitForTradeChange(watch: WatchInput, options: WaitOptions): Promise<WaitResult<QueriedTrade>> {
  const watched = await pollUntil(async () => ({ trade: await gateway.watchTrade(watch) }), options);
  return typeof watched === 'string' ? watched : (watched.trade ?? 'timeout');
}

/** An activity that runs beside the code that waits for it, and what has come of it. */
export interface Poll<Found> {
  readonly scope: CancellationScope;
  /** Resolves once the activity has ended, however. */
  readonly ended: Promise<unknown>;
  found?: Found;
  failure?: unknown;
}

export function startPoll<Found>(ask: () => Promise<Found>): Poll<Found> {
  const scope = new CancellationScope();
  const outcome: Pick<Poll<Found>, 'found' | 'failure'> = {};
  const ended = scope.run(ask).then(
    (found) => Object.assign(outcome, { found }),
    (failure) => Object.assign(outcome, { failure }),
  );
  return Object.assign(outcome, { scope, ended });
}

export const hasEnded = ({ found, failure }: Pick<Poll<unknown>, 'found' | 'failure'>) =>
  found !== undefined || failure !== undefined;

/** Runs a poll until it finds something, is interrupted or times out. Fails where the poll itself fails. */
export async function pollUntil<Found extends object | number>(
  ask: () => Promise<Found>,
  { isInterrupted, timeout_ms, summary }: WaitOptions,
): Promise<WaitResult<Found>> {
  const poll = startPoll(ask);
  let isInTime = true;
  let cancelled: unknown;
  try {
    isInTime = await waitUntil(() => hasEnded(poll) || isInterrupted(), timeout_ms, summary);
  } catch (error) {
    // Where this part of the workflow is cancelled, a request that is under way still brings what it brings.
    cancelled = error;
  }
  if (!hasEnded(poll)) {
    poll.scope.cancel();
    await poll.ended;
  }
  if (poll.found !== undefined) return poll.found;
  if (cancelled !== undefined) throw cancelled;
  if (!isCancellation(poll.failure)) throw poll.failure;
  return isInTime ? 'interrupted' : 'timeout';
}

/** False where the time ended first. */
async function waitUntil(isMet: () => boolean, timeout_ms?: number, summary?: string): Promise<boolean> {
  if (timeout_ms !== undefined) {
    return condition(isMet, Math.max(timeout_ms, 1), summary === undefined ? {} : { summary });
  }
  await condition(isMet);
  return true;
}
