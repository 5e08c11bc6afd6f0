/** Temporal for tests: a real development server, or the server whose time can be skipped. One per suite, ended by it. */

import { defineSearchAttributeKey } from '@temporalio/common';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defaultCacheDir, resolveBinary } from '../../src/embedded';
import { addSearchAttributes } from '../../src/search-attributes';
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contract';

/** A development server in memory, on free ports, with our search attributes. */
export async function devServer(): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      searchAttributes: Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => defineSearchAttributeKey(name, type)),
    },
  });
}

/** A server whose clock jumps to the next timer whenever somebody waits for a result. */
export async function timeSkippingServer(): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await resolveBinary('temporal-test-server', { cacheDir: defaultCacheDir() });
  const env = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  await addSearchAttributes(env.connection, env.namespace ?? 'default');
  return env;
}

/** Only errors: retries and time-outs are what these tests are about. */
export function quiet(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
