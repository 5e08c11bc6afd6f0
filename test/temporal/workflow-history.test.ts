/** Reads the runs of a payment, also where Temporal has deleted some of them. */
import { randomUUID } from 'node:crypto';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { dataConverter } from '../../src/codec';
import { loadConfig } from '../../src/process/settings';
import { failureOf, givenTo, isOfOrder, orderUnder, readStart, resultOfRun } from '../../src/temporal/workflow-history';
import { devServer } from '../../src/testing/dev-server';
import type { PaymentInput } from '../../src/workflows';
import { key, setting } from '../codec/support';

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

test('an order that no worker ever had was not made: a trade that was adopted under its number is another’s', async () => {
  const workflowId = `payment:${randomUUID()}`;
  await ended(workflowId, { kind: 'direct', app_id: 'app', request });
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
  expect(await orderUnder(temporal.client, workflowId)).toBeNull();
});

test('a payment of a trade that nobody here has ordered has no order', async () => {
  const workflowId = `payment:${randomUUID()}`;
  await ended(workflowId, { kind: 'adopt', app_id: 'app', out_trade_no: 'order-1' });
  expect(await orderUnder(temporal.client, workflowId)).toBeUndefined();
});

test('a payment that Temporal does not have is refused with WorkflowNotFoundError', async () => {
  await expect(readStart(temporal.client, `payment:${randomUUID()}`)).rejects.toThrow(WorkflowNotFoundError);
});

test('what a run has returned is not "nothing" where Temporal gives no answer: a sale could be hidden by it', async () => {
  const { client } = temporal;
  const workflowId = `payment:${randomUUID()}`;
  await ended(workflowId, { kind: 'direct', app_id: 'app', request });
  const handle = client.workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const described = {
    describe: async () => ({ ...(await handle.describe()), status: FAILED }),
    result: () => handle.result(),
  };
  const inNoTime = <T>(ask: () => Promise<T>) => client.withDeadline(Date.now() - 1, ask);
  await expect(inNoTime(() => resultOfRun(client, workflowId, runId))).rejects.toThrow();
  await expect(failureOf({ ...described, result: () => inNoTime(() => handle.result()) })).rejects.toThrow();
  expect([await resultOfRun(client, workflowId, runId), await failureOf(described)]).toEqual([
    undefined,
    expect.objectContaining({ name: 'TerminatedFailure' }),
  ]);
});

const FAILED = { code: 3, name: 'FAILED' } as const;

test('promise 3: what a process has no key for is not "nothing": it fails there, and another one reads it', async () => {
  const [k1, k2] = [key('k1'), key('k2')];
  const withKeys = (...keys: Parameters<typeof setting>[0][]) => {
    const config = loadConfig({ PAYMENTS_ENCRYPTION_KEYS: keys.map((one) => setting(one)).join(',') });
    const { connection, namespace = 'default' } = temporal;
    return new Client({ connection, namespace, dataConverter: dataConverter(config) });
  };
  const [both, old] = [withKeys(k2, k1), withKeys(k1)];
  const workflowId = 'payment:app:order-1';
  const handle = await both.workflow.start('payment', {
    ...{ workflowId, taskQueue: 'nobody' },
    args: [{ kind: 'direct', app_id: 'app', request }],
  });
  const notification = { trade_no: 'T2', trade_status: 'SUCCESS' };
  await handle.signal('notification', notification);
  const runId = handle.firstExecutionRunId;
  expect((await givenTo(both, workflowId, runId)).signals).toEqual([{ name: 'notification', argument: notification }]);
  await expect(givenTo(old, workflowId, runId)).rejects.toThrow('Add that key after the others');
  await expect(isOfOrder(old, workflowId)).rejects.toThrow('Add that key after the others');
  // In clear text, where keys are set, nobody will ever read it.
  await temporal.client.workflow.getHandle(workflowId).signal('notification', notification);
  const { signals } = await givenTo(both, workflowId, runId);
  expect(signals.map(({ argument }) => argument)).toEqual([notification, undefined]);
});
