/**
 * Everything private that this room takes from Temporal's SDK, and nothing else: an update of the SDK may move or change
 * it without notice. This is why package.json takes no version of the SDK that `npm run test:sdk` has not tried.
 */

import inspector from 'node:inspector';
import { resolve } from 'node:path';
import { parseWorkflowCode } from '@temporalio/worker/lib/worker';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

/** Search attributes as a worker gives them to a workflow. */
export { decodeTypedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes';
/** Durations and timestamps as the server's messages have them, from and to ms. */
export { msNumberToTs, msToNumber, optionalTsToMs } from '@temporalio/common/lib/time';
/** What the SDK's core and a worker's workflow code say to each other: activations, jobs and commands. */
export { coresdk, temporal as api } from '@temporalio/proto';
/** One workflow in its sandbox, and what makes them. */
export type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
export { ReusableVMWorkflowCreator, type Workflow };

const SOURCE_MAP = '\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/**
 * Reads a workflow bundle as a worker does. Without a debugger, it skips a step that only a debugger needs: a worker runs the bundle again in
 * a separate context, and keeps that context, and with it the whole test file, for ten seconds.
 */
export function readBundle(bundle: string): ReturnType<typeof parseWorkflowCode> {
  const [code, encoded] = bundle.split(SOURCE_MAP);
  if (inspector.url() !== undefined || code === undefined || encoded === undefined) return parseWorkflowCode(bundle);
  const sourceMap = JSON.parse(Buffer.from(encoded.trimEnd(), 'base64').toString());
  return { code, sourceMap, filename: resolve(sourceMap.file) };
}

/**
 * Turns off in the sandboxes of a simulation what only a production worker needs, and what took two thirds of the time: a stack for each
 * promise of the process, and a Node thread for each call, which watches its timeout. Such a timeout would abort the process
 * (nodejs/node#38503).
 */
export function withoutWatching(sandboxes: ReusableVMWorkflowCreator): ReusableVMWorkflowCreator {
  const stop: unknown = Reflect.get(globalHandlers, 'stopPromiseHook');
  if (typeof stop === 'function') stop.call(globalHandlers);
  globalHandlers.promiseHookInstalled = false;
  return Object.assign(sandboxes, { isolateExecutionTimeoutMs: undefined });
}

/**
 * Removes a workflow's async-context storages from the process until its code runs again. Node copies every storage in use to each new
 * promise of the process, so a simulation would cost more with each workflow in it.
 */
export function withoutStorages(workflow: Workflow): void {
  const activator: unknown = Reflect.get(workflow, 'activator');
  if (typeof activator !== 'object' || activator === null) return;
  const disable: unknown = Reflect.get(activator, 'workflowSandboxDestructors');
  if (Array.isArray(disable)) for (const one of disable) one();
}
