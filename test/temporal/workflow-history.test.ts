/** Reads the runs of a payment, also where Temporal has deleted some of them. */
import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { orderUnder, readStart } from '../../src/temporal/workflow-history';
import { devServer } from '../../src/testing/dev-server';
import type { PaymentInput } from '../../src/workflows';

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await devServer();
});
afterAll(() => temporal?.teardown());

const request = { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL' };

/** Starts a run that no worker takes, and terminates it, so that the next run of this id can start. */
async function ended(workflowId: string, input: PaymentInput): Promise<void> {
  const handle = await temporal.client.workflow.start('payment', { workflowId, taskQueue: 'nobody', args: [input] });
  await handle.terminate();
}

test('the order of a payment is that of the run which made it, not of a later run that adopted it', async () => {
  const workflowId = `payment:${randomUUID()}`;
  await ended(workflowId, { kind: 'direct', app_id: 'app', request });
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
  expect(await orderUnder(temporal.client, workflowId)).toEqual({ kind: 'direct', request });
});

test('a payment of a trade that nobody here has ordered has no order', async () => {
  const workflowId = `payment:${randomUUID()}`;
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
  expect(await orderUnder(temporal.client, workflowId)).toBeUndefined();
});

test('a payment that Temporal does not have is refused with WorkflowNotFoundError', async () => {
  await expect(readStart(temporal.client, `payment:${randomUUID()}`)).rejects.toThrow(WorkflowNotFoundError);
});
