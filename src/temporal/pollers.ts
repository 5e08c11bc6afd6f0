/** Who works on a task queue, as Temporal lists it. */
import type { Connection } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { firstLineOf } from '../process/message-of';

const { TaskQueueType, WorkerVersioningMode } = temporal.api.enums.v1;

/** A payment needs both kinds of tasks. */
const KINDS = {
  'workflow tasks': TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  'activity tasks': TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;
type Kind = keyof typeof KINDS;

/** A version of the worker as people read it; null is workers without a version. */
type Version = string | null;

/**
 * A poll lasts a little over a minute, then the next one begins: a worker that has not polled for this long, in ms, has most likely ended.
 * Temporal still lists it for minutes.
 */
export const POLLS_WITHIN_MS = 120_000;

export type Pollers = Readonly<
  Record<
    Kind,
    {
      identities: readonly string[];
      /** The versions to which Temporal sends new work although none of their workers polled. */
      unserved: readonly Version[];
    }
  >
>;

/** The part of a connection that is used here. Connections of clients and of workers both have it. */
type Asked = Pick<Connection, 'withDeadline'> & {
  workflowService: Pick<Connection['workflowService'], 'describeTaskQueue'>;
};

interface TaskQueue {
  namespace: string;
  taskQueue: string;
}

/** The workers that have polled since `since`, in ms since the epoch. Throws Temporal's own error if it does not answer within 3 s. */
export async function pollersOf(
  connection: Asked,
  { namespace, taskQueue }: TaskQueue,
  since: number,
): Promise<Pollers> {
  const ask = async (kind: Kind) => {
    const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType: KINDS[kind] };
    const { pollers, versioningInfo } = await connection.workflowService.describeTaskQueue(request);
    const listed = (pollers ?? []).filter(({ lastAccessTime }) => (optionalTsToMs(lastAccessTime) ?? 0) >= since);
    // A poller that does not name its version may have any: no mistake is reported that may not be one.
    const isServed = (version: Version) =>
      listed.some(({ deploymentOptions: of }) => !of || version === versionPolled(of));
    return {
      identities: listed.map(({ identity }) => identity ?? ''),
      unserved: receiversOf(versioningInfo ?? {}).filter((version) => !isServed(version)),
    };
  };
  return connection.withDeadline(Date.now() + 3_000, async () => {
    const [workflows, activities] = await Promise.all([ask('workflow tasks'), ask('activity tasks')]);
    return { 'workflow tasks': workflows, 'activity tasks': activities };
  });
}

type Info = temporal.api.taskqueue.v1.ITaskQueueVersioningInfo;

/** The versions that get new work: the current one, the ramped one, or both. */
function receiversOf({
  currentDeploymentVersion,
  rampingDeploymentVersion,
  rampingVersionPercentage,
}: Info): Version[] {
  const ramp = rampingVersionPercentage ?? 0;
  return [
    ...(ramp < 100 ? [versionName(currentDeploymentVersion)] : []),
    ...(ramp > 0 ? [versionName(rampingDeploymentVersion)] : []),
  ];
}

const versionPolled = (of: temporal.api.deployment.v1.IWorkerDeploymentOptions): Version =>
  of.workerVersioningMode === WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED ? versionName(of) : null;

const versionName = (of: temporal.api.deployment.v1.IWorkerDeploymentVersion | null | undefined): Version =>
  of?.buildId ? `${of.buildId} of ${of.deploymentName ?? ''}` : null;

/** Why a worker gets no work, in a line; undefined if Temporal lists it as a poller of both kinds of tasks. Never throws. */
export async function whyNotPolling(
  connection: Asked,
  { identity, ...of }: TaskQueue & { identity: string },
): Promise<string | undefined> {
  try {
    const pollers = await pollersOf(connection, of, 0);
    const unlisted = Object.entries(pollers).flatMap(([kind, { identities }]) =>
      identities.includes(identity) ? [] : [kind],
    );
    if (unlisted.length === 0) return undefined;
    return `Temporal does not list it as a poller of ${unlisted.join(' and ')} on ${of.taskQueue}`;
  } catch (error) {
    return `Temporal does not say who polls ${of.taskQueue} (${firstLineOf(error)})`;
  }
}
