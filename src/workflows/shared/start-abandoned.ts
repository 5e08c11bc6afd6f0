/** Starts a workflow that outlives the one that starts it, so that callers of the first do not wait for the second. */
import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, type WithWorkflowArgs, type Workflow } from '@temporalio/workflow';
import { TASK_TIMEOUT_MS } from '../../contract';

interface AbandonedStart {
  workflowId: string;
  /** One line for Temporal UI. */
  staticSummary?: string;
  typedSearchAttributes?: SearchAttributePair[];
}

/** Starts a workflow that outlives this one. Returns false where one runs under this id already. */
export async function startAbandoned<T extends Workflow>(
  type: string,
  start: WithWorkflowArgs<T, AbandonedStart>,
): Promise<boolean> {
  try {
    const workflowTaskTimeout = TASK_TIMEOUT_MS[type];
    const timed = workflowTaskTimeout === undefined ? start : { ...start, workflowTaskTimeout };
    await startChild<T>(type, { ...timed, parentClosePolicy: ParentClosePolicy.ABANDON });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}
