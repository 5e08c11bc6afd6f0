import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { sameFailure } from '../contract';

/** Returns the contract’s failure inside an activity failure, as the calling workflow’s own; any other error unchanged. */
export function ownFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) return error;
  return sameFailure(error.cause);
}
