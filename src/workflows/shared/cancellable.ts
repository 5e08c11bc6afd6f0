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
