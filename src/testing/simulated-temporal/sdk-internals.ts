/**
 * Everything private that this room takes from Temporal's SDK, and nothing else: an update of the SDK may move or change
 * it without notice. This is why package.json names exact versions of the SDK.
 */

/** Durations and timestamps as the server's messages have them, from and to ms. */
export { msNumberToTs, msToNumber, optionalTsToMs } from '@temporalio/common/lib/time';
/** What the SDK's core and a worker's workflow code say to each other: activations, jobs and commands. */
export { coresdk, temporal as api } from '@temporalio/proto';
/** Reads a workflow bundle as a worker does. */
export { parseWorkflowCode } from '@temporalio/worker/lib/worker';
/** One workflow in its sandbox, and what makes them. */
export type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface';
export { ReusableVMWorkflowCreator } from '@temporalio/worker/lib/workflow/reusable-vm';
