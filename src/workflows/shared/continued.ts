/** Which run of its workflow this one is, as its history says. Anybody may start a run with the input of an earlier one. */
import { workflowInfo } from '@temporalio/workflow';
import type { PaymentPolicy } from '../../contract';

/** Whether the run before has continued as this one: only then is what the input hands on the latest that is known. */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/**
 * Whether the run is a reset of the one that was started, and has forgotten what that learned since. A run that is reset after this was
 * recorded has to replay what it did.
 */
export const wasReset = ({ run_id }: Pick<PaymentPolicy, 'run_id'>): boolean =>
  run_id !== workflowInfo().originalExecutionRunId;
