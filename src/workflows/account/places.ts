/** How many deposits a run of an account confirms at the same time. Pure. */

/** How many of each queue hold a place. */
const AT_ONCE = 50;
/**
 * How many payments a run waits for, whether they hold a place or not. Temporal takes 2,000 open children of one run, and as many activities, and
 * fails the task that begins one more. Only a run that has too much to hand on, and so goes on, comes so far.
 */
const MOST_AWAITED = 1_000;

/** How many more deposits of a queue may begin, where so many hold its places and so many payments are awaited in all. */
export const freePlaces = (holders: number, awaited: number): number =>
  Math.max(0, Math.min(AT_ONCE - holders, MOST_AWAITED - awaited));
