/** Temporal for tests: a real development server, or the server whose time can be skipped. One per suite, ended by it. */

import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { defineSearchAttributeKey, IllegalStateError } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defaultCacheDir, resolveBinary } from '../../src/embedded';
import { addSearchAttributes } from '../../src/search-attributes';
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contract';

/** A development server in memory, on free ports, with our search attributes. `extraArgs` are for its command line. */
export async function devServer(extraArgs: string[] = []): Promise<TestWorkflowEnvironment> {
  quiet();
  const path = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs,
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
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      telemetryOptions: { logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch (error) {
    // The runtime of a test that did not end is still there, and as quiet: the next test is not to fail for it.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

/** So much slower than this many ms of the server's time for each of ours, and its clock does not skip. */
const SKIPS_AT_LEAST = 3;
const LOOK_EVERY_MS = 200;

/**
 * Lets `ms` of the server's time pass. The server forgets a lock on its clock when the next attempt of a cancelled activity
 * comes due (sdk-java's `addActivityRetryTimer`), and polls are cancelled between attempts all the time; from then on its
 * clock goes no faster than ours. Such a lock is released here, once neither `handle` nor a child of
 * its has anything under way that could hold it.
 */
export async function letPass(env: TestWorkflowEnvironment, ms: number, handle: WorkflowHandle): Promise<void> {
  let isOver = false;
  const sleeping = env.sleep(ms).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const before = await env.currentTimeMs();
    await Promise.race([sleeping, delay(LOOK_EVERY_MS)]);
    if (isOver) break;
    const skipped = (await env.currentTimeMs()) - before;
    if (skipped >= SKIPS_AT_LEAST * LOOK_EVERY_MS || (await isBusy(env, handle))) continue;
    await env.connection.testService?.unlockTimeSkipping({});
  }
  await sleeping;
}

/** Whether a workflow task or an attempt of an activity is under way. This server tells of the former in the history only. */
async function isBusy(env: TestWorkflowEnvironment, handle: WorkflowHandle): Promise<boolean> {
  const before = await eventTypes(handle);
  const { pendingActivities, pendingChildren } = (await handle.describe()).raw;
  const after = await eventTypes(handle);
  // What changes while it is looked at is under way, whatever each look saw.
  if (before.length !== after.length) return true;
  const task = after.filter(isOfWorkflowTask).at(-1);
  const at = (time: { seconds?: unknown; nanos?: number | null } | null | undefined) =>
    Number(time?.seconds ?? 0) * 1e9 + (time?.nanos ?? 0);
  for (const { workflowId } of pendingChildren ?? []) {
    if (workflowId && (await isBusy(env, env.client.workflow.getHandle(workflowId)))) return true;
  }
  return (
    task === EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED ||
    task === EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED ||
    (pendingActivities ?? []).some(
      ({ lastStartedTime, lastAttemptCompleteTime }) => at(lastStartedTime) >= at(lastAttemptCompleteTime),
    )
  );
}

async function eventTypes(handle: WorkflowHandle): Promise<temporal.api.enums.v1.EventType[]> {
  return ((await handle.fetchHistory()).events ?? []).flatMap(({ eventType }) => eventType ?? []);
}

const { EventType } = temporal.api.enums.v1;
const isOfWorkflowTask = (type: temporal.api.enums.v1.EventType) =>
  type >= EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED && type <= EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED;
