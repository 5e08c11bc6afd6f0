/** What this process cannot read of an earlier run is not nothing: other keys, another codec or a later attempt may read it (promises 1 and 3). */
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { temporal as proto } from '@temporalio/proto';
import { MockActivityEnvironment, type TestWorkflowEnvironment } from '@temporalio/testing';
import { loadEarlierPayments } from '../../src/activities/earlier-payments';
import { dataConverter } from '../../src/codec';
import { type EarlierPayment, paymentWorkflowId } from '../../src/contract';
import { loadConfig } from '../../src/process/settings';
import { failureOf, isOfOrder } from '../../src/temporal/workflow-history';
import { devServer } from '../../src/testing/dev-server';
import { key, setting } from '../codec/support';

const { CommandType } = proto.api.enums.v1;

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await devServer();
});
afterAll(() => temporal?.teardown());

const request = { out_trade_no: 'order-1', order_amount: '150.00', order_currency: 'BRL' };
const args = [{ kind: 'direct', app_id: 'app', request }];
const KEYED = loadConfig({ PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) });

/** A codec of the merchant's own, such as one that compresses. */
class Zip implements PayloadCodec {
  async encode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map((payload) => ({
      metadata: { encoding: Buffer.from('binary/zip') },
      data: proto.api.common.v1.Payload.encode(payload).finish(),
    }));
  }

  async decode(payloads: Payload[]): Promise<Payload[]> {
    return payloads.map(({ data }) => proto.api.common.v1.Payload.decode(data ?? Buffer.of()));
  }
}

/** Its key service answers with a proxy's page for a moment. */
class ZipInAnOutage extends Zip {
  override async decode(): Promise<Payload[]> {
    return JSON.parse('<html>502</html>');
  }
}

/** A client that no worker answers, so that histories are read. */
function clientWith(converter: ReturnType<typeof dataConverter> | undefined): Client {
  const { connection, namespace = 'default' } = temporal;
  const query = async (): Promise<never> => {
    throw new Error('no worker answers for the run');
  };
  return new Client({
    ...{ connection, namespace, interceptors: { workflow: [{ query }] } },
    ...(converter ? { dataConverter: converter } : {}),
  });
}

/** What the next run under the id reads of a run that had begun to send its order, and was terminated. */
async function readAfter(workflowId: string, before: Client) {
  const taskQueue = randomUUID();
  const first = await before.workflow.start('payment', { workflowId, taskQueue, args });
  const creation = {
    ...{ activityId: '1', activityType: { name: 'gateway.create' }, taskQueue: { name: 'nobody' } },
    ...{ scheduleToCloseTimeout: { seconds: 60 }, startToCloseTimeout: { seconds: 30 } },
  };
  await answerTask(taskQueue, {
    commandType: CommandType.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
    scheduleActivityTaskCommandAttributes: creation,
  });
  await first.terminate();
  const next = await before.workflow.start('payment', { workflowId, taskQueue: 'nobody', args });
  await until(async () => (await before.workflow.count(`WorkflowId = '${workflowId}'`)).count === 2);
  const environment = (client: Client) =>
    new MockActivityEnvironment(
      { scheduledTimestampMs: 1, currentAttemptScheduledTimestampMs: 11 * 60_000 },
      { client },
    );
  return async (reader: Client) => {
    const read = async () => (await loadEarlierPayments(reader, workflowId, next.firstExecutionRunId)).runs;
    return (await environment(reader).run<[], readonly EarlierPayment[], typeof read>(read)).map(({ made }) => made);
  };
}

/** Answers the first workflow task of a queue with one command. */
async function answerTask(name: string, command: object): Promise<void> {
  const { connection, namespace = 'default' } = temporal;
  const { workflowService } = connection;
  const { taskToken } = await connection.withDeadline(Date.now() + 20_000, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name }, identity: 'test' }),
  );
  await workflowService.respondWorkflowTaskCompleted(
    proto.api.workflowservice.v1.RespondWorkflowTaskCompletedRequest.fromObject({
      ...{ taskToken: Buffer.from(taskToken).toString('base64'), namespace, identity: 'test', commands: [command] },
    }),
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['keys', KEYED],
  ['no keys', loadConfig({ PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' })],
])(
  'an order that may have been sent is not "nothing" where the merchant’s codec is missing or throws; with %s',
  async (_, config) => {
    const withZip = clientWith(dataConverter(config, { payloadCodecs: [new Zip()] }));
    const read = await readAfter(paymentWorkflowId('app', randomUUID()), withZip);
    expect(await read(withZip)).toEqual(['order']);
    await expect(read(clientWith(dataConverter(config)))).rejects.toThrow();
    await expect(read(clientWith(dataConverter(config, { payloadCodecs: [new ZipInAnOutage()] })))).rejects.toThrow();
  },
);

test('an order that was sent in clear text, before there were keys, is not "nothing" for who has keys', async () => {
  const workflowId = paymentWorkflowId('app', randomUUID());
  const read = await readAfter(workflowId, clientWith(undefined));
  const worker = clientWith(dataConverter(KEYED, {}, 'worker'));
  await expect(read(worker)).rejects.toThrow('has sent an order that cannot be read');
  expect(await isOfOrder(worker, workflowId)).toBe(true);
});

test.each([['worker'], [undefined]] as const)(
  'an end of before there were keys is an end, for a client of a %s',
  async (of) => {
    const reader = clientWith(dataConverter(KEYED, {}, of));
    const workflowId = `create-spei-account:app:${randomUUID()}`;
    const taskQueue = randomUUID();
    await temporal.client.workflow.start('createSpeiAccount', { workflowId, taskQueue, args: [{ app_id: 'app' }] });
    const data = Buffer.from(JSON.stringify({ outcome: 'not-created' })).toString('base64');
    const details = { payloads: [{ metadata: { encoding: Buffer.from('json/plain').toString('base64') }, data }] };
    await answerTask(taskQueue, {
      commandType: CommandType.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION,
      failWorkflowExecutionCommandAttributes: {
        failure: { message: 'refused', applicationFailureInfo: { type: 'NotCreated', nonRetryable: true, details } },
      },
    });
    await expect(failureOf(reader.workflow.getHandle(workflowId))).resolves.toBeUndefined();
  },
);
