/** Which run an activity works for. */
import { activityInfo } from '@temporalio/activity';
import { typedFailure, WAS_RESET } from '../contract';

/** Its id. Only an activity outside of a workflow has none. */
export const ownRunId = (): string => activityInfo().workflowExecution?.runId ?? '';

/** Whether the run was reset since `run_id` was noted: what the run before the reset sent may have been carried out. */
export const wasResetSince = (run_id: string): boolean => ownRunId() !== run_id;

/** In a reset of the run that has read what was known before, the activity does nothing, and fails for good with `WasReset`. */
export const forRun =
  <Input extends { readonly read_by: string }, Result>(act: (input: Input) => Promise<Result>) =>
  async (input: Input): Promise<Result> => {
    if (!wasResetSince(input.read_by)) return act(input);
    throw typedFailure(
      WAS_RESET,
      'Nothing was asked or sent: the workflow was reset, and reads first what it knew before.',
    );
  };
