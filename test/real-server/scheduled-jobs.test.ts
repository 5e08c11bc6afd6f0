/**
 * Jobs that Temporal starts by itself go on for years: without keys, once keys are introduced, while they are rotated, after a run that
 * failed or returned something else, and after a limit on time. What stops them is found. Temporal and the workers are real.
 */
import { Client, type ScheduleHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { dataConverter } from '../../src/codec';
import {
  comparedStatus,
  paymentWorkflowId,
  type Recorder,
  reconciliationWorkflowId,
  type ScheduledJob,
  SEARCH_ATTRIBUTE,
  SWEPT,
  scheduledJobs,
  UPDATE,
  WORKFLOW,
} from '../../src/contract';
import { DAY } from '../../src/gateway/pure/durations';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { type Config, loadConfig } from '../../src/process/settings';
import { prepareNamespace } from '../../src/temporal/namespaces';
import { makeSchedule, troubledJobs } from '../../src/temporal/schedules';
import { look } from '../../src/temporal/watch-for-stops';
import { devServer } from '../../src/testing/dev-server';
import { APP } from '../../src/testing/stack';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import { key, setting } from '../codec/support';
import { eventually } from '../harness/eventually';

const JOBS = scheduledJobs([APP.app_id]);
const [SWEEP, RECONCILIATION] = JOBS;
const [OLD, NEW] = [key('2026-01'), key('2026-07')];
const taskQueue = 'jobs';

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await devServer();
  // Days are looked for as long as Temporal keeps runs.
  await prepareNamespace(temporal.connection, 'default', 30 * DAY);
});
afterAll(async () => {
  await temporal?.teardown();
});

function settings(keys: string | undefined): Config {
  return loadConfig({
    PAYMENTS_TASK_QUEUE: taskQueue,
    GATEWAY_BASE_URL: 'http://127.0.0.1:9',
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PUBLIC_URL: 'http://127.0.0.1:9',
    ...(keys === undefined ? { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' } : { PAYMENTS_ENCRYPTION_KEYS: keys }),
  });
}

/** Jobs that fail, without our workflows beside them: those take most of a bundle's time. */
const failingJobs: typeof workflowBundle = (failureConverterPath) =>
  bundleWorkflowCode({
    workflowsPath: require.resolve('./failing-jobs'),
    logger: new DefaultLogger('ERROR'),
    ...(failureConverterPath ? { failureConverterPath } : {}),
  });

/** Acts while a worker with these keys runs. */
async function withWorker(
  keys: string | undefined,
  act: () => Promise<void>,
  bundleFor = workflowBundle,
): Promise<void> {
  const config = settings(keys);
  const { failureConverterPath } = dataConverter(config);
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleFor(failureConverterPath),
    plugins: [new PaymentGatewayPlugin(config)],
  });
  await worker.runUntil(act);
}

/** A client with the worker's newest key. */
const reader = () =>
  new Client({ connection: temporal.connection, dataConverter: dataConverter(settings(setting(NEW))) });

const scheduleOf = ({ schedule_id }: ScheduledJob): ScheduleHandle => temporal.client.schedule.getHandle(schedule_id);

/** The run that a Schedule has started last. */
async function lastRun(schedule: ScheduleHandle) {
  const { workflowId = '', firstExecutionRunId = '' } =
    (await schedule.describe()).info.recentActions.at(-1)?.action.workflow ?? {};
  return { workflowId, runId: firstExecutionRunId };
}

/** Has a job started once. */
async function startOnce(job: ScheduledJob) {
  const schedule = scheduleOf(job);
  const before = await lastRun(schedule);
  // A Schedule names a run by its second: within the same one, the next run would have the name of the one before, or be taken for it.
  const isOver = async () => !before.workflowId.endsWith(`${new Date().toISOString().slice(0, 19)}Z`);
  await eventually(`the second of ${before.workflowId} is over`, isOver);
  // As by its time: the default of a trigger, ALLOW_ALL, hands the run nothing of the one before; SKIP may meet one that has just ended.
  await schedule.trigger('BUFFER_ONE');
  await eventually(`${job.schedule_id} starts a run`, async () => (await lastRun(schedule)).runId !== before.runId);
  const { workflowId, runId } = await lastRun(schedule);
  return temporal.client.workflow.getHandle(workflowId, runId);
}

/** The same, and gives how its run ended. */
async function runOnce(job: ScheduledJob): Promise<string> {
  const run = await startOnce(job);
  await eventually(`${run.workflowId} ends`, async () => (await run.describe()).status.name !== 'RUNNING');
  return (await run.describe()).status.name;
}

function fail(): never {
  throw new Error('There is no run.');
}

const troubles = () => troubledJobs(temporal.client, JOBS, new Date());

/** What a worker tells of the jobs: its metric by Schedule, and its log. */
async function told(client: Client = temporal.client) {
  const values: Record<string, number> = {};
  const lines: string[] = [];
  const record: Recorder = (name, value, labels) => {
    values[[name, ...Object.values(labels)].join(' ')] = value;
  };
  const say = (line: string) => lines.push(line);
  await look(client, { jobs: JOBS, deployment: 'none' }, { record, log: { error: say, warn: say } }, new Date());
  return { values, lines };
}
const stopped = (value: number) =>
  Object.fromEntries(JOBS.map(({ schedule_id }) => [`jobStopped ${schedule_id}`, value]));

test('jobs without Schedules are found missing, and none is found in trouble once they are made', async () => {
  expect((await troubles()).map(({ schedule_id, problem }) => [schedule_id, problem])).toEqual(
    JOBS.map(({ schedule_id }) => [schedule_id, 'missing']),
  );
  expect(await told()).toEqual({
    values: stopped(1),
    lines: [
      ...JOBS.map(({ schedule_id }) =>
        expect.stringMatching(`${schedule_id} needs a person \\(job-stopped\\): there is no`),
      ),
      'it was not found out how far the deploy is',
    ],
  });
  for (const job of JOBS) await makeSchedule(temporal.client, job, taskQueue);
  expect(await troubles()).toEqual([]);
  expect((await told()).values).toEqual(stopped(0));
});

/** In this order, on one Temporal: each worker finds what the one before has left. */
test.each([
  ['without keys', undefined, 2],
  ['once keys are introduced', setting(OLD), 2],
  ['while keys are rotated', setting(NEW, OLD), 1],
  ['after the old key was removed', setting(NEW), 2],
])('each job does its work, %s, in every run', async (_name, keys, times) => {
  await withWorker(keys, async () => {
    for (let i = 0; i < times; i += 1)
      for (const job of JOBS) expect([job.schedule_id, await runOnce(job)]).toEqual([job.schedule_id, 'COMPLETED']);
  });
  expect(await troubles()).toEqual([]);
});

test('a run that failed is found, and the next one works, also where its key was removed', async () => {
  await withWorker(
    setting(OLD),
    async () => {
      for (const job of JOBS) expect(await runOnce(job)).toBe('FAILED');
    },
    failingJobs,
  );
  expect((await troubles()).map(({ problem }) => problem)).toEqual(['failed', 'failed']);
  await withWorker(setting(NEW), async () => {
    for (const job of JOBS) expect(await runOnce(job)).toBe('COMPLETED');
  });
  expect(await troubles()).toEqual([]);
});

test('a day that no reconciliation has compared is found with the command that compares it, and goes once one has', async () => {
  const today = Math.floor(Date.now() / DAY) * DAY;
  const day = (ago: number) => new Date(today - ago * DAY).toISOString();
  const compare = async (period: string, input: object[]) => {
    const workflowId = reconciliationWorkflowId(APP.app_id, period);
    const start = { workflowId, taskQueue, args: input };
    expect(await reader().workflow.execute(WORKFLOW.reconciliation, start)).toMatchObject({ finished: true });
  };
  const compared = ({ ago }: { ago: number }) => comparedStatus({ since: day(ago + 1), until: day(ago) });
  const listed = (status: string) =>
    eventually(`${status} is listed`, async () => {
      const query = `WorkflowType = '${WORKFLOW.reconciliation}' AND PaymentStatus = '${status}'`;
      return (await temporal.client.workflow.count(query)).count > 0;
    });
  await withWorker(setting(NEW), async () => {
    // As the Schedule has started it three days ago; since then it was paused.
    await compare(`daily-${day(3).slice(0, 10)}T04:00:00Z`, []);
    await listed(compared({ ago: 3 }));
    const command = `payment-gateway reconcile --app ${APP.app_id} --since ${day(3).slice(0, 10)} --until `;
    expect(await troubles()).toMatchObject([{ problem: 'gap', text: expect.stringContaining(command) }]);
    expect(await told()).toMatchObject({ values: { [`jobStopped ${RECONCILIATION?.schedule_id}`]: 1 } });
    const period = { since: day(3), until: day(0) };
    // Of a part of the numbers: it has not compared the days.
    await compare('part', [{ app_id: APP.app_id, ...period, orders: { from: 'a', to: 'b' } }]);
    await listed('COMPARED A PART');
    expect(await troubles()).toMatchObject([{ problem: 'gap' }]);
    await compare('again', [{ app_id: APP.app_id, ...period }]);
    await listed(comparedStatus(period));
    expect(await troubles()).toEqual([]);
  });
});

test('a sweep that waits for a person after one that ran out of time has done its work', async () => {
  const sweep = SWEEP ?? fail();
  const { client } = temporal;
  // Its time is over, and nobody takes it.
  const workflowId = paymentWorkflowId(APP.app_id, 'stuck');
  const typedSearchAttributes = [{ key: SEARCH_ATTRIBUTE.expiresAt, value: new Date(Date.now() - DAY) }];
  const start = { workflowId, taskQueue: 'nobody', args: [], typedSearchAttributes };
  const unheard = await client.workflow.start(WORKFLOW.payment, start);
  const lost = await startOnce(sweep);
  await lost.terminate('as its limit does');
  expect(await troubles()).toMatchObject([{ problem: 'failed' }]);
  await withWorker(setting(NEW), async () => {
    const run = await startOnce(sweep);
    await eventually(
      'it has looked',
      async () => (await run.describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTE.status) === SWEPT,
    );
    expect(await troubles()).toEqual([]);
    await unheard.terminate();
    const resolution = { by: 'ana', reason: 'it was a test' };
    await reader()
      .workflow.getHandle(run.workflowId)
      .executeUpdate<object, [object]>(UPDATE.resolve, { args: [resolution] });
    await eventually('it ends', async () => (await run.describe()).status.name === 'COMPLETED');
  });
});

test('a paused job is found, with the note of who paused it, and its schedule made again leaves it paused', async () => {
  const schedule = scheduleOf(RECONCILIATION ?? fail());
  await schedule.pause('for the night');
  for (const job of JOBS) await makeSchedule(temporal.client, job, taskQueue);
  expect(await troubles()).toMatchObject([{ problem: 'paused', text: expect.stringContaining('for the night') }]);
  await schedule.unpause();
  expect(await troubles()).toEqual([]);
});

test('what Temporal refuses to tell of one job is said of it, and hides no trouble of another', async () => {
  const service = temporal.connection.workflowService;
  const refused = Object.create(service, {
    describeNamespace: { value: () => Promise.reject(new Error('not for you')) },
  });
  const client = Object.create(temporal.client, {
    connection: { value: Object.create(temporal.connection, { workflowService: { value: refused } }) },
  });
  const sweep = scheduleOf(SWEEP ?? fail());
  await sweep.pause('for the night');
  const unknown = {
    schedule_id: RECONCILIATION?.schedule_id,
    problem: 'unknown',
    text: expect.stringContaining('not for you'),
  };
  expect(await troubledJobs(client, JOBS, new Date())).toMatchObject([{ problem: 'paused' }, unknown]);
  // What is not known changes nothing of what was told before.
  expect((await told(client)).values).toEqual({ [`jobStopped ${SWEEP?.schedule_id}`]: 1 });
  await sweep.unpause();
});

test('a job that starts nothing is found once it is a quarter of an hour late', async () => {
  const sweep = SWEEP ?? fail();
  const after = (minutes: number) => troubledJobs(temporal.client, [sweep], new Date(Date.now() + minutes * 60_000));
  expect(await after(29)).toEqual([]);
  expect(await after(31)).toMatchObject([{ schedule_id: sweep.schedule_id, problem: 'late' }]);
});

test('a run that gets no further is found after its time, and a limit lets the next one begin', async () => {
  const sweep = SWEEP ?? fail();
  // Nobody takes it: no worker runs.
  const run = await startOnce(sweep);
  expect(await troubles()).toEqual([]);
  const late = new Date(Date.now() + sweep.works_ms + 60_000);
  expect(await troubledJobs(temporal.client, [sweep], late)).toMatchObject([{ workflow_id: run.workflowId }]);
  const { raw } = await run.describe();
  expect(Number(raw.executionConfig?.workflowRunTimeout?.seconds)).toBe(sweep.works_ms / 1_000);
});
