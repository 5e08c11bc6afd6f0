/** When Temporal makes the next attempt of a creation. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** The longest delay before an attempt that Temporal repeats by itself, in ms: that of `CREATING`, by which creations are retried. */
const LONGEST_RETRY_MS = 2 * 60_000;

/** Whether the attempt that follows a failure, if one does, would come at `send_before` or later; both times in ms since the epoch. */
export function isTooLate(failure: unknown, now: number, send_before: number): boolean {
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable) return false;
  return now + delayAfter(failure) >= send_before;
}

/** How long the server waits until the next attempt, in ms: as the failure says, or by the workflow's retry options. */
function delayAfter({ nextRetryDelay }: ApplicationFailure): number {
  if (typeof nextRetryDelay === 'number') return nextRetryDelay;
  return Math.min(1_000 * 2 ** (activityInfo().attempt - 1), LONGEST_RETRY_MS);
}
