/** Which run of its workflow this one is, as its history says. Anybody may start a run with the input of an earlier one. */
import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { type PaymentPolicy, typedFailure, WAS_RESET } from '../../contract';
import { loadPolicy } from './activities';
import { hasFailedWith } from './activity-failure';

/** Whether the run before has continued as this one: only then is the state in the input the latest. */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/**
 * Whether this run is a reset of the run that was started, and has forgotten what that run learned since. Not by the current run id: a run
 * that is reset later has to replay the same decision.
 */
export const wasReset = ({ read_by }: Pick<PaymentPolicy, 'read_by'>): boolean =>
  read_by !== workflowInfo().originalExecutionRunId;

/**
 * Whether this run is a reset of the run that has read what was known before. Only for code that leaves no trace in the history: queries and
 * validators of updates. All other code is told by an activity ({@link isResetFailure}).
 */
export const isResetOf = (read_by: string): boolean => read_by !== workflowInfo().runId;

/** Whether this run, and no reset of it, has read what was known before. Needed if no activity of the gateway reports a reset. Costs an event. */
export const isReadHere = async ({ read_by }: Pick<PaymentPolicy, 'read_by'>): Promise<boolean> =>
  (await loadPolicy({ method: null })).read_by === read_by;

/** Throws `WasReset` if {@link isReadHere} does not hold. */
export async function assertReadHere(policy: Pick<PaymentPolicy, 'read_by'>): Promise<void> {
  if (!(await isReadHere(policy))) throw wasResetFailure();
}

/** Throws `WasReset` if one run has read what was known before, and a later one these settings: a reset to a task between the two. */
export function assertReadBySame(
  read: { readonly read_by: string } | null,
  policy: Pick<PaymentPolicy, 'read_by'>,
): void {
  if (read !== null && read.read_by !== policy.read_by) throw wasResetFailure();
}

const wasResetFailure = () =>
  typedFailure(WAS_RESET, 'The workflow was reset, and reads first what it knew before. Ask again.');

/** Whether an activity has reported that this run is such a reset. */
export const isResetFailure = (error: unknown): boolean => hasFailedWith(error, WAS_RESET);

/** Returns what `part` does. If an activity of it reports a reset, calls `forget` and runs `part` again: nothing was asked or sent before that. */
export async function restartIfReset<T>(part: () => Promise<T>, forget: () => Promise<void>): Promise<T> {
  for (;;) {
    const scope = new CancellationScope();
    try {
      return await scope.run(part);
    } catch (error) {
      if (!isResetFailure(error)) throw error;
    }
    scope.cancel();
    await forget();
  }
}
