import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { detailsOf, typedFailure } from '../contract';

/** A failure of the contract as the calling workflow's own; every other one as it is. */
export function ownFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure && error.cause instanceof ApplicationFailure)) return error;
  return typedFailure(error.cause.type ?? '', error.cause.message, detailsOf(error.cause));
}
