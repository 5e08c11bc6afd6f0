/** What the failure of an activity says that sends an order, a refund or the request for an account. */
import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { FAILURE, NOTHING_SENT, WAS_RESET } from '../../contract';

/** What is known of a request whose activity has ended without a word of ours. */
export const NO_WORD = 'The worker died during the request, a person ended it, or something around our code failed.';

/**
 * - `refused`: our own rules refuse it; nothing was sent.
 * - `unsent`: nothing was sent, and no attempt follows.
 * - `unknown`: whatever else; the request may have left before.
 * - `none`: it is no failure of the activity's own, or nothing was sent because the run is a reset.
 */
export type SendingFailure =
  | { is: 'refused'; failure: ApplicationFailure }
  | { is: 'unsent' }
  | { is: 'unknown' }
  | { is: 'none' };

export function sendingFailure(error: unknown): SendingFailure {
  if (isCancellation(error) || !(error instanceof ActivityFailure)) return { is: 'none' };
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure)) return { is: 'unknown' };
  if (cause.type === WAS_RESET) return { is: 'none' };
  if (cause.type === FAILURE.invalidRequest) return { is: 'refused', failure: cause };
  return { is: !cause.nonRetryable && NOTHING_SENT.includes(cause.type ?? '') ? 'unsent' : 'unknown' };
}
