/** The time of activities. A simulated Temporal gives those that it runs its own. */
import { AsyncLocalStorage } from 'node:async_hooks';

const simulated = new AsyncLocalStorage<number>();

/** In ms since the epoch. */
export const currentTime = (): number => simulated.getStore() ?? Date.now();

/** Runs an activity at a simulated time. */
export const atSimulatedTime = <T>(now: number, activity: () => T): T => simulated.run(now, activity);
