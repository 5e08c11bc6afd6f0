/** What is read of the runs of a payment, also where Temporal has forgotten some of them. */
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { originalRun, startOf } from '../src/runs';
import type { PaymentInput } from '../src/workflows';
import { devServer } from './harness/temporal';

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await devServer();
});
afterAll(() => temporal?.teardown());

const request = { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL' };

/** A run that nobody works on, ended; the next one of the same id follows it. */
async function ended(workflowId: string, input: PaymentInput): Promise<string> {
  const handle = await temporal.client.workflow.start('payment', { workflowId, taskQueue: 'nobody', args: [input] });
  await handle.terminate();
  return handle.firstExecutionRunId;
}

test('the run that made the order is found behind those that took on news of it', async () => {
  const workflowId = `payment:${randomUUID()}`;
  const first = await ended(workflowId, { kind: 'direct', app_id: 'app', request });
  const previous = { run_id: first, outcome: 'EXPIRED' } as const;
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', previous });
  expect(await originalRun(temporal.client, workflowId)).toMatchObject({ runId: first, input: { kind: 'direct' } });
});

test('where that one is forgotten, the earliest that is known tells the order', async () => {
  const workflowId = `payment:${randomUUID()}`;
  const previous = { run_id: randomUUID(), outcome: 'EXPIRED', order: { kind: 'direct', request } } as const;
  const runId = await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1', previous });
  expect(await originalRun(temporal.client, workflowId)).toMatchObject({ runId, input: { previous: { order: {} } } });
});

test('a payment that Temporal does not have is told apart from every other trouble', async () => {
  await expect(startOf(temporal.client, `payment:${randomUUID()}`)).rejects.toThrow(WorkflowNotFoundError);
});
