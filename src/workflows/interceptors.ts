/** The interceptors of each workflow, a merchant's as well. */
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { FailedTasks } from './failed-tasks';
import { ForeignPayloads, ForeignStarts, ForeignUpdates } from './foreign-payloads';
import { TracedRun } from './traced';

/** The SDK calls it once for each workflow. */
export const interceptors = (): WorkflowInterceptors => {
  const [failedTasks, traced] = [new FailedTasks(), new TracedRun()];
  return {
    internals: [failedTasks, new ForeignPayloads()],
    inbound: [traced, new ForeignStarts(), new ForeignUpdates()],
    outbound: [failedTasks, traced],
  };
};
