/** What the simulated Temporal answers a client is what a real server answers: the same tests on both. */
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
import type {
  CreateSpeiAccountInput,
  PaymentWorkflow,
  SpeiAccountData,
  SpeiAccountInput,
  SpeiAccountState,
} from '../../src/workflows';
import { accountWorkerActivities, FakeAccounts } from '../harness/fake-accounts';
import { FakeGateway } from '../harness/fake-gateway';
import { APP, order } from '../harness/lives';
import { workflowBundle } from '../harness/stack';
import { devServer } from '../harness/temporal';
import { SimulatedEnv } from './env';

interface Server {
  client: Client;
  close(): Promise<void>;
}

const taskQueue = 'server-test';

async function simulated(activities: object): Promise<Server> {
  const env = await SimulatedEnv.create();
  env.work(activities);
  return { client: env.client, close: () => env.teardown() };
}

async function real(activities: object): Promise<Server> {
  const env = await devServer();
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
  let accounts: FakeAccounts;
  beforeAll(async () => {
    gateway = new FakeGateway(async () => 0);
    accounts = new FakeAccounts();
    server = await open(accountWorkerActivities(accounts, gateway));
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    gateway.isDown = false;
    gateway.statusAt = () => 'PROCESSING';
  });

  const start = (workflowId = `payment-${randomUUID()}`, more: object = {}) =>
    server.client.workflow.start<PaymentWorkflow>('payment', { workflowId, taskQueue, args: [order()], ...more });
  const follow = () => {
    const account_id = randomUUID();
    accounts.statuses.set(account_id, 'ACTIVE');
    return server.client.workflow.start<(input: SpeiAccountInput) => Promise<void>>('speiAccount', {
      workflowId: `spei-account:${APP}:${account_id}`,
      taskQueue,
      args: [{ app_id: APP, account_id }],
    });
  };
  const CANCEL = { args: [{ outcome: 'CANCEL', reason: 'the test', by: 'test' }] as [object] };

  it('an id is taken while something runs under it, and then by the policy of who wants it', async () => {
    const { workflowId, ...handle } = await start();
    expect(await failure(start(workflowId))).toBeInstanceOf(WorkflowExecutionAlreadyStartedError);
    const same = await start(workflowId, { workflowIdConflictPolicy: 'USE_EXISTING' });
    expect(same.firstExecutionRunId).toBe(handle.firstExecutionRunId);
    await handle.executeUpdate('created');
    await handle.executeUpdate('resolve', CANCEL);
    await handle.result();
    for (const workflowIdReusePolicy of ['REJECT_DUPLICATE', 'ALLOW_DUPLICATE_FAILED_ONLY'])
      expect(await failure(start(workflowId, { workflowIdReusePolicy }))).toBeInstanceOf(
        WorkflowExecutionAlreadyStartedError,
      );
    const again = await start(workflowId);
    expect(again.firstExecutionRunId).not.toBe(handle.firstExecutionRunId);
    await again.terminate();
    await (await start(workflowId, { workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' })).terminate();
  });

  it('nothing runs under an id that nobody used', async () => {
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

  it('an update is rejected, fails, or answers; a handle that was given at its acceptance gets the same', async () => {
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

  it('an update that was accepted fails when its workflow is terminated, which no update reaches any more', async () => {
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

  it('a query sees what was signalled before it, and one that nobody answers is refused', async () => {
    const handle = await start();
    await handle.signal('notifications', {});
    expect(await handle.query('state')).toMatchObject({ attention: 'unexpected-signal' });
    expect(await failure(handle.query('nothing-like-it'))).toBeInstanceOf(QueryNotRegisteredError);
    await handle.terminate();
  });

  it('a workflow that heeds a request to cancel it ends canceled', async () => {
    const handle = await start();
    await handle.executeUpdate('created');
    await handle.cancel();
    const end = await failure(handle.result());
    expect(end).toBeInstanceOf(WorkflowFailedError);
    expect(end).toHaveProperty('cause', expect.any(CancelledFailure));
    expect(await handle.describe()).toMatchObject({ status: { name: 'CANCELLED' } });
  });

  it('a run that continued as new is followed by its handle, its result and its updates', async () => {
    const handle = await follow();
    await handle.executeUpdate('recheck');
    const result = failure(handle.result());
    // More than a run of an account takes.
    await Promise.all(Array.from({ length: 1_000 }, () => handle.signal('deposits', {})));
    const { workflowId, firstExecutionRunId } = handle;
    const former = server.client.workflow.getHandle(workflowId, firstExecutionRunId, { followRuns: false });
    expect(await failure(former.result())).toBeInstanceOf(WorkflowContinuedAsNewError);
    const { account_id } = await handle.executeUpdate<SpeiAccountState, []>('recheck');
    expect(workflowId).toContain(account_id);
    expect(await former.describe()).toMatchObject({ status: { name: 'CONTINUED_AS_NEW' } });
    const { runId, status } = await handle.describe();
    expect(runId).not.toBe(firstExecutionRunId);
    expect(status.name).toBe('RUNNING');
    await handle.terminate();
    expect(await result).toHaveProperty('cause', expect.any(TerminatedFailure));
  });

  it('a child knows its parent, and goes on after it', async () => {
    const workflowId = `create-spei-account:${APP}:${randomUUID()}`;
    const customer = {
      buyer_id: 'b',
      email: 'b@example.com',
      identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
    };
    const creation = await server.client.workflow.start<(input: CreateSpeiAccountInput) => Promise<SpeiAccountData>>(
      'createSpeiAccount',
      { workflowId, taskQueue, args: [{ app_id: APP, request: { customer } }] },
    );
    const { account_id } = await creation.result();
    const { parentExecution, status } = await server.client.workflow
      .getHandle(`spei-account:${APP}:${account_id}`)
      .describe();
    expect(parentExecution).toMatchObject({ workflowId, runId: creation.firstExecutionRunId });
    expect(status.name).toBe('RUNNING');
  });
});
