/** What Temporal starts by itself after `payment-gateway setup --schedules`, with keys. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentWorkflowId, type StuckSweepState, WORKFLOW } from '../../src/contract';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { eventually } from '../cli/dev/processes';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { order } from '../harness/orders';
import { Terminal } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
const KEYS = setting(key('k1'));

let stack: Stack;
beforeAll(async () => {
  await built();
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: KEYS } });
});
afterAll(async () => {
  await stack?.close();
  rmSync(folder, { recursive: true });
});

async function run(...args: string[]): Promise<string> {
  const env = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_ENCRYPTION_KEYS: KEYS,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
  };
  const command = new Terminal({ cwd: folder, env }, ...args);
  expect({ code: await command.ended, printed: command.printed }).toMatchObject({ code: 0 });
  return command.output;
}

/** The workflow that a Schedule has started, once there is one. */
async function startedBy(scheduleId: string) {
  const schedule = stack.client.schedule.getHandle(scheduleId);
  await schedule.trigger();
  const started = async () => (await schedule.describe()).info.recentActions[0]?.action;
  await eventually(`${scheduleId} has started a workflow`, async () => (await started())?.type === 'startWorkflow');
  return stack.client.workflow.getHandle((await started())?.workflow.workflowId ?? '');
}

test('setup --schedules makes a sweep and a reconciliation, and may be repeated', async () => {
  const made = 'Schedule payments-stuck-sweep: ready.\nSchedule payments-reconciliation:test-app: ready.\n';
  expect(await run('setup', '--schedules')).toContain(made);
  expect(await run('setup', '--schedules')).toContain(made);
});

test('the Schedule’s reconciliation compares the day before, and ends where nothing differs', async () => {
  const handle = await startedBy(`payments-reconciliation:${APP.app_id}`);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  expect(await handle.result()).toMatchObject({ since: `${yesterday}T00:00:00.000Z`, differences: [], finished: true });
});

test('the Schedule’s sweep ends where nothing is stuck', async () => {
  const handle = await startedBy('payments-stuck-sweep');
  expect(await handle.result()).toMatchObject({ stuck: 0, attention: null });
});

test('a payment that no worker takes stands in the list of what needs a person, until a person says so', async () => {
  const { client } = stack;
  const unheard = order();
  const workflowId = paymentWorkflowId(APP.app_id, unheard.request.out_trade_no);
  await client.workflow.start(WORKFLOW.payment, { workflowId, taskQueue: 'nobody', args: [unheard] });
  const isListed = async (query: string) => (await client.workflow.count(query)).count > 0;
  await eventually('the payment is listed', () => isListed(`WorkflowId = '${workflowId}'`));
  const sweep = await client.workflow.start(WORKFLOW.stuckSweep, {
    workflowId: 'stuck-sweep-now',
    taskQueue: stack.taskQueue,
    args: [{ stuck_ms: 1 }],
  });
  await eventually('the sweep is listed', () => isListed(`PaymentAttention = 'stuck-payments'`), 60_000);
  expect(await sweep.query<StuckSweepState>('state')).toMatchObject({
    stuck: 1,
    some: [{ workflow_id: workflowId, status: null }],
  });
  expect(await run('list', '--attention')).toContain('stuck-payments');
  await run('resolve', sweep.workflowId, '--by', 'ana', '--reason', 'the worker is started');
  expect(await sweep.result()).toMatchObject({ stuck: 1, attention: null });
  await client.workflow.getHandle(workflowId).terminate();
});
