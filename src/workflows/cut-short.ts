/** Runs a part of a workflow's life, which a person's word may cut short at any point. */
import { CancellationScope, condition, isCancellation } from '@temporalio/workflow';

export async function runUnless(isDecided: () => boolean, part: () => Promise<void>): Promise<void> {
  const scope = new CancellationScope();
  const running = scope.run(part);
  await Promise.race([running, condition(isDecided)]);
  if (!isDecided()) return;
  scope.cancel();
  await running.catch(asCancellation);
}

/** Swallows the cancellation that was asked for, and nothing else. */
function asCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
