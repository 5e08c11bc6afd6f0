/** How an activity fails: each failure tells the server whether, and when, to call again. */
import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { GatewayError, type InvalidRequestError } from '../gateway';
import { isCredentialsRefusal } from '../gateway/refusals';
import type { NotCreated } from '../workflows/activities';
import { type Attention, FAILURE } from '../workflows/contract';
import { HeldBackError } from './guarded';

/** No news: expected, so neither an error in the logs nor in the metrics. */
export function later(said: string, delay: number): ApplicationFailure {
  const at = new Date(activityInfo().currentAttemptScheduledTimestampMs + delay).toISOString();
  return ApplicationFailure.create({
    type: 'NotYet',
    message: `${said}; next check ${at}`,
    nextRetryDelay: delay,
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** The gateway did not answer, or not usefully. Temporal asks again, ever more slowly, and shows the reason meanwhile. */
export function tryAgain(error: unknown): unknown {
  if (!(error instanceof GatewayError)) return error;
  return ApplicationFailure.create({
    type: 'GatewayUnavailable',
    message: error.message,
    details: [error.fields()],
    ...(error instanceof HeldBackError ? { nextRetryDelay: heldBackFor(error) } : {}),
  });
}

/** Spread out, and the more so the longer it has waited: what was held back together must not come back together. */
export function heldBackFor({ retry_after_ms }: HeldBackError): number {
  return Math.round(retry_after_ms + Math.random() * 1_000 * Math.min(activityInfo().attempt, 30));
}

/** The order breaks a rule and never left this machine; `attention` where a person must hear of it. */
export function refusedHere(
  message: string,
  issues: InvalidRequestError['issues'],
  attention?: Attention,
): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.invalidRequest,
    message,
    nonRetryable: true,
    details: [{ issues, ...(attention ? { attention } : {}) }],
  });
}

/** The gateway certainly made nothing, and will not. Throws where it may be asked again. */
export function notCreated(error: GatewayError): NotCreated {
  if (error.retryable) throw tryAgain(error);
  const fields = error.fields();
  return { is: 'not-created', error: fields, message: error.message, credentials: isCredentialsRefusal(fields) };
}

/** The gateway's own word on what was asked for; not on our credentials, and none that may be another in a moment. */
export function isAnswer(error: unknown): error is GatewayError {
  return (
    error instanceof GatewayError &&
    error.code !== undefined &&
    !error.retryable &&
    !isCredentialsRefusal(error.fields())
  );
}
