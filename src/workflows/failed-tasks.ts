/**
 * A task that cannot be taken fails as a whole. Where one of its jobs throws, because a payload cannot be read, the SDK
 * leaves what the jobs before it had begun until the workflow is put away. Code that then runs has no workflow any more:
 * each promise that it rejects ends the worker's process, and so does the next try. Here it runs before the task fails.
 */
import type {
  ActivateInput,
  ConcludeActivationInput,
  ConcludeActivationOutput,
  Next,
  WorkflowInterceptors,
  WorkflowInternalsInterceptor,
} from '@temporalio/workflow';
import { ForeignPayloads, ForeignStarts } from './foreign-payloads';

class FailedTasks implements WorkflowInternalsInterceptor {
  private failed: { why: unknown } | undefined;

  activate(input: ActivateInput, next: Next<WorkflowInternalsInterceptor, 'activate'>): void {
    // A task may come in batches, of which the first has the number 0.
    if (input.batchIndex === 0) this.failed = undefined;
    if (this.failed) return;
    try {
      next(input);
    } catch (why) {
      this.failed = { why };
    }
  }

  concludeActivation(
    input: ConcludeActivationInput,
    next: Next<WorkflowInternalsInterceptor, 'concludeActivation'>,
  ): ConcludeActivationOutput {
    if (this.failed) throw this.failed.why;
    return next(input);
  }
}

/** The SDK calls it once for each workflow. */
export const interceptors = (): WorkflowInterceptors => ({
  internals: [new FailedTasks(), new ForeignPayloads()],
  inbound: [new ForeignStarts()],
});
