/** Which run of its workflow this one is, as its history says. Anybody may start a run with the input of an earlier one. */
import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { type PaymentPolicy, typedFailure, WAS_RESET } from '../../contract';
import { loadPolicy } from './activities';
import { hasFailedWith } from './activity-failure';

/** Whether the run before has continued as this one: only then is what the input hands on the latest that is known. */
export const isContinued = (): boolean => workflowInfo().continuedFromExecutionRunId !== undefined;

/**
 * Whether the run is a reset of the one that was started, and has forgotten what that learned since. A run that is reset after this was
 * recorded has to replay what it did.
 */
export const wasReset = ({ read_by }: Pick<PaymentPolicy, 'read_by'>): boolean =>
  read_by !== workflowInfo().originalExecutionRunId;

/**
 * Whether this run is a reset of the one that has read what was known before. Only for what leaves no trace in the history: a query, and what
 * refuses an update. An activity says it to all else ({@link isResetFailure}).
 */
export const isResetOf = (read_by: string): boolean => read_by !== workflowInfo().runId;

/** Whether this run, and no reset of it, has read what was known before. For where no activity of the gateway would report a reset. It costs an event. */
export const isReadHere = async ({ read_by }: Pick<PaymentPolicy, 'read_by'>): Promise<boolean> =>
  (await loadPolicy({ method: null })).read_by === read_by;

/** Throws `WasReset` where {@link isReadHere} does not hold. */
export async function assertReadHere(policy: Pick<PaymentPolicy, 'read_by'>): Promise<void> {
  if (!(await isReadHere(policy)))
    throw typedFailure(WAS_RESET, 'The workflow was reset, and reads first what it knew before. Ask again.');
}

/** Whether an activity, or what it answered, says that this run is such a reset. */
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
