/** Jobs of a broken deploy: each run fails. */
import { ApplicationFailure } from '@temporalio/workflow';

async function failing(): Promise<never> {
  throw ApplicationFailure.nonRetryable('This deploy is broken.');
}

export { failing as reconciliation, failing as stuckSweep };
