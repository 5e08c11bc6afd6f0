/**
 * A task that cannot be taken fails as a whole. If one of its jobs throws, because a payload cannot be read, the SDK
 * leaves the work of the jobs before it pending until the workflow is evicted. Code that runs then has no workflow any more:
 * each promise that it rejects ends the worker's process, at this and at the next try. Here that code runs before the task fails.
 *
 * A task whose worker cannot run a local activity fails, too. The failure is not in the history, so no code may go on from it:
 * another worker takes the failed task, and Temporal shows that it fails.
 */
import { ActivityFailure, TemporalFailure } from '@temporalio/common';
import type {
  ActivateInput,
  ConcludeActivationInput,
  ConcludeActivationOutput,
  LocalActivityInput,
  Next,
  WorkflowInternalsInterceptor,
  WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';

export class FailedTasks implements WorkflowInternalsInterceptor, WorkflowOutboundCallsInterceptor {
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

  async scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, 'scheduleLocalActivity'>,
  ): Promise<unknown> {
    try {
      return await next(input);
    } catch (why) {
      // The worker's settings decide everything that follows, so nothing can go on without them.
      const isNeeded = input.activityType === 'gateway.policy' && why instanceof ActivityFailure;
      if (isNeeded || !(why instanceof TemporalFailure)) this.failed ??= { why };
      throw why;
    }
  }
}
