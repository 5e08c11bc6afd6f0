/**
 * Waiting costs no history: polls, tries and checks add no events, however many there are. Counted on the simulated
 * Temporal, whose count is held against a real server's.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { paymentWorkflowId } from '../../src/contract';
import { DAY, HOUR, MINUTE } from '../../src/gateway/pure/durations';
import { devServer } from '../../src/testing/dev-server';
import { FakeGateway } from '../../src/testing/fake-gateway/fake-gateway';
import { SimulatedEnvironment } from '../../src/testing/simulated-temporal/environment';
import { APP } from '../../src/testing/stack';
import { fakeWorkerActivities } from '../../src/testing/worker-activities';
import { workflowBundle } from '../../src/testing/workflow-bundle';
import type { PaymentData, PaymentInput, PaymentWorkflow, SpeiAccountInput } from '../../src/workflows';
import { order } from '../harness/orders';

/** Where a life is played: on either server. */
interface Stage {
  client: Client;
  taskQueue: string;
  gateway: FakeGateway;
  /** Lets time pass, in ms. */
  pass(ms: number): Promise<void>;
}

type Account = (input: SpeiAccountInput) => Promise<void>;

const start = ({ client, taskQueue }: Stage, input: PaymentInput) =>
  client.workflow.start<PaymentWorkflow>('payment', {
    workflowId: paymentWorkflowId(APP.app_id, input.kind === 'adopt' ? '' : input.request.out_trade_no),
    taskQueue,
    args: [input],
  });

function follow({ client, taskQueue, gateway }: Stage, account_id: string) {
  gateway.accounts.statuses.set(account_id, 'ACTIVE');
  const workflowId = `spei-account:${APP.app_id}:${account_id}`;
  return client.workflow.start<Account>('speiAccount', {
    workflowId,
    taskQueue,
    args: [{ app_id: APP.app_id, account_id }],
  });
}

describe('on the simulated Temporal', () => {
  let env: SimulatedEnvironment;
  let stage: Stage;
  beforeEach(async () => {
    env = await SimulatedEnvironment.create();
    const gateway = new FakeGateway(() => env.currentTimeMs());
    env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway }));
    stage = { client: env.client, taskQueue: 'simulated', gateway, pass: (ms) => env.sleep(ms) };
  });
  afterEach(() => env?.teardown());

  /** The events of a payment that ends as a SUCCESS. */
  async function eventsOfLife(input: PaymentInput): Promise<number> {
    const handle = await start(stage, input);
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS' });
    return env.historyLength(handle.workflowId);
  }

  it('200 polls with an unchanged answer add no more events than two', async () => {
    const after = (polls: number) => {
      stage.gateway.queries = 0;
      stage.gateway.statusAt = () => (stage.gateway.queries < polls ? 'PROCESSING' : 'SUCCESS');
      return eventsOfLife(order({ timeout_express: '30d' }));
    };
    const few = await after(2);
    expect(await after(200)).toBe(few);
    expect(stage.gateway.queries).toBe(200);
  });

  it('40 tries to create an order at an unreachable gateway add no more events than 20', async () => {
    const after = (failures: number) => {
      stage.gateway.mishaps = Array.from({ length: failures }, () => 'unreachable');
      stage.gateway.statusAt = (elapsed) => (elapsed < MINUTE ? 'PROCESSING' : 'SUCCESS');
      return eventsOfLife(order());
    };
    const some = await after(20);
    expect(await after(40)).toBe(some);
    expect(stage.gateway.created).toBe(2);
  });

  it('a gateway that is down for the whole time of an order’s creation, while a caller waits, adds few events', async () => {
    const { gateway } = stage;
    gateway.isDown = true;
    const payment = order({ timeout_express: '1d' });
    const handle = await start(stage, payment);
    await handle.startUpdate<PaymentData, [PaymentInput]>('created', { args: [payment], waitForStage: 'ACCEPTED' });
    await env.sleep(2 * HOUR);
    expect(gateway.refused).toBeGreaterThan(20);
    expect(gateway.created).toBe(0);
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'NotCreated' } });
    expect(await env.historyLength(handle.workflowId)).toBeLessThan(30);
  });

  it('ninety days of an account’s checks add no events', async () => {
    const { accounts } = stage.gateway;
    const { workflowId } = await follow(stage, 'A1');
    await env.sleep(DAY / 2);
    const [events, queries] = [await env.historyLength(workflowId), accounts.queries];
    await env.sleep(90 * DAY);
    expect(accounts.queries - queries).toBeGreaterThanOrEqual(89);
    expect(accounts.queries - queries).toBeLessThanOrEqual(91);
    expect(await env.historyLength(workflowId)).toBe(events);
  });
});

describe('the simulated Temporal has as many events as a real server for', () => {
  const FAST = { PAYMENTS_POLL_SCHEDULE: '200ms', PAYMENTS_POLL_EVERY: '200ms', PAYMENTS_ACCOUNT_CHECK_EVERY: '200ms' };

  let server: TestWorkflowEnvironment;
  beforeAll(async () => {
    server = await devServer();
  });
  afterAll(() => server?.teardown());

  /** Plays a life on the real server, and counts the events of the workflow that it names: those of workflow tasks apart. */
  async function onRealServer(live: (stage: Stage) => Promise<WorkflowHandle>): Promise<number> {
    const { client, nativeConnection: connection } = server;
    const gateway = new FakeGateway(async () => Date.now());
    const activities = fakeWorkerActivities({ app_id: APP.app_id, gateway, env: FAST });
    const taskQueue = randomUUID();
    const worker = await Worker.create({ connection, taskQueue, workflowBundle: await workflowBundle(), activities });
    const handle = await worker.runUntil(live({ client, taskQueue, gateway, pass: (ms) => delay(ms) }));
    const { events } = await handle.fetchHistory();
    return (events ?? []).filter((event) => !isOfWorkflowTask(event)).length;
  }

  async function onSimulated(live: (stage: Stage) => Promise<WorkflowHandle>): Promise<number> {
    const env = await SimulatedEnvironment.create();
    try {
      const gateway = new FakeGateway(() => env.currentTimeMs());
      env.work(fakeWorkerActivities({ app_id: APP.app_id, gateway, env: FAST }));
      const { workflowId } = await live({
        client: env.client,
        taskQueue: 'simulated',
        gateway,
        pass: (ms) => env.sleep(ms),
      });
      return await env.historyLength(workflowId);
    } finally {
      await env.teardown();
    }
  }

  const LIVES: Record<string, (stage: Stage) => Promise<WorkflowHandle>> = {
    async 'a payment that is asked for, created at the third try, polled and paid'(stage) {
      stage.gateway.mishaps = ['unreachable', 'unreachable'];
      stage.gateway.statusAt = () => (stage.gateway.queries < 10 ? 'PROCESSING' : 'SUCCESS');
      const payment = order();
      const handle = await start(stage, payment);
      await handle.executeUpdate('created', { args: [payment] });
      await handle.result();
      return handle;
    },
    async 'an account that is checked ten times'(stage) {
      const handle = await follow(stage, 'A1');
      while (stage.gateway.accounts.queries < 10) await stage.pass(100);
      return handle;
    },
  };

  const isOfWorkflowTask = (event: object) =>
    Object.entries(event).some(([field, value]) => field.startsWith('workflowTask') && value);

  it.each(Object.entries(LIVES))('%s', async (_name, live) => {
    expect(await onSimulated(live)).toBe(await onRealServer(live));
  });
});
