/** Reads the runs of a payment, also where Temporal has deleted some of them. */
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { originalRun, readStart } from '../../src/temporal/workflow-history';
import { devServer } from '../../src/testing/dev-server';
import type { PaymentInput } from '../../src/workflows';

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await devServer();
});
afterAll(() => temporal?.teardown());

const request = { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL' };

/** Starts a run that no worker takes, and terminates it, so that the next run of this id can start. */
async function ended(workflowId: string, input: PaymentInput): Promise<string> {
  const handle = await temporal.client.workflow.start('payment', { workflowId, taskQueue: 'nobody', args: [input] });
  await handle.terminate();
  return handle.firstExecutionRunId;
}

test('the original run is the one that made the order, not a later run that adopted it', async () => {
  const workflowId = `payment:${randomUUID()}`;
  const first = await ended(workflowId, { kind: 'direct', app_id: 'app', request });
  const previous = { run_id: first, outcome: 'EXPIRED' } as const;
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', previous });
  expect(await originalRun(temporal.client, workflowId)).toMatchObject({ runId: first, input: { kind: 'direct' } });
});

test('the earliest run that Temporal still has gives the order when the original run is deleted', async () => {
  const workflowId = `payment:${randomUUID()}`;
  const previous = { run_id: randomUUID(), outcome: 'EXPIRED', order: { kind: 'direct', request } } as const;
  const runId = await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', previous });
  expect(await originalRun(temporal.client, workflowId)).toMatchObject({ runId, input: { previous: { order: {} } } });
});

test('a payment that Temporal does not have is refused with WorkflowNotFoundError', async () => {
  await expect(readStart(temporal.client, `payment:${randomUUID()}`)).rejects.toThrow(WorkflowNotFoundError);
});
