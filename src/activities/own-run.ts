/** Which run an activity works for. */
import { activityInfo } from '@temporalio/activity';
import { typedFailure, WAS_RESET } from '../contract';

/** The run's id; empty for an activity outside of a workflow. */
export const ownRunId = (): string => activityInfo().workflowExecution?.runId ?? '';

/**
 * If the workflow was reset after its run (`read_by`) had read what was known before, the activity does nothing and fails for good with
 * `WasReset`. Without `read_by` nothing has been read yet, so a reset can have forgotten nothing.
 */
export const forRun =
  <Input extends { readonly read_by?: string | undefined }, Result>(act: (input: Input) => Promise<Result>) =>
  async (input: Input): Promise<Result> => {
    const { read_by = ownRunId() } = input;
    if (read_by === ownRunId()) return act(input);
    throw typedFailure(
      WAS_RESET,
      'Nothing was asked or sent: the workflow was reset, and reads first what it knew before.',
    );
  };
