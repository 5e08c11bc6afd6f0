/** The time of activities. A simulated Temporal gives its own time to the activities that it runs. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { activityInfo } from '@temporalio/activity';

const simulated = new AsyncLocalStorage<number>();

/** In ms since the epoch. */
export const currentTime = (): number => simulated.getStore() ?? Date.now();

export const atSimulatedTime = <T>(now: number, activity: () => T): T => simulated.run(now, activity);

/**
 * Temporal's clock as an attempt can know it, in ms since the epoch: when the attempt became due, plus the time since this call on this
 * worker. Only differences of the worker's clock count, because it may be hours off. The task's wait for a worker is not included: the
 * server's timeouts limit it.
 */
export function serverClock(): () => number {
  const { currentAttemptScheduledTimestampMs } = activityInfo();
  const began = currentTime();
  return () => currentAttemptScheduledTimestampMs + (currentTime() - began);
}
