/** A real Temporal development server whose namespace is not set up: it lacks our search attributes. */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { findTemporal } from '../../src/cli/dev/temporal';
import { endingOnceClosed } from '../../src/temporal/closed-connection';
import { quiet } from '../../src/testing/dev-server';

/** Starts it in memory, on free ports. End it with `teardown()`. */
export async function bareServer(): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await findTemporal();
  return TestWorkflowEnvironment.createLocal({
    plugins: [endingOnceClosed],
    server: { executable: { type: 'existing-path', path } },
  });
}
