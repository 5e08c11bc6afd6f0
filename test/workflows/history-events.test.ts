/**
 * What only a server knows: how long a history grows. On the server whose time is skipped, which also shows that a real one
 * plays the lives that are simulated elsewhere. A poll that is cancelled may stop that server's clock (see `letPass`), so
 * that nothing here cancels one.
 */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { DAY, HOUR, MINUTE } from '../../src/gateway/durations';
import type { PaymentData, PaymentInput, PaymentState, PaymentWorkflow, SpeiAccountInput } from '../../src/workflows';
import { accountWorkerActivities, FakeAccounts } from '../harness/fake-accounts';
import { FakeGateway } from '../harness/fake-gateway';
import { APP, order, paymentActivities } from '../harness/lives';
import { workflowBundle } from '../harness/stack';
import { timeSkippingServer } from '../harness/temporal';

beforeAll(async () => {
  await workflowBundle();
});

interface Stage {
  env: TestWorkflowEnvironment;
  taskQueue: string;
  gateway: FakeGateway;
}

/** Plays a life on a server of its own: what one leaves running would keep the clock of the next. */
async function onServer<T>(
  live: (stage: Stage) => Promise<T>,
  activities: (gateway: FakeGateway) => object = (gateway) => paymentActivities(gateway),
): Promise<T> {
  const env = await timeSkippingServer();
  try {
    const gateway = new FakeGateway(() => env.currentTimeMs());
    const taskQueue = `events-${randomUUID()}`;
    const worker = await Worker.create({
      connection: env.nativeConnection,
      taskQueue,
      workflowBundle: await workflowBundle(),
      activities: activities(gateway),
    });
    return await worker.runUntil(live({ env, taskQueue, gateway }));
  } finally {
    await env.teardown();
  }
}

const start = ({ env, taskQueue }: Stage, input: PaymentInput) =>
  env.client.workflow.start<PaymentWorkflow>('payment', {
    workflowId: `payment-${randomUUID()}`,
    taskQueue,
    args: [input],
  });

const eventsOf = async (handle: WorkflowHandle) => (await handle.fetchHistory()).events?.length;

/** The events of a payment that comes to SUCCESS. */
const eventsOfLife = (input: PaymentInput, prepare: (gateway: FakeGateway) => void) =>
  onServer(async (stage) => {
    const { gateway } = stage;
    prepare(gateway);
    const handle = await start(stage, input);
    expect(await handle.result()).toMatchObject({ outcome: 'SUCCESS' });
    return { events: await eventsOf(handle), gateway };
  });

it('a payment is created, polled and paid', async () => {
  await onServer(async (stage) => {
    const { gateway } = stage;
    gateway.statusAt = (elapsed) => (elapsed < 4 * MINUTE ? 'PROCESSING' : 'SUCCESS');
    const payment = order();
    const handle = await start(stage, payment);
    const data = await handle.executeUpdate<PaymentData, [PaymentInput]>('created', { args: [payment] });
    expect(data).toMatchObject({ trade_no: 'T1', trade_status: 'PROCESSING', qr_code: '000201' });
    const state: PaymentState = await handle.result();
    expect(state).toMatchObject({ outcome: 'SUCCESS', confirmed_by: 'query', attention: null });
    expect(state.history.map(({ to, source }) => `${to} by ${source}`)).toEqual([
      'PROCESSING by creation',
      'SUCCESS by query',
    ]);
    const created = gateway.trades.get(payment.request.out_trade_no)?.created_at ?? 0;
    const minutes = gateway.queriedAt.map((at) => Math.round((at - created) / 15_000) / 4);
    expect(minutes).toEqual([0.25, 0.5, 1, 2, 5]);
  });
});

it('200 polls without news add no events', async () => {
  const after = (polls: number) =>
    eventsOfLife(order({ timeout_express: '30d' }), (gateway) => {
      gateway.statusAt = () => (gateway.queries < polls ? 'PROCESSING' : 'SUCCESS');
    });
  const [few, many] = [await after(2), await after(200)];
  expect(many.gateway.queries).toBe(200);
  expect(many.events).toBe(few.events);
});

it('100 tries to create an order that reach nobody add no events', async () => {
  const after = (failures: number) =>
    eventsOfLife(order(), (gateway) => {
      gateway.mishaps = Array.from({ length: failures }, () => 'unreachable');
      gateway.statusAt = (elapsed) => (elapsed < MINUTE ? 'PROCESSING' : 'SUCCESS');
    });
  const [none, many] = [await after(0), await after(100)];
  expect(many.gateway.created).toBe(1);
  expect(many.events).toBe(none.events);
});

it('a gateway that is down for six hours while somebody waits adds few events', async () => {
  await onServer(async (stage) => {
    const { env, gateway } = stage;
    gateway.isDown = true;
    const payment = order({ timeout_express: '1d' });
    const handle = await start(stage, payment);
    await handle.startUpdate('created', { args: [payment], waitForStage: 'ACCEPTED' });
    await env.sleep(6 * HOUR);
    expect(gateway.refused).toBeGreaterThan(100);
    gateway.isDown = false;
    await env.sleep(3 * MINUTE);
    expect(gateway.created).toBe(1);
    expect(await eventsOf(handle)).toBeLessThan(30);
  });
});

it('ninety days of an account add no events', async () => {
  const accounts = new FakeAccounts();
  accounts.statuses.set('A1', 'ACTIVE');
  await onServer(
    async ({ env, taskQueue }) => {
      const handle = await env.client.workflow.start<(input: SpeiAccountInput) => Promise<void>>('speiAccount', {
        workflowId: `spei-account:${APP}:A1`,
        taskQueue,
        args: [{ app_id: APP, account_id: 'A1' }],
      });
      await env.sleep(DAY / 2);
      const [events, queries] = [await eventsOf(handle), accounts.queries];
      await env.sleep(90 * DAY);
      expect(accounts.queries - queries).toBeGreaterThanOrEqual(89);
      expect(accounts.queries - queries).toBeLessThanOrEqual(91);
      expect(await eventsOf(handle)).toBe(events);
    },
    (trades) => accountWorkerActivities(accounts, trades),
  );
});
