/** The simulated Temporal answers a client as a real server does: the same tests run on both. */
import { randomUUID } from 'node:crypto';
import {
  type Client,
  QueryNotRegisteredError,
  WorkflowContinuedAsNewError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import {
  type CreateInput,
  type GatewayActivities,
  type PaymentCarried,
  paymentWorkflowId,
  QUERY,
} from '../../src/contract';
import { activitiesIn } from '../../src/temporal/history-events';
import { missingSearchAttributes } from '../../src/temporal/search-attributes';
import { devServer } from '../../src/testing/dev-server';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../src/testing/simulated-temporal/environment';
import { APP } from '../../src/testing/stack';
import { fakeWorkerActivities } from '../../src/testing/worker-activities';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import type {
  CreatedSpeiAccount,
  CreateSpeiAccountInput,
  PaymentWorkflow,
  SpeiAccountInput,
  SpeiAccountState,
} from '../../src/workflows';
import { order } from '../harness/orders';

interface Server {
  client: Client;
  close(): Promise<void>;
}

const taskQueue = 'server-test';
/** Events of a run after which both servers suggest to continue as new. */
const RUN_EVENTS = 100;

async function simulated(activities: object): Promise<Server> {
  const env = await SimulatedEnvironment.create({ suggestsContinueAsNewAfter: RUN_EVENTS });
  env.work(activities);
  return { client: env.client, close: () => env.teardown() };
}

async function real(activities: object): Promise<Server> {
  const env = await devServer(['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${RUN_EVENTS}`]);
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle: await workflowBundle(),
    activities,
  });
  const running = worker.run();
  const close = async () => {
    worker.shutdown();
    await running;
    await env.teardown();
  };
  return { client: env.client, close };
}

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 'nothing failed', asIs);
const asIs = (error: unknown) => error;

describe.each([
  ['the simulated server', simulated],
  ['a real server', real],
])('%s', (_name, open) => {
  let server: Server;
  let gateway: FakeGateway;
  /** Whether the next attempt to create an order fails once its code has run, as where an interceptor throws. */
  let failsAfterwards = false;
  const failingAfterwards = (create: GatewayActivities['gateway.create']) => async (input: CreateInput) => {
    const result = await create(input);
    if (!failsAfterwards) return result;
    failsAfterwards = false;
    throw new Error('after the order was sent');
  };
  beforeAll(async () => {
    gateway = new FakeGateway(async () => 0);
    const activities = fakeWorkerActivities({ app_id: APP.app_id, gateway });
    server = await open({ ...activities, 'gateway.create': failingAfterwards(activities['gateway.create']) });
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    failsAfterwards = false;
    gateway.isDown = false;
    gateway.statusAt = () => 'PROCESSING';
  });

  const start = (payment = order(), more: object = {}) =>
    server.client.workflow.start<PaymentWorkflow>('payment', {
      workflowId: paymentWorkflowId(APP.app_id, payment.request.out_trade_no),
      taskQueue,
      args: [payment],
      ...more,
    });
  const follow = () => {
    const account_id = randomUUID();
    gateway.accounts.statuses.set(account_id, 'ACTIVE');
    return server.client.workflow.start<(input: SpeiAccountInput) => Promise<void>>('speiAccount', {
      workflowId: `spei-account:${APP.app_id}:${account_id}`,
      taskQueue,
      args: [{ app_id: APP.app_id, account_id }],
    });
  };
  const CANCEL = { args: [{ outcome: 'CANCEL', reason: 'the test', by: 'test' }] as [object] };

  it('lacks none of our search attributes', async () => {
    expect(await missingSearchAttributes(server.client.connection, 'default')).toEqual([]);
  });

  it('a workflow id is refused while a run is open, and afterwards by the id reuse policy of the new start', async () => {
    const payment = order();
    const handle = await start(payment);
    expect(await failure(start(payment))).toBeInstanceOf(WorkflowExecutionAlreadyStartedError);
    const same = await start(payment, { workflowIdConflictPolicy: 'USE_EXISTING' });
    expect(same.firstExecutionRunId).toBe(handle.firstExecutionRunId);
    await handle.executeUpdate('created');
    await handle.executeUpdate('resolve', CANCEL);
    await handle.result();
    for (const workflowIdReusePolicy of ['REJECT_DUPLICATE', 'ALLOW_DUPLICATE_FAILED_ONLY'])
      expect(await failure(start(payment, { workflowIdReusePolicy }))).toBeInstanceOf(
        WorkflowExecutionAlreadyStartedError,
      );
    const again = await start(payment);
    expect(again.firstExecutionRunId).not.toBe(handle.firstExecutionRunId);
    await again.terminate();
    await (await start(payment, { workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' })).terminate();
  });

  it('a query of a terminated run shows what came after its last task', async () => {
    const handle = await start();
    await handle.executeUpdate('created');
    const before = await handle.query<PaymentCarried>(QUERY.carried);
    await handle.signal('notification', { trade_status: 'PROCESSING' });
    await handle.terminate();
    const after = await handle.query<PaymentCarried>(QUERY.carried);
    expect(after.taken).toBe(before.taken + 1);
  });

  it('what an attempt of an activity has noted is there for the next one, which sends nothing', async () => {
    failsAfterwards = true;
    const before = gateway.created;
    const handle = await start();
    expect(await handle.executeUpdate('created')).toMatchObject({ recovered: true });
    expect(gateway.created - before).toBe(1);
    await handle.terminate();
  });

  it('the history of a closed run has what its activities were given, and what they have answered', async () => {
    const payment = order();
    const handle = await start(payment);
    await handle.executeUpdate('created');
    await handle.terminate();
    const { workflowId, runId } = await handle.describe();
    const [created, ...more] = await activitiesIn(server.client, { workflowId, runId }, 'gateway.create');
    expect([created, more]).toMatchObject([{ input: { request: payment.request }, result: { is: 'created' } }, []]);
  });

  it('every call to a workflow id that was never used fails with WorkflowNotFoundError', async () => {
    const handle = server.client.workflow.getHandle<PaymentWorkflow>('nobody');
    for (const asked of [
      () => handle.describe(),
      () => handle.query('state'),
      () => handle.signal('notification'),
      () => handle.executeUpdate('recheck'),
      () => handle.result(),
      () => handle.cancel(),
      () => handle.terminate(),
    ])
      expect(await failure(asked())).toBeInstanceOf(WorkflowNotFoundError);
  });

  it('an update is rejected, fails or answers, and a handle from its acceptance gets the same answer', async () => {
    const handle = await start();
    const rejected = await failure(
      handle.executeUpdate('resolve', { args: [{ outcome: 'CANCEL', by: '', reason: '' }] }),
    );
    expect(rejected).toBeInstanceOf(WorkflowUpdateFailedError);
    expect(rejected).toMatchObject({ cause: { type: 'InvalidRequest' } });
    const unknown = await failure(handle.executeUpdate('nothing-like-it'));
    expect(unknown).toBeInstanceOf(WorkflowUpdateFailedError);
    const failed = await failure(handle.executeUpdate('created', { args: [order()] }));
    expect(failed).toBeInstanceOf(WorkflowUpdateFailedError);
    expect(failed).toMatchObject({ cause: { type: 'DifferentRequest' } });
    const accepted = await handle.startUpdate('created', { waitForStage: 'ACCEPTED' });
    const answer = await accepted.result();
    expect(answer).toMatchObject({ trade_status: 'PROCESSING' });
    expect(await handle.executeUpdate('created')).toEqual(answer);
    const again = await handle.startUpdate('created', { waitForStage: 'ACCEPTED', updateId: accepted.updateId });
    expect(await again.result()).toEqual(answer);
    await handle.terminate();
  });

  it('an accepted update fails when its workflow is terminated, and later updates do not find the workflow', async () => {
    gateway.isDown = true;
    const handle = await start();
    const asked = await handle.startUpdate('created', { waitForStage: 'ACCEPTED' });
    expect(await handle.describe()).toMatchObject({ status: { name: 'RUNNING' } });
    await handle.terminate('the test');
    const failed = await failure(asked.result());
    expect(failed).toBeInstanceOf(WorkflowUpdateFailedError);
    expect(failed).toMatchObject({
      cause: {
        type: 'AcceptedUpdateCompletedWorkflow',
        message: 'Workflow Update failed because the Workflow completed before the Update completed.',
      },
    });
    const end = await failure(handle.result());
    expect(end).toBeInstanceOf(WorkflowFailedError);
    expect(end).toHaveProperty('cause', expect.any(TerminatedFailure));
    expect(await handle.describe()).toMatchObject({ status: { name: 'TERMINATED' } });
    expect(await handle.query('state')).toMatchObject({ outcome: null });
    for (const again of [
      () => handle.executeUpdate('recheck'),
      () => handle.signal('notification'),
      () => handle.terminate(),
    ])
      expect(await failure(again())).toBeInstanceOf(WorkflowNotFoundError);
  });

  it('a query sees the signals before it, and an unknown query is refused', async () => {
    const handle = await start();
    await handle.signal('notifications', {});
    expect(await handle.query('state')).toMatchObject({ attention: 'unexpected-signal' });
    expect(await failure(handle.query('nothing-like-it'))).toBeInstanceOf(QueryNotRegisteredError);
    await handle.terminate();
  });

  it('a workflow that accepts a cancellation ends as canceled', async () => {
    const handle = await server.client.workflow.start('stuckSweep', {
      workflowId: `stuck-sweep-${randomUUID()}`,
      taskQueue,
      args: [{ stuck_ms: 3_600_000 }],
    });
    await handle.query('state');
    await handle.cancel();
    const end = await failure(handle.result());
    expect(end).toBeInstanceOf(WorkflowFailedError);
    expect(end).toHaveProperty('cause', expect.any(CancelledFailure));
    expect(await handle.describe()).toMatchObject({ status: { name: 'CANCELLED' } });
  });

  it('after a run continued as new, its handle, result and updates follow the next run', async () => {
    const handle = await follow();
    await handle.executeUpdate('recheck');
    const result = failure(handle.result());
    // Few signals: an activation with a thousand takes longer than the SDK's limit of 5 s on a slow machine.
    await Promise.all(Array.from({ length: RUN_EVENTS }, () => handle.signal('deposits', {})));
    const { workflowId, firstExecutionRunId } = handle;
    const former = server.client.workflow.getHandle(workflowId, firstExecutionRunId, { followRuns: false });
    expect(await failure(former.result())).toBeInstanceOf(WorkflowContinuedAsNewError);
    const { account_id } = await handle.executeUpdate<SpeiAccountState, []>('recheck');
    expect(workflowId).toContain(account_id);
    expect(await former.describe()).toMatchObject({ status: { name: 'CONTINUED_AS_NEW' } });
    const { runId, status, raw } = await handle.describe();
    expect(runId).not.toBe(firstExecutionRunId);
    expect(raw.workflowExecutionInfo?.firstRunId).toBe(firstExecutionRunId);
    expect(status.name).toBe('RUNNING');
    await handle.terminate();
    expect(await result).toHaveProperty('cause', expect.any(TerminatedFailure));
  });

  it('a child names its parent, and keeps running after the parent has ended', async () => {
    const workflowId = `create-spei-account:${APP.app_id}:${randomUUID()}`;
    const customer = {
      buyer_id: 'b',
      email: 'b@example.com',
      identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    };
    const creation = await server.client.workflow.start<(input: CreateSpeiAccountInput) => Promise<CreatedSpeiAccount>>(
      'createSpeiAccount',
      { workflowId, taskQueue, args: [{ app_id: APP.app_id, request: { customer } }] },
    );
    const { account_id } = await creation.result();
    const { parentExecution, status } = await server.client.workflow
      .getHandle(`spei-account:${APP.app_id}:${account_id}`)
      .describe();
    expect(parentExecution).toMatchObject({ workflowId, runId: creation.firstExecutionRunId });
    expect(status.name).toBe('RUNNING');
  });
});
