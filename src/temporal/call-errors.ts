/** What an error of a call to Temporal means, and which calls are repeated. */

import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  Connection,
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../contract';

/** The gRPC status codes that Temporal answers with and that we act on. The numbers are gRPC's own. */
export const GRPC_STATUS = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/**
 * The gRPC status code of an error of Temporal's client; undefined for every other error. The client wraps the error of its
 * connection; a worker's own connection throws a `ServiceError` that has no cause and carries the code itself.
 */
export function grpcCodeOf(error: unknown): number | undefined {
  return grpcErrorOf(error)?.code;
}

function grpcErrorOf(error: unknown): { code: number; message: string } | undefined {
  if (isGrpcServiceError(error)) return error;
  return error instanceof ServiceError ? grpcErrorOf(error.cause) : undefined;
}

/**
 * Whether Temporal refused the call because the workflow's task fails repeatedly: the worker cannot read its payloads, or cannot run its
 * code. Only the message says so; update-with-start passes it on in an error of another class.
 */
export function isTaskFailing(error: unknown): boolean {
  const { message } = grpcErrorOf(error) ?? (error instanceof Error ? error : {});
  return message?.includes('Workflow Task in failed state') === true;
}

/** Whether the answer to a call is encrypted, and this process has no keys to read it with. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('binary/encrypted');
}

/** Whether the server offers the call to nobody, or not to us: Temporal Cloud has no operator service, and makes no namespaces this way. */
export function isNotOffered(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code === GRPC_STATUS.PERMISSION_DENIED || code === GRPC_STATUS.UNIMPLEMENTED;
}

/** Whether a call had no answer in its time. At a deadline the server may cancel the call before the client gives it up. */
export function isOutOfTime(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code === GRPC_STATUS.DEADLINE_EXCEEDED || code === GRPC_STATUS.CANCELLED;
}

/** The server's failure of an update that a run had taken before somebody ended the run. */
export const ENDED_UNANSWERED = 'AcceptedUpdateCompletedWorkflow';

/**
 * Whether a call had no answer: not in time, or without a worker, or because the server takes no more calls just now, or because somebody
 * ended the run that had taken it. That says nothing about what was asked for: ask again.
 */
export function isWithoutAnswer(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  if (updateFailure(error)?.type === ENDED_UNANSWERED) return true;
  return isOutOfTime(error) || isWithoutWorker(error) || grpcCodeOf(error) === GRPC_STATUS.RESOURCE_EXHAUSTED;
}

/** The codes of a call that broke off: Temporal restarts, or the connection to it was lost. The SDK names a lost connection by several. */
const BROKEN_OFF: readonly number[] = [
  ...[GRPC_STATUS.UNAVAILABLE, GRPC_STATUS.UNKNOWN, GRPC_STATUS.INTERNAL],
  ...[GRPC_STATUS.ABORTED, GRPC_STATUS.DATA_LOSS],
];

/** Whether Temporal could not be reached, or the call broke off. It may have been taken: ask again. */
export function isUnreachable(error: unknown): boolean {
  const code = grpcCodeOf(error);
  return code !== undefined && BROKEN_OFF.includes(code) && !isTaskFailing(error);
}

/** Whether Temporal cannot be reached, or takes no calls just now: the same call may be answered in a moment. */
export const takesNoCalls = (error: unknown): boolean =>
  isUnreachable(error) || grpcCodeOf(error) === GRPC_STATUS.RESOURCE_EXHAUSTED;

/** The pauses of a caller that waits for Temporal, in ms: each is twice the one before it. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Asks again while Temporal cannot be reached, or takes no calls, until the caller's deadline or abort: then it throws the last error. So it
 * does once the connection is closed.
 */
export async function askUntilReached<Answer>(client: Client, call: () => Promise<Answer>): Promise<Answer> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!takesNoCalls(error) || !(await pausedWithin(client, pause))) throw error;
    }
  }
}

/** Whether the caller's time was not over before the end of the pause. */
async function pausedWithin({ connection }: Client, pause: number): Promise<boolean> {
  const { deadline = Number.POSITIVE_INFINITY, abortSignal: signal } =
    (connection instanceof Connection && connection.callContextStorage.getStore()) || {};
  const left = Number(deadline) - Date.now();
  const isAwake = await setTimeout(Math.min(pause, left), true, { signal }).catch(() => false);
  return isAwake && pause < left;
}

/** Whether a query failed because the run ended before any worker ran it. */
export function isEndedBeforeItBegan(error: unknown): boolean {
  return grpcCodeOf(error) === GRPC_STATUS.FAILED_PRECONDITION && !isWithoutWorker(error) && !isTaskFailing(error);
}

/**
 * Whether a query failed because no worker polls the task queue of its run, as after the queue was renamed. That says nothing about the run.
 */
export function isWithoutWorker(error: unknown): boolean {
  const { message } = grpcErrorOf(error) ?? {};
  return grpcCodeOf(error) === GRPC_STATUS.FAILED_PRECONDITION && message?.includes('no poller') === true;
}

// — A workflow that is just ending takes no more calls: the same call starts a new run a moment later —

/** A run that was just ending has closed after this time, in ms. */
const CLOSES_WITHIN_MS = 1_000;
const TRIES = 5;

/** Repeats a call that starts its workflow while the run that took it was just ending, until `end` (ms since the epoch). */
export async function askWhileClosing<Answer>(call: () => Promise<Answer>, end: number): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const isOver = tries === TRIES || Date.now() + CLOSES_WITHIN_MS > end;
      if (isOver || !isClosing(error)) throw error;
      await setTimeout(CLOSES_WITHIN_MS);
    }
  }
}

/** The run ended before it took the update, or said that it was about to. */
function isClosing(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || updateFailure(error)?.type === FAILURE.closing;
}

/** The workflow's failure, if it refused an update; undefined for every other error. */
export function updateFailure(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
