import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { detailsOf, typedFailure } from '../contract';

/** Returns the contract’s failure inside an activity failure, as the calling workflow’s own; any other error unchanged. */
export function ownFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) return error;
  return typedFailure(error.cause.type ?? '', error.cause.message, detailsOf(error.cause));
}
