/** Whether the server lists a worker as a poller, which is what its `/readyz` says. */
import Long from 'long';
import { pollersOf, whyNotPolling } from '../../src/temporal/pollers';

const WORKFLOW_TASKS = 1;

/** A connection to a server that answers so; by a function, as the kind of tasks is. */
function answering(answer: object | ((ofWorkflows: boolean) => object)): Parameters<typeof pollersOf>[0] {
  const describeTaskQueue = async ({ taskQueueType }: { taskQueueType?: number | null }) =>
    typeof answer === 'function' ? answer(taskQueueType === WORKFLOW_TASKS) : answer;
  return Object.assign(Object.create(null), {
    workflowService: { describeTaskQueue },
    withDeadline: (_deadline: number, ask: () => Promise<unknown>) => ask(),
  });
}

/** A server that lists these identities, or fails. */
const listing = (workflows: string[] | Error, activities: string[] = []) =>
  answering((ofWorkflows) => {
    if (workflows instanceof Error) throw workflows;
    return { pollers: (ofWorkflows ? workflows : activities).map((identity) => ({ identity })) };
  });

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

test('who asked for work before a time is left out: Temporal lists one that has died for minutes', async () => {
  const asked = { seconds: Long.fromNumber(1_000), nanos: 0 };
  const connection = answering({ pollers: [{ identity: 'dead', lastAccessTime: asked }] });
  const identities = async (since: number) => (await pollersOf(connection, me, since))['workflow tasks'].identities;
  expect(await identities(1_000_000)).toEqual(['dead']);
  expect(await identities(1_000_001)).toEqual([]);
});

describe('new work goes to a version, or to workers without one', () => {
  const [UNVERSIONED, VERSIONED] = [1, 2];
  const version = (buildId: string) => ({ deploymentName: 'shop', buildId });
  const worker = (buildId: string) => ({ deploymentOptions: { ...version(buildId), workerVersioningMode: VERSIONED } });
  const old = { deploymentOptions: { workerVersioningMode: UNVERSIONED } };

  test.each<[string, object[], object | null, (string | null)[]]>([
    ['no version is current and only one with a version polls', [worker('2')], null, [null]],
    ['no version is current and one without a version polls', [worker('2'), old], null, []],
    ['the current version polls', [worker('2')], { currentDeploymentVersion: version('2') }, []],
    ['the current version is gone', [worker('1'), old], { currentDeploymentVersion: version('2') }, ['2 of shop']],
    [
      'a version is ramped beside workers without one that are gone',
      [worker('2')],
      { rampingDeploymentVersion: version('2'), rampingVersionPercentage: 10 },
      [null],
    ],
    [
      'all work is ramped to a version that polls',
      [worker('2')],
      { rampingDeploymentVersion: version('2'), rampingVersionPercentage: 100 },
      [],
    ],
    ['a server does not say what polls', [{}], { currentDeploymentVersion: version('2') }, []],
  ])('%s: who gets work and does not poll is told', async (_, listed, versioningInfo, unserved) => {
    const connection = answering({ pollers: listed.map((one) => ({ identity: 'w', ...one })), versioningInfo });
    const pollers = await pollersOf(connection, me, 0);
    expect(Object.values(pollers).map((of) => of.unserved)).toEqual([unserved, unserved]);
  });
});
