/**
 * How the gateway's operations are retried, and which of them a busy worker does first. A pending activity keeps the options
 * that it was started with.
 */
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * The settings allow one HTTP exchange at most 55 s (connect 5, headers 25, body 25). After more silence the worker has
 * died.
 */
const startToCloseTimeout = '60 seconds';

/** Of the tasks that wait for a worker, the lowest key goes first: orders and awaited looks go before polls. */
const CREATION = { priorityKey: 1 };
const LOOK = { priorityKey: 2 };
const POLL = { priorityKey: 5 };

/** For queries: safe to repeat without end. */
export const QUERYING = {
  startToCloseTimeout,
  priority: LOOK,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '2 minutes' },
} satisfies ActivityOptions;

/** For a look within a workflow task, which has ten seconds, and holds back what comes meanwhile. */
export const GLANCING = {
  startToCloseTimeout: '2 seconds',
  retry: { maximumAttempts: 1 },
} satisfies ActivityOptions;

/**
 * For creations. A worker that dies during the call leaves an unknown outcome, which must never be repeated blindly. So
 * the server reports this time-out to the workflow and does not retry.
 */
export const CREATING = {
  startToCloseTimeout,
  priority: CREATION,
  retry: {
    ...QUERYING.retry,
    nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'],
  },
} satisfies ActivityOptions;

/** For refunds: the same, and each attempt makes two exchanges, a look and the request. */
export const REFUNDING = { ...CREATING, startToCloseTimeout: '2 minutes' } satisfies ActivityOptions;

/** For polls. The server spaces the attempts as the activity asks: years of them add no events to the history. */
export const WATCHING = {
  startToCloseTimeout,
  priority: POLL,
  retry: { initialInterval: '15 seconds', backoffCoefficient: 2, maximumInterval: '1 hour' },
} satisfies ActivityOptions;
