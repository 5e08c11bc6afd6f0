/** How activities fail. Each failure tells the Temporal server whether to call again, and when. */
import { hostname } from 'node:os';
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import {
  type Attention,
  FAILURE,
  type NotCreated,
  RETRY_PAUSES,
  type Silence,
  timeText,
  typedFailure,
} from '../contract';
import { GatewayError, type InvalidRequestError } from '../gateway';
import { HOUR, MINUTE } from '../gateway/pure/durations';
import { isCredentialsRefusal } from '../gateway/refusals';
import { serverClock } from './time';
import { activityAge, heldBackInARow, noteHeldBack, type Urgency, urgencyOfActivity } from './urgency';

// — Calls that were not made —

/** The call was not made. It may be made after `retry_after_ms`. */
export class CallDeferredError extends GatewayError {
  constructor(
    message: string,
    operation: string,
    readonly retry_after_ms: number,
  ) {
    super(message, { outcome: 'not-sent', retryable: true, operation });
  }
}

/** This worker's settings lack what the call needs: nothing was sent. The call is retried for as long as a call without an answer. */
class NotConfiguredError extends GatewayError {
  constructor(message: string, operation: string) {
    super(message, { outcome: 'not-sent', retryable: true, operation });
  }
}

const thisWorker = () => `the settings of the worker ${process.pid}@${hostname()}`;

export const appNotConfigured = (app_id: string, operation: string) =>
  new NotConfiguredError(
    `Nothing was sent for app ${app_id}: ${thisWorker()} have no such app. Add it to the file that GATEWAY_APPS_FILE names (or set GATEWAY_APP_ID and GATEWAY_SECRET_KEY) and restart that worker; or the app_id is mistyped.`,
    operation,
  );

/** `message` names the order and the key. */
export const sealingKeyNotConfigured = (message: string, operation: string) =>
  new NotConfiguredError(
    `${message} Nothing was sent: ${thisWorker()} lack that key. Add it to PAYMENTS_SEALING_JWKS, or to the file that PAYMENTS_SEALING_JWKS_FILE names, and restart that worker; or the order was sealed to a key that is no more.`,
    operation,
  );

// — Failures —

/** Nothing has changed yet; Temporal calls again after `delay_ms`. Expected, so logs and metrics do not show it as an error. */
export function notYet(reason: string, delay_ms: number): ApplicationFailure {
  const at = timeText(activityInfo().currentAttemptScheduledTimestampMs + delay_ms);
  return inOneLine(
    ApplicationFailure.create({
      type: 'NotYet',
      message: `${reason}; next check ${at}`,
      nextRetryDelay: delay_ms,
      category: ApplicationFailureCategory.BENIGN,
    }),
  );
}

/**
 * A gateway's error as a failure that Temporal retries with growing delays, or after `gap_ms`; the pending activity shows the
 * reason, and its details say why there is no answer ({@link silenceOf}). Returns any other error as it is.
 */
export function retryableFailure(error: unknown, gap_ms?: number): unknown {
  if (!(error instanceof GatewayError)) return error;
  if (error instanceof CallDeferredError) return heldBack(error);
  const { message } = error;
  const failure = { type: 'GatewayUnavailable', message, details: [error.fields(), silenceOf(error)] };
  return inOneLine(ApplicationFailure.create(gap_ms === undefined ? failure : { ...failure, nextRetryDelay: gap_ms }));
}

/** How long a poll waits until its next look, in ms. */
interface PollGaps {
  gap_ms: number;
  /** The gap before the look that has just been tried. */
  waited_ms: number;
  /** Until the poll is over; absent: it has no end. */
  left_ms?: number;
}

/**
 * Any error of a poll as a failure that Temporal retries after `gap_ms`. A look that was held back did not happen: it waits
 * for `waited_ms` again.
 */
export function retryablePoll(
  error: unknown,
  { gap_ms, waited_ms, left_ms = Number.POSITIVE_INFINITY }: PollGaps,
): ApplicationFailure {
  if (error instanceof CallDeferredError) return heldBackPoll(error, waited_ms, left_ms);
  const message = error instanceof Error ? error.message : String(error);
  // Another error's text may quote somebody: by its own type, the error is not shown as the gateway's.
  const type = error instanceof GatewayError ? 'GatewayUnavailable' : 'LookFailed';
  return inOneLine(ApplicationFailure.create({ type, message, nextRetryDelay: Math.min(gap_ms, left_ms) }));
}

/** The request breaks a rule and was not sent. `attention` is given if a person has to act. */
export function invalidRequestFailure(
  message: string,
  issues: InvalidRequestError['issues'],
  attention?: Attention,
): ApplicationFailure {
  return typedFailure(FAILURE.invalidRequest, message, { issues, ...(attention ? { attention } : {}) });
}

/** The result for a gateway that certainly created nothing. Throws a retryable failure if the call may be made again. */
export function notCreated(error: GatewayError): NotCreated {
  if (error.retryable) throw retryableFailure(error);
  const fields = error.fields();
  return { is: 'not-created', error: fields, message: error.message, credentials: isCredentialsRefusal(fields) };
}

/** Whether the gateway says that it has no such order. The codes that say this are a setting. */
export function isNoSuchOrder(error: unknown, words: ReadonlySet<string>): error is GatewayError {
  if (!isDefiniteAnswer(error)) return false;
  const { code = '', sub_code = '' } = error;
  return words.has(sub_code) || (sub_code === '' && words.has(code));
}

/** Why an error is not the gateway's answer about the thing asked for. */
export function silenceOf(error: GatewayError): Silence {
  if (error instanceof NotConfiguredError) return 'settings';
  return isCredentialsRefusal(error.fields()) ? 'credentials' : 'no-answer';
}

/**
 * Whether the gateway itself answered about the thing asked for: not about our credentials, and not "try again later". An overloaded
 * gateway (HTTP 429 and 5xx) says nothing about it, whatever the code.
 */
export function isDefiniteAnswer(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  const { code, http_status = 200, retryable } = error;
  const isOverloaded = http_status === 429 || http_status >= 500;
  return code !== undefined && !retryable && !isOverloaded && !isCredentialsRefusal(error.fields());
}

/** People read these failures on the page of a payment, where a stack would hide the message. */
function inOneLine(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}

// — Creations whose time is over —

/**
 * Creates something, or says what `failed` makes of the error. From `send_before` on, in ms since the epoch, nothing is sent. Nor is a next
 * attempt that would come too late waited for: callers wait to be told that nothing was sent.
 */
export async function inTime<Result>(
  send_before: number,
  create: () => Promise<Result>,
  failed: (error: unknown) => Result,
  notSent: (reason: string, why: Silence) => Result,
): Promise<Result> {
  const now = serverClock();
  if (now() >= send_before) return notSent('Its time was over before a worker could send it.', 'no-answer');
  try {
    return await create();
  } catch (error) {
    try {
      return failed(error);
    } catch (failure) {
      if (!(error instanceof GatewayError) || !isTooLate(failure, now(), send_before)) throw failure;
      return notSent(error.message, silenceOf(error));
    }
  }
}

/** Whether the attempt that follows a failure, if one does, would come at `send_before` or later; both times in ms since the epoch. */
function isTooLate(failure: unknown, now: number, send_before: number): boolean {
  if (!(failure instanceof ApplicationFailure) || failure.nonRetryable) return false;
  return now + delayAfter(failure) >= send_before;
}

/** How long the server waits until the next attempt, in ms: as the failure says, or by the workflow's retry options. */
function delayAfter({ nextRetryDelay }: ApplicationFailure): number {
  if (typeof nextRetryDelay === 'number') return nextRetryDelay;
  return Math.min(RETRY_PAUSES.first_ms * 2 ** (activityInfo().attempt - 1), RETRY_PAUSES.longest_ms);
}

// — Calls that the throttle held back: how soon each is repeated —

/** A call that somebody waits for is repeated about this soon, in ms. */
const AWAITED_WAIT_MS = 1_000;

/** Another call waits at most this long for its next attempt, in ms. */
const LONGEST_WAIT_MS: Readonly<Record<Exclude<Urgency, 'awaited'>, number>> = {
  late: 5 * MINUTE,
  overdue: 30 * MINUTE,
  background: 30 * MINUTE,
};

/** A poll that is held back repeatedly waits at most this long, in ms, or its own gap if that is longer. */
const LONGEST_POLL_GAP_MS = 6 * HOUR;

/** A call that was held back, as a failure that Temporal retries. Expected, so logs and metrics do not show it as an error. */
function heldBack(error: CallDeferredError): ApplicationFailure {
  const urgency = urgencyOfActivity();
  // The circuit's pause ends for all calls at once, so their repeats are spread over a part of its length.
  if (urgency === 'awaited') return waitOn(error, Math.max(AWAITED_WAIT_MS, error.retry_after_ms / 2));
  return waitOn(error, Math.min(activityAge(), LONGEST_WAIT_MS[urgency]));
}

/**
 * A poll that was held back, which does not count as a look; `gap_ms` is the gap before it. Each further time in a row doubles the wait,
 * up to `left_ms`.
 */
function heldBackPoll(error: CallDeferredError, gap_ms: number, left_ms: number): ApplicationFailure {
  const gap = gap_ms * 2 ** heldBackInARow();
  noteHeldBack();
  return waitOn(error, Math.min(gap, Math.max(gap_ms, LONGEST_POLL_GAP_MS)), left_ms);
}

/** Half of the wait is random, which spreads calls that were held back together. */
function waitOn(error: CallDeferredError, wait_ms: number, left_ms = Number.POSITIVE_INFINITY): ApplicationFailure {
  return inOneLine(
    ApplicationFailure.create({
      type: 'GatewayUnavailable',
      message: error.message,
      details: [error.fields()],
      nextRetryDelay: Math.min(Math.round(error.retry_after_ms + wait_ms * (0.5 + Math.random() / 2)), left_ms),
      category: ApplicationFailureCategory.BENIGN,
    }),
  );
}
