/** Starts and signals other workflows. */
import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  type WithWorkflowArgs,
  type Workflow,
} from '@temporalio/workflow';
import { TASK_TIMEOUT_MS } from '../../contract';

interface AbandonedStart {
  workflowId: string;
  /** One line for Temporal UI. */
  staticSummary?: string;
  typedSearchAttributes?: SearchAttributePair[];
}

/**
 * Starts a workflow that outlives this one, so that callers of this one do not wait for it. Returns false where one runs under this id
 * already.
 */
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

/** Signals another workflow. Returns false where none runs under this id. */
export async function signalIfRunning(workflowId: string, signal: string, arg: unknown): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal, arg);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

/** Starts a workflow that outlives this one, or signals the one that runs: it may just have ended, and is started then. */
export async function startOrSignal<T extends Workflow>(
  type: string,
  start: WithWorkflowArgs<T, AbandonedStart>,
  signal: string,
  arg: unknown,
): Promise<void> {
  while (!(await startAbandoned<T>(type, start))) if (await signalIfRunning(start.workflowId, signal, arg)) return;
}
