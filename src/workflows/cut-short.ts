/** Runs a part of a workflow's life, which a person's word may cut short at any point. */
import { TemporalFailure } from '@temporalio/common';
import { CancellationScope, condition } from '@temporalio/workflow';

export async function runUnless(isDecided: () => boolean, part: () => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  const running = scope.run(part);
  // A failure that comes at the very moment of the word comes after it.
  await Promise.race([running.catch(() => undefined), condition(isDecided)]);
  if (!isDecided()) return running;
  scope.cancel();
  await running.catch(overruled);
}

/** What the part came to does not count any more; faults of our own do. */
function overruled(error: unknown): void {
  if (!(error instanceof TemporalFailure)) throw error;
}
