/** Whether the server lists a worker as a poller, which is what its `/readyz` says. */
import { whyNotPolling } from '../../src/temporal/pollers';

const WORKFLOW_TASKS = 1;

/** A connection to a server that lists these identities, and that fails where it lists none at all. */
function listing(workflows: string[] | Error, activities: string[] = []): Parameters<typeof whyNotPolling>[0] {
  const describeTaskQueue = async ({ taskQueueType }: { taskQueueType?: number | null }) => {
    if (workflows instanceof Error) throw workflows;
    const identities = taskQueueType === WORKFLOW_TASKS ? workflows : activities;
    return { pollers: identities.map((identity) => ({ identity })) };
  };
  return Object.assign(Object.create(null), {
    workflowService: { describeTaskQueue },
    withDeadline: (_deadline: number, ask: () => Promise<unknown>) => ask(),
  });
}

const me = { namespace: 'n', taskQueue: 'payments', identity: 'me' };

test('a worker that is listed for both kinds of tasks gets work', async () => {
  expect(await whyNotPolling(listing(['other', 'me'], ['me']), me)).toBeUndefined();
});

test.each<[string, string[], string[], string]>([
  ['activity tasks', ['me'], ['other'], 'Temporal does not list it as a poller of activity tasks on payments'],
  ['workflow tasks', [], ['me'], 'Temporal does not list it as a poller of workflow tasks on payments'],
  ['any tasks', ['mee'], [], 'Temporal does not list it as a poller of workflow tasks and activity tasks on payments'],
])('a worker that is not listed for %s says so', async (_, workflows, activities, why) => {
  expect(await whyNotPolling(listing(workflows, activities), me)).toBe(why);
});

test('where Temporal does not answer, the first line of its error says why', async () => {
  expect(await whyNotPolling(listing(new Error('deadline exceeded\n at x')), me)).toBe(
    'Temporal does not say who polls payments (deadline exceeded)',
  );
});
