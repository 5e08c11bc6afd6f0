/** Which run an activity works for. */
import { activityInfo } from '@temporalio/activity';
import { typedFailure, WAS_RESET } from '../contract';

/** Its id. Only an activity outside of a workflow has none. */
export const ownRunId = (): string => activityInfo().workflowExecution?.runId ?? '';

/** Whether the run was reset since `run_id` was noted: what the run before the reset sent may have been carried out. */
export const wasResetSince = (run_id: string): boolean => ownRunId() !== run_id;

/** Throws `WasReset`, for good, where another run than this one has read what was known before; undefined where none had to. */
export function assertNotReset(read_by: string | undefined): void {
  if (read_by !== undefined && wasResetSince(read_by))
    throw typedFailure(WAS_RESET, 'Nothing was asked: the workflow was reset, and reads first what it knew before.');
}
