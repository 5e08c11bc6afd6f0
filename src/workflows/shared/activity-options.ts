/** How the gateway's operations are retried. A pending activity keeps the options that it was started with. */
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * The settings allow one HTTP exchange at most 55 s (connect 5, headers 25, body 25). After more silence the worker has
 * died.
 */
const startToCloseTimeout = '60 seconds';

/** For queries: safe to repeat without end. */
export const QUERYING = {
  startToCloseTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
} satisfies ActivityOptions;

/**
 * For creations. A worker that dies during the call leaves an unknown outcome, which must never be repeated blindly. So
 * the server reports this time-out to the workflow and does not retry.
 */
export const CREATING = {
  startToCloseTimeout,
  retry: {
    ...QUERYING.retry,
    nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'],
  },
} satisfies ActivityOptions;

/** For polls. The server spaces the attempts as the activity asks: years of them add no events to the history. */
export const WATCHING = {
  startToCloseTimeout,
  retry: { initialInterval: '15 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
} satisfies ActivityOptions;
