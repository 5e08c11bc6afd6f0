/** The time of activities. A simulated Temporal gives those that it runs its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { activityInfo } from '@temporalio/activity';

const simulated = new AsyncLocalStorage<number>();

/** In ms since the epoch. */
export const currentTime = (): number => simulated.getStore() ?? Date.now();

/** Runs an activity at a simulated time. */
export const atSimulatedTime = <T>(now: number, activity: () => T): T => simulated.run(now, activity);

/**
 * Temporal's clock, as far as an attempt knows it, in ms since the epoch: when it became due, and what has passed on this worker
 * since the call. A worker's own clock may be hours off, so only its differences count. What the task waited for a worker is
 * not in it: the server's time-outs bound that.
 */
export function serverClock(): () => number {
  const { currentAttemptScheduledTimestampMs } = activityInfo();
  const began = currentTime();
  return () => currentAttemptScheduledTimestampMs + (currentTime() - began);
}
