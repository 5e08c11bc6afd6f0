/** What the failure of an activity means, or that Temporal has given it up. */
import { RetryState } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import { FAILURE, NOTHING_SENT, type SendingPhase, SILENCES, type Silence, WAS_RESET } from '../../contract';

/** The failures of our activities that say why the gateway gave no answer. */
const OF_THE_GATEWAY: readonly string[] = ['GatewayUnavailable', 'NotYet'];

/** What an activity has failed for. */
export const causeOf = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

/** Whether an activity, or what it answered, has failed for good with this type. */
export function hasFailedWith(error: unknown, type: string): boolean {
  const cause = causeOf(error);
  return cause instanceof ApplicationFailure && cause.type === type;
}

/** Whether the server makes no further attempt because the activity's time is over. */
export function hasRunOut(failure: unknown): boolean {
  if (!(failure instanceof ActivityFailure)) return false;
  return failure.retryState === RetryState.TIMEOUT || failure.cause instanceof TimeoutFailure;
}

/**
 * Whether an activity that sends has certainly sent nothing: no worker took it in time, or the workers that took it lack it. If no
 * worker took the last attempt, or its time was over, the heartbeat of the attempts before it tells.
 */
export function wasNeverRun({ cause, retryState }: ActivityFailure): boolean {
  if (cause instanceof TimeoutFailure)
    return cause.timeoutType !== 'START_TO_CLOSE' && !mayHaveBeenSent(cause.lastHeartbeatDetails);
  // The state is checked, too: a person may fail the activity by hand, with anything.
  return retryState === RetryState.TIMEOUT && cause instanceof ApplicationFailure && cause.type === 'NotFoundError';
}

/** Whether a heartbeat says that something may have been sent. An unknown one may hide a request. */
function mayHaveBeenSent(noted: unknown): boolean {
  if (noted === undefined || noted === null) return false;
  const phase: unknown = typeof noted === 'object' ? Reflect.get(noted, 'phase') : undefined;
  return !NOTHING_MADE.some((one) => one === phase);
}

const NOTHING_MADE: readonly SendingPhase[] = ['unsent', 'busy'];

/** Whether the server has ended an activity that had noted that a request may leave: nothing leaves before the note is stored. */
export const hasLeft = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  mayHaveBeenSent(error.cause.lastHeartbeatDetails);

/** Why the gateway gave no answer, when an activity that asks it is out of time. */
export function silenceAfter({ cause }: ActivityFailure): Silence {
  if (cause instanceof TimeoutFailure) return cause.timeoutType === 'START_TO_CLOSE' ? 'no-answer' : 'missing-activity';
  if (!(cause instanceof ApplicationFailure) || !OF_THE_GATEWAY.includes(cause.type ?? '')) return 'missing-activity';
  return SILENCES.find((why) => why === cause.details?.[1]) ?? 'no-answer';
}

// — For an activity that sends an order, a refund or the request for an account —

/** All that is known of a request whose activity has ended without its own answer. */
export const NO_WORD = 'The worker died during the request, a person ended it, or something around our code failed.';

/**
 * - `refused`: our own rules refuse it; nothing was sent.
 * - `unsent`: nothing was sent, and no attempt follows.
 * - `unknown`: anything else; the request may have left before.
 * - `none`: not a failure of the activity itself, or nothing was sent because the run is a reset.
 */
type SendingFailure =
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
