/** Who works on a task queue, as Temporal lists it. */
import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { TaskQueueType } = temporal.api.enums.v1;

/** A payment needs both kinds of tasks. */
const KINDS = {
  'workflow tasks': TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  'activity tasks': TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
} as const;
type Kind = keyof typeof KINDS;

/** The identities of those who polled in the last minutes, by the kind of tasks. */
export type Pollers = Readonly<Record<Kind, readonly string[]>>;

/** The part of a connection that is used here. Connections of clients and of workers both have it. */
type Asked = Pick<Connection, 'withDeadline'> & {
  workflowService: Pick<Connection['workflowService'], 'describeTaskQueue'>;
};

interface TaskQueue {
  namespace: string;
  taskQueue: string;
}

/** Throws Temporal's own error where it does not answer within 3 s. */
export async function pollersOf(connection: Asked, { namespace, taskQueue }: TaskQueue): Promise<Pollers> {
  const ask = async (kind: Kind) => {
    const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType: KINDS[kind] };
    const { pollers } = await connection.workflowService.describeTaskQueue(request);
    return (pollers ?? []).map(({ identity }) => identity ?? '');
  };
  return connection.withDeadline(Date.now() + 3_000, async () => {
    const [workflows, activities] = await Promise.all([ask('workflow tasks'), ask('activity tasks')]);
    return { 'workflow tasks': workflows, 'activity tasks': activities };
  });
}

/** Why a worker gets no work, in a line; undefined where Temporal lists it as a poller of both kinds of tasks. Never throws. */
export async function whyNotPolling(
  connection: Asked,
  { identity, ...of }: TaskQueue & { identity: string },
): Promise<string | undefined> {
  try {
    const pollers = await pollersOf(connection, of);
    const unlisted = Object.entries(pollers).flatMap(([kind, identities]) =>
      identities.includes(identity) ? [] : [kind],
    );
    if (unlisted.length === 0) return undefined;
    return `Temporal does not list it as a poller of ${unlisted.join(' and ')} on ${of.taskQueue}`;
  } catch (error) {
    const [said] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `Temporal does not say who polls ${of.taskQueue} (${said})`;
  }
}
