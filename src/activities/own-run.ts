/** Which run an activity works for. */
import { activityInfo } from '@temporalio/activity';

/** Its id. Only an activity outside of a workflow has none. */
export const ownRunId = (): string => activityInfo().workflowExecution?.runId ?? '';

/** Whether the run was reset since `run_id` was noted: what the run before the reset sent may have been carried out. */
export const wasResetSince = (run_id: string): boolean => ownRunId() !== run_id;
