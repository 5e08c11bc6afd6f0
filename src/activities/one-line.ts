import type { ApplicationFailure } from '@temporalio/common';

/** People read these failures on the page of a payment: a stack says nothing to them, and hides the sentence. */
export function inOneLine(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
