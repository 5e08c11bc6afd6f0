/** How the gateway's operations may be repeated. Pending activities keep these for as long as they run. */
import type { ActivityOptions } from '@temporalio/workflow';

/** One HTTP exchange takes at most 55 s (config.ts); a worker that is silent for longer has died with the call under way. */
const startToCloseTimeout = '60 seconds';

/** For what only asks. */
export const ASKING = {
  startToCloseTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
} satisfies ActivityOptions;

/**
 * For what makes something. A worker that dies with a creation under way leaves an unknown outcome, which must never be
 * repeated blindly: the server gives such a time-out to the workflow instead of retrying.
 */
export const CREATING = {
  startToCloseTimeout,
  retry: {
    ...ASKING.retry,
    nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'],
  },
} satisfies ActivityOptions;

/** For what waits. The server spaces the attempts, as the activity tells it: years of it add no events to the history. */
export const WATCHING = {
  startToCloseTimeout,
  retry: { initialInterval: '15 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
} satisfies ActivityOptions;
