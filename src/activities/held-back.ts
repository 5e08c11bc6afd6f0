/**
 * Calls that the throttle held back: how soon each is repeated. It waits in proportion to the time that it has waited, so
 * the attempts a second stay few, whatever the number of payments and the length of an outage.
 */
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { HOUR, MINUTE } from '../gateway/pure/durations';
import { inOneLine } from './one-line';
import { heldBackInARow, noteHeldBack } from './poll-attempts';
import type { CallDeferredError } from './throttle';
import { activityAge, type Urgency, urgencyOfActivity } from './urgency';

/** A call that somebody waits for is repeated about this soon, in ms. */
const AWAITED_WAIT_MS = 1_000;

/** Another call waits at most this long for its next attempt, in ms. */
const LONGEST_WAIT_MS: Readonly<Record<Exclude<Urgency, 'awaited'>, number>> = {
  late: 5 * MINUTE,
  overdue: 30 * MINUTE,
  background: 30 * MINUTE,
};

/** A poll that is held back again and again waits at most this long, in ms, or its own gap if that is longer. */
const LONGEST_POLL_GAP_MS = 6 * HOUR;

/** A call that was held back, as a failure that Temporal retries. Expected, so logs and metrics do not show it as an error. */
export function heldBack(error: CallDeferredError): ApplicationFailure {
  const urgency = urgencyOfActivity();
  // A pause of the circuit ends for all at once, so they spread over a part of its length.
  if (urgency === 'awaited') return waitOn(error, Math.max(AWAITED_WAIT_MS, error.retry_after_ms / 2));
  return waitOn(error, Math.min(activityAge(), LONGEST_WAIT_MS[urgency]));
}

/**
 * A poll that was held back. It counts as no look; `gap_ms` is the gap that it had waited. Each further time it waits twice as
 * long, and at most `left_ms`.
 */
export function heldBackPoll(error: CallDeferredError, gap_ms: number, left_ms: number): ApplicationFailure {
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
