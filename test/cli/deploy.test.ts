/** What `payment-gateway deploy` decides, and what it asks Temporal for. The real one: test/real-server/versions.test.ts. */
import { ServiceError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import Long from 'long';
import { changedText } from '../../src/cli/deploy/deploy';
import { gatesOfNoReturn, promotionOf, rampOf, rollbackOf, stoppingOf, unreadGates } from '../../src/cli/deploy/rules';
import { UserError } from '../../src/process/user-error';
import { type DeployedVersion, type Deployment, Deployments, DeployRefusedError } from '../../src/temporal/deployments';

const gates = (reads: string[], opens: string[] = []) => ({ release: '1.0.0', reads, opens });

function version(build_id: string, day: number, more: Partial<DeployedVersion> = {}): DeployedVersion {
  const created_at = `2026-11-0${day}T00:00:00.000Z`;
  const runs = { open_runs: 0, pinned_runs: 0, closed_runs: 0, task_queues: ['payments'] };
  return { build_id, state: 'new', created_at, last_current_at: null, gates: gates([]), ...runs, ...more };
}

const OLDEST = version('a', 1, { state: 'drained', last_current_at: '2026-11-01T01:00:00.000Z', gates: null });
const OLDER = version('b', 2, { state: 'draining', last_current_at: '2026-11-02T01:00:00.000Z', gates: gates(['g']) });
const CURRENT = version('c', 3, {
  state: 'current',
  last_current_at: '2026-11-03T01:00:00.000Z',
  gates: gates(['g'], ['g']),
});
const NEW = version('d', 4, { gates: gates(['g', 'h'], ['g', 'h']) });

function deployment(more: Partial<Deployment> = {}): Deployment {
  const versions = [NEW, CURRENT, OLDER, OLDEST];
  return { name: 'payments', current: 'c', ramping: null, versions, token: new Uint8Array([7]), ...more };
}

describe('the next version', () => {
  test('is the newest where none is named', () => {
    expect(promotionOf(deployment())).toEqual({ do: 'promote', build_id: 'd', receivers: [NEW] });
    expect(rampOf(deployment(), 10)).toEqual({ do: 'ramp', build_id: 'd', percent: 10, receivers: [NEW] });
  });

  test('is the ramped one where there is one', () => {
    expect(promotionOf(deployment({ ramping: { build_id: 'b', percent: 1 } }))).toMatchObject({ build_id: 'b' });
  });

  test('is the named one', () => {
    expect(promotionOf(deployment(), { named: 'a' })).toMatchObject({ build_id: 'a', receivers: [OLDEST] });
  });

  test('is never one from which new work was taken, unless it is named: the mended one may not poll yet', () => {
    const left = { ...NEW, state: 'draining' as const, last_current_at: '2026-11-04T01:00:00.000Z' };
    const rolledBack = deployment({ versions: [left, CURRENT, OLDER, OLDEST] });
    const wasRamped = deployment({ versions: [{ ...NEW, state: 'drained' }, CURRENT] });
    const atZero = deployment({
      versions: [{ ...NEW, state: 'ramping' }, CURRENT],
      ramping: { build_id: 'd', percent: 0 },
    });
    for (const one of [rolledBack, wasRamped, atZero]) {
      expect(() => promotionOf(one)).toThrow(/^Nothing was changed: new work of payments was taken from d before/);
      expect(() => rampOf(one, 10, { own: 'd' })).toThrow(/or name this one: --build-id d\.$/);
      expect(promotionOf(one, { named: 'd' })).toMatchObject({ build_id: 'd' });
    }
  });

  test('is that of TEMPORAL_WORKER_BUILD_ID, before the ramped and the newest one, once it polls', () => {
    const mended = version('e', 5);
    const ramped = { ramping: { build_id: 'd', percent: 10 } };
    expect(() => promotionOf(deployment(ramped), { own: 'e' })).toThrow(
      /has no version e\. .*_BUILD_ID=e, and wait until/,
    );
    const polls = deployment({ ...ramped, versions: [mended, NEW, CURRENT] });
    expect(rampOf(polls, 10, { own: 'e' })).toMatchObject({ build_id: 'e' });
  });

  test('is not that of TEMPORAL_WORKER_BUILD_ID where this is current: the command runs in the image that works now', () => {
    expect(promotionOf(deployment(), { own: 'c' })).toMatchObject({ build_id: 'd' });
    const ramped = deployment({ ramping: { build_id: 'b', percent: 1 } });
    expect(rampOf(ramped, 10, { own: 'c' })).toMatchObject({ build_id: 'b' });
    const alone = deployment({ versions: [CURRENT, OLDER] });
    expect(() => promotionOf(alone, { own: 'c' })).toThrow(/c is the current .* none is newer/);
  });

  test('is refused where it is not there, or current already', () => {
    expect(() => promotionOf(deployment(), { named: 'x' })).toThrow(
      /has no version x\. It has: d, c, b, a.*start one with/,
    );
    expect(() => promotionOf(deployment({ versions: [CURRENT, OLDER] }))).toThrow(/c is the current .* none is newer/);
    expect(() => rampOf(deployment(), 5, { named: 'c' })).toThrow(UserError);
  });
});

test('a promotion says which workers have to run on: those of a version until it is drained, and others not at all', () => {
  const promotion = promotionOf(deployment());
  expect(changedText(promotion, deployment())).toContain('after c. Let the workers of c run until it is drained.');
  expect(changedText(promotion, deployment({ current: null }))).toMatch(
    /without a version may stop: .* goes on with d\./,
  );
});

describe('a rollback', () => {
  test('goes to the version that was current before', () => {
    expect(rollbackOf(deployment())).toEqual({ do: 'promote', build_id: 'b', receivers: [OLDER] });
  });

  test('never goes forward, although the newer one was current later', () => {
    const left = { ...CURRENT, state: 'draining' as const };
    const back = deployment({ current: 'b', versions: [left, { ...OLDER, state: 'current' }, OLDEST] });
    expect(rollbackOf(back)).toMatchObject({ build_id: 'a' });
  });

  test('ends a ramp, and all goes to the current version', () => {
    const ramped = deployment({ ramping: { build_id: 'd', percent: 20 } });
    expect(rollbackOf(ramped)).toEqual({ do: 'end-ramp', build_id: 'd', receivers: [CURRENT] });
  });

  test('is refused where no version was current before, or none is current', () => {
    expect(() => rollbackOf(deployment({ versions: [NEW, CURRENT] }))).toThrow(
      /nothing to go back to\. Start workers of the release before with .*BUILD_ID=BUILD.* promote --build-id BUILD\. .* go forward/,
    );
    expect(() => rollbackOf(deployment({ current: null }))).toThrow(/nothing to go back from/);
  });
});

describe('the gates that a receiver does not know', () => {
  test.each([
    ['a newer version that knows all', [NEW], []],
    ['an older release', [OLDER], ['h']],
    ['a version that published nothing', [OLDEST], ['g', 'h', 'own']],
    ['workers without a version', [null], ['g', 'h', 'own']],
    ['one of two', [NEW, OLDER], ['h']],
  ])('are, for %s, those that anybody else knows', (_who, receivers, unread) => {
    const own = unread.includes('own') ? ['own'] : [];
    expect(unreadGates(deployment(), receivers, own)).toEqual(unread);
  });

  test('count for the current version where a ramp is made smaller, and for both where another one is ramped', () => {
    const ramped = deployment({ ramping: { build_id: 'd', percent: 20 } });
    expect(rampOf(ramped, 30).receivers).toEqual([NEW]);
    expect(rampOf(ramped, 10).receivers).toEqual([CURRENT]);
    expect(rampOf(ramped, 10, { named: 'b' }).receivers).toEqual([OLDER, CURRENT]);
  });

  test('are told before runs pass them', () => {
    expect(gatesOfNoReturn(deployment(), promotionOf(deployment()))).toEqual(['h']);
  });
});

test.each([
  [CURRENT, false, /new work/],
  [{ ...NEW, state: 'ramping' as const }, false, /new work/],
  [{ ...OLDER, pinned_runs: 3 }, false, /3 open runs stay/],
  [OLDER, false, /not found it drained/],
  [OLDEST, true, /drained/],
  [{ ...OLDEST, closed_runs: 9 }, true, /nobody answers for the state of 9 runs that failed or were terminated/],
  [NEW, true, /no work was ever sent/],
  [{ ...NEW, state: 'unknown' as const }, false, /does not say its state/],
])('a version may stop only where nothing needs it: %j', (one, may_stop, why) => {
  expect(stoppingOf(one)).toEqual({ may_stop, why: expect.stringMatching(why) });
});

describe('Temporal', () => {
  const { TaskQueueType, WorkerDeploymentVersionStatus: STATUS } = temporal.api.enums.v1;
  interface Asked {
    query?: string | null;
    conflictToken?: Uint8Array | null;
    buildId?: string | null;
    deploymentVersion?: { buildId?: string | null } | null;
  }
  const asked: Asked[] = [];
  const refuse = (code: number, message: string) => {
    const cause = Object.assign(new Error(message), { code, details: message, metadata: {} });
    return Promise.reject(new ServiceError(message, { cause }));
  };
  type Service = ConstructorParameters<typeof Deployments>[0];
  /** Of the answers, only what is read of them. */
  const fake = (answers: Partial<Record<keyof Service, (request: Asked) => unknown>>) =>
    new Deployments(
      // biome-ignore format: one line says it
      new Proxy({}, { get: (_, name) => async (request: Asked) => { asked.push(request); return Reflect.get(answers, name)?.(request); } }) as Service,
      'default',
      'ana',
    );
  beforeEach(() => asked.splice(0));

  const time = { seconds: Long.fromNumber(1_795_855_624), nanos: 500_000_000 };
  const at = new Date(1_795_855_624_500).toISOString();
  const its = (buildId: string) => ({ deploymentName: 'payments', buildId });

  test('is asked for each version, its gates and its open runs', async () => {
    const entries = { 'payments.gates': defaultPayloadConverter.toPayload(gates(['g'], ['g'])) };
    const deployments = fake({
      describeWorkerDeployment: () => ({
        conflictToken: new Uint8Array([1]),
        workerDeploymentInfo: {
          routingConfig: { currentDeploymentVersion: its('c') },
          versionSummaries: [{ deploymentVersion: its('c'), lastCurrentTime: time }],
        },
      }),
      describeWorkerDeploymentVersion: () => ({
        workerDeploymentVersionInfo: { createTime: time, metadata: { entries } },
        versionTaskQueues: [
          { name: 'payments', type: TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW },
          { name: 'only-activities', type: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY },
        ],
      }),
      countWorkflowExecutions: ({ query }) => ({
        count: query?.includes(' IN ') ? 3 : query?.includes('Pinned') ? 1 : 2,
      }),
    });
    expect(await deployments.read('payments')).toEqual({
      ...{ name: 'payments', current: 'c', ramping: null, token: new Uint8Array([1]) },
      versions: [
        {
          ...{ build_id: 'c', state: 'current', created_at: at, last_current_at: at, gates: gates(['g'], ['g']) },
          ...{ open_runs: 2, pinned_runs: 1, closed_runs: 3, task_queues: ['payments'] },
        },
      ],
    });
    expect(asked.flatMap(({ query }) => query ?? [])).toContain(
      "ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = 'payments:c'",
    );
  });

  test('says the state of a version by where new work goes, and of the others by their status', async () => {
    const summaries = [
      ['c', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING],
      ['r', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_INACTIVE],
      ['was', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT],
      ['silent', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_UNSPECIFIED],
      ['new', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_CREATED],
      ['old', STATUS.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED],
    ] as const;
    const deployments = fake({
      describeWorkerDeployment: () => ({
        workerDeploymentInfo: {
          routingConfig: { currentDeploymentVersion: its('c'), rampingDeploymentVersion: its('r') },
          versionSummaries: summaries.map(([build, status]) => ({ deploymentVersion: its(build), status })),
        },
      }),
      describeWorkerDeploymentVersion: () => ({ workerDeploymentVersionInfo: { createTime: time } }),
      countWorkflowExecutions: () => ({ count: 0 }),
    });
    const { versions } = await deployments.read('payments');
    expect(Object.fromEntries(versions.map(({ build_id, state }) => [build_id, state]))).toEqual({
      ...{ c: 'current', r: 'ramping', was: 'unknown', silent: 'unknown', new: 'new', old: 'drained' },
    });
  });

  test('leaves out a version that Temporal lists and does not describe, but none that gets new work', async () => {
    const routed = (...routingConfig: object[]) =>
      fake({
        describeWorkerDeployment: () => ({
          workerDeploymentInfo: {
            routingConfig: Object.assign({}, ...routingConfig),
            versionSummaries: ['c', 'new'].map((build) => ({ deploymentVersion: its(build) })),
          },
        }),
        describeWorkerDeploymentVersion: ({ deploymentVersion }) =>
          deploymentVersion?.buildId === 'new' ? refuse(5, 'Worker Deployment Version not found') : {},
        countWorkflowExecutions: () => ({ count: 0 }),
      });
    const current = { currentDeploymentVersion: its('c') };
    expect((await routed(current).read('payments')).versions).toMatchObject([{ build_id: 'c' }]);
    await expect(routed(current, { rampingDeploymentVersion: its('new') }).read('payments')).rejects.toThrow(/found/);
    await expect(routed({ currentDeploymentVersion: its('new') }).read('payments')).rejects.toThrow(/found/);
  });

  test.each([
    ['of its task queues', [['eu'], ['eu', "o'x"]], "TaskQueue IN ('eu', 'o''x') AND "],
    ['of all where it names none', [[]], ''],
  ])('is asked for runs behind gates %s, but for those that are pinned', async (_which, queues, taken) => {
    const deployments = fake({ countWorkflowExecutions: () => ({ count: 4 }) });
    const versions = queues.map((task_queues, day) => version(`${day}`, day, { task_queues }));
    expect(await deployments.runsBehind(deployment({ versions }), ['g', "it's"])).toBe(4);
    expect(asked).toEqual([
      {
        namespace: 'default',
        query: `ExecutionStatus = 'Running' AND ${taken}TemporalChangeVersion IN ('g', 'it''s') AND (TemporalWorkflowVersioningBehavior IS NULL OR NOT TemporalWorkflowVersioningBehavior = 'Pinned')`,
      },
    ]);
  });

  test.each([
    ['no version is ramped', {}, null],
    ['one is', { rampingDeploymentVersion: its('d'), rampingVersionChangedTime: time }, new Date(at)],
    ['one was, and is no more', { rampingVersionChangedTime: time }, null],
  ])('says since when new work is divided, where %s', async (_where, routingConfig, since) => {
    const deployments = fake({ describeWorkerDeployment: () => ({ workerDeploymentInfo: { routingConfig } }) });
    expect(await deployments.rampedSince('payments')).toEqual(since);
  });

  test('is asked for no runs where no gate is unread', async () => {
    expect(await fake({}).runsBehind(deployment(), [])).toBe(0);
    expect(asked).toEqual([]);
  });

  test.each([
    ['conflict token mismatch', /Somebody else changed it.*deploy status/],
    [
      "proposed current version 'payments:d' is missing active task queues from the current version",
      /start its workers/,
    ],
    ["ManagerIdentity 'x' is set and does not match user identity 'y'", /Worker Controller.*Manual.*identity unset/],
    ['something new', /Temporal refuses d: .*something new.*deploy status/],
  ])('gets the token of what was read, and its refusal %j is told with what to do', async (said, told) => {
    const deployments = fake({ setWorkerDeploymentCurrentVersion: () => refuse(9, said) });
    const refused = deployments.setCurrent(deployment(), 'd');
    await expect(refused).rejects.toThrow(DeployRefusedError);
    await expect(refused).rejects.toThrow(told);
    expect(asked).toMatchObject([{ buildId: 'd', conflictToken: new Uint8Array([7]) }]);
  });

  test('says that there is no such deployment, and how there is one', async () => {
    const deployments = fake({ describeWorkerDeployment: () => refuse(5, 'not found') });
    await expect(deployments.read('payments')).rejects.toThrow(/has no Worker Deployment payments: start a worker/);
  });
});
