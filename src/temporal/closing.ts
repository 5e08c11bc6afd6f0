/** A workflow that is just ending takes no more calls. The same call starts a new run a moment later. */
import { setTimeout } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { FAILURE } from '../contract';

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
