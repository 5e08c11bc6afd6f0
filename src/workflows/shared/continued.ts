/** Whether the input of this run comes from the run before it. Anybody may start a run with the input of an earlier one. */
import { workflowInfo } from '@temporalio/workflow';

/** Whether the run before has continued as this one: only then is what the input hands on the latest that is known. */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;
