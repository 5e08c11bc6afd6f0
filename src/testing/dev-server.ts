/** A real Temporal development server for tests. */
import { IllegalStateError } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { findTemporal } from '../cli/dev/temporal';
import { SEARCH_ATTRIBUTE } from '../contract';
import { endingOnceClosed } from '../temporal/closed-connection';

/**
 * Starts a development server in memory, on free ports, with our search attributes. `extraArgs` are for its command line;
 * with `uiPort`, Temporal UI listens there. End it with `teardown()`.
 */
export async function devServer(extraArgs: string[] = [], uiPort?: number): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await findTemporal();
  return TestWorkflowEnvironment.createLocal({
    plugins: [endingOnceClosed],
    server: {
      executable: { type: 'existing-path', path },
      extraArgs,
      ...(uiPort === undefined ? {} : { uiPort }),
      searchAttributes: Object.values(SEARCH_ATTRIBUTE),
    },
  });
}

/** Lets Temporal's SDK log errors only: tests cause retries and time-outs on purpose. */
export function quiet(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch (error) {
    // A process has one runtime: one that is installed already stays.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
