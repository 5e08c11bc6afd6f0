/** A real Temporal development server for tests. */
import { IllegalStateError } from '@temporalio/common';
import { type LocalTestWorkflowEnvironmentOptions, TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { findTemporal } from '../cli/dev/temporal';
import { SEARCH_ATTRIBUTE } from '../contract';
import { endingOnceClosed } from '../temporal/closed-connection';

/**
 * Starts a development server in memory, on free ports, with our search attributes. `extraArgs` are for its command line;
 * with `uiPort`, Temporal UI listens there. End it with `teardown()`.
 */
export async function devServer(extraArgs: string[] = [], uiPort?: number): Promise<TestWorkflowEnvironment> {
  const searchAttributes = Object.values(SEARCH_ATTRIBUTE);
  return bareServer({ extraArgs, ...(uiPort === undefined ? {} : { uiPort }), searchAttributes });
}

/** The same with these options only. Without `searchAttributes` among them, the namespace is not set up. */
export async function bareServer(
  server: LocalTestWorkflowEnvironmentOptions['server'] = {},
): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await findTemporal();
  return TestWorkflowEnvironment.createLocal({
    plugins: [endingOnceClosed],
    server: { ...server, executable: { type: 'existing-path', path } },
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
