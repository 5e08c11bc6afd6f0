/** Starts and signals other workflows. */
import { type SearchAttributePair, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  sleep,
  startChild,
  type WithWorkflowArgs,
  type Workflow,
} from '@temporalio/workflow';
import { TASK_TIMEOUT_MS } from '../../contract';
import { nextBackoff } from './backoff';

/** Long enough for a workflow that is about to end. In ms. */
const FIRST_PAUSE_MS = 1_000;

interface AbandonedStart {
  workflowId: string;
  /** One line for Temporal UI. */
  staticSummary?: string;
  typedSearchAttributes?: SearchAttributePair[];
}

/**
 * Starts a workflow that outlives this one, so that callers of this one do not wait for it. Returns false if a workflow runs under this id
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

/** Signals another workflow. Returns false if none runs under this id, or it takes no signal. */
export async function signalIfRunning(workflowId: string, signal: string, ...args: unknown[]): Promise<boolean> {
  try {
    await getExternalWorkflowHandle(workflowId).signal(signal, ...args);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}

const TAKES_NEITHER = 'It runs and takes no signal: settle what it waits for. Then it is told again';

/**
 * Starts a workflow that outlives this one, or signals the one that runs. If that one has just ended, the next try starts it. If it runs and
 * takes no signal (its limit is 10,000), the tries come ever later: without pauses this run would reach its own limit in minutes.
 */
export async function startOrSignal<T extends Workflow>(
  type: string,
  start: WithWorkflowArgs<T, AbandonedStart>,
  signal: string,
  arg: unknown,
): Promise<void> {
  for (let pause_ms = FIRST_PAUSE_MS; !(await startAbandoned<T>(type, start)); pause_ms = nextBackoff(pause_ms)) {
    if (await signalIfRunning(start.workflowId, signal, arg)) return;
    await sleep(pause_ms, { summary: TAKES_NEITHER });
  }
}
