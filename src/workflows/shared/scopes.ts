/** Code that no cancellation ends, and parts of a workflow that a person's `resolve` may end at any point. */
import { TemporalFailure } from '@temporalio/common';
import { CancellationScope, condition } from '@temporalio/workflow';

/** A handler, and what it starts, runs outside the scope that protects its workflow: so it needs its own protection. */
export const uncancelled = <T>(act: () => Promise<T>): Promise<T> => CancellationScope.nonCancellable(act);

/** Returns the result of `part`, or cancels it once `isResolved` holds and returns undefined. Fails with the part's own failure. */
export async function runUntilResolved<T>(isResolved: () => boolean, part: () => Promise<T>): Promise<T | undefined> {
  const scope = new CancellationScope();
  const running = scope.run(part);
  // If both happen at the same moment, the resolution wins over a failure.
  await Promise.race([running.catch(() => undefined), condition(isResolved)]);
  if (!isResolved()) return running;
  scope.cancel();
  return running.catch(ignoreTemporalFailure);
}

/** After a resolution the outcome of the part does not count. A programming error still does. */
function ignoreTemporalFailure(error: unknown): undefined {
  if (!(error instanceof TemporalFailure)) throw error;
}

// — Several waits that share one time —

/** Waits until `isMet`. False if the time ended first. */
export type IsInTime = (isMet: () => boolean) => Promise<boolean>;

/** Runs `work`, whose waits have `time_ms` together. They share one timer: each timer costs two events. */
export async function withinOneTime<Result>(
  time_ms: number,
  summary: string,
  work: (isInTime: IsInTime) => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  let isOver = false;
  const time = condition(() => isDone, time_ms, { summary });
  time.then(
    (inTime) => {
      isOver = !inTime;
    },
    () => undefined,
  );
  try {
    return await work(async (isMet) => {
      await condition(() => isOver || isMet());
      return isMet();
    });
  } finally {
    isDone = true;
  }
}
