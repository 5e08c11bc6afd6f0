/** Temporal's own buttons, on a real server, with keys set: nothing is silent, and nobody is harmed. */
import { randomUUID } from 'node:crypto';
import { withNotes } from '../../src/cli/operator/notes';
import { EncryptionCodec } from '../../src/codec';
import { dataConverter } from '../../src/codec/data-converter';
import {
  afterSaleWorkflowId,
  paymentWorkflowId,
  type StuckSweepState,
  speiAccountWorkflowId,
  strayNotificationWorkflowId,
  WORKFLOW,
} from '../../src/contract';
import { listFiltered } from '../../src/temporal/attention-list';
import { longestWaitFirst } from '../../src/temporal/order-list';
import { collect } from '../../src/temporal/workflow-list';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, payload, setting } from '../codec/support';
import { accountRequest } from '../harness/accounts';
import { publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';

const KEY = key('k1');
let stack: Stack;
beforeAll(async () => {
  const env = { PAYMENTS_ENCRYPTION_KEYS: setting(KEY), PAYMENTS_POLL_SCHEDULE: '1s,2s', PAYMENTS_POLL_EVERY: '2s' };
  stack = await startStack({ env });
});
afterAll(() => stack?.close());

const idOf = (out_trade_no: string) => paymentWorkflowId(APP.app_id, out_trade_no);

async function waiting(): Promise<string> {
  const order = publishedOrder('pix', { out_trade_no: `buttons-${randomUUID()}` });
  await stack.payments.pay(order);
  return order.out_trade_no;
}

/** Why `list --attention` has the order, or the workflow; undefined while it has it not. */
async function reasonListed(name: string): Promise<string | undefined> {
  for await (const row of listFiltered(stack.client, { attention: true }, new Date()))
    if (row.out_trade_no === name || row.workflow_id === name) return row.attention ?? undefined;
  return undefined;
}

/** A sweep to its end; what it found. */
async function swept(): Promise<StuckSweepState> {
  const sweep = { workflowId: `stuck-sweep-${randomUUID()}`, args: [{ stuck_ms: 3_600_000 }] };
  return stack.client.workflow.execute(WORKFLOW.stuckSweep, { ...sweep, taskQueue: stack.taskQueue });
}

/** The event to which a workflow is reset, to go on from where it was. */
async function lastTaskOf(workflowId: string) {
  const { events } = await stack.client.workflow.getHandle(workflowId).fetchHistory();
  return events?.findLast((event) => event.workflowTaskCompletedEventAttributes)?.eventId ?? null;
}

async function untilClosed(workflowId: string, run_id: string): Promise<void> {
  const listed = `WorkflowId = '${workflowId}' AND RunId = '${run_id}' AND ExecutionStatus = 'Terminated'`;
  await until(
    () => stack.client.workflow.count(listed),
    ({ count }) => count === 1,
  );
}

/** As Temporal UI starts and signals: the codec server encrypts what a person typed for the whole namespace. */
async function typed(value: unknown) {
  const namespace = stack.client.options.namespace;
  return { payloads: await new EncryptionCodec([KEY]).encode([payload(value)], { type: 'workflow', namespace }) };
}

test('an after-sale that was terminated while it waited for a person is listed until a later run goes on with it', async () => {
  const out_trade_no = await waiting();
  const { client, simulator, payments } = stack;
  await simulator.pay(out_trade_no);
  await payments.outcome(out_trade_no);
  await simulator.act(out_trade_no, 'chargeback');
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'chargeback',
  );
  const id = afterSaleWorkflowId(APP.app_id, out_trade_no);
  const { runId } = await client.workflow.getHandle(id).describe();
  await client.workflow.getHandle(id).terminate('batch clean-up');
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'ended-from-outside',
  );
  expect((await swept()).under_attention).toBeGreaterThan(0);
  const { workflowService, options } = client;
  await workflowService.resetWorkflowExecution({
    ...{ namespace: options.namespace, workflowExecution: { workflowId: id, runId }, requestId: randomUUID() },
    ...{ reason: 'it was still needed', workflowTaskFinishEventId: await lastTaskOf(id) },
  });
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'chargeback',
  );
});

test('a virtual account that was terminated is listed until its next deposit begins a run', async () => {
  const { client, simulator, payments } = stack;
  const { account_id } = await payments.accounts.create(accountRequest());
  const id = speiAccountWorkflowId(APP.app_id, account_id);
  await until(
    () => client.workflow.count(`WorkflowId = '${id}'`),
    ({ count }) => count > 0,
  );
  await client.workflow.getHandle(id).terminate('batch clean-up');
  await until(
    () => reasonListed(id),
    (reason) => reason === 'ended-from-outside',
  );
  await simulator.deposit(account_id, '10.00');
  await until(
    () => reasonListed(id),
    (reason) => reason === undefined,
  );
});

test('a stray notification goes on, and is listed, where somebody cancels its workflow', async () => {
  const { client, taskQueue } = stack;
  const workflowId = strayNotificationWorkflowId(APP.app_id, randomUUID());
  const start = { workflowId, taskQueue, args: [{ app_id: APP.app_id, body: 'e30=' }] };
  const handle = await client.workflow.start(WORKFLOW.strayNotification, start);
  await until(
    () => reasonListed(workflowId),
    (reason) => reason !== undefined,
  );
  await handle.cancel();
  await until(
    () => handle.fetchHistory(),
    ({ events = [] }) => {
      const cancelled = events?.findIndex((event) => event.workflowExecutionCancelRequestedEventAttributes) ?? -1;
      return cancelled >= 0 && !!events?.slice(cancelled).some((event) => event.workflowTaskCompletedEventAttributes);
    },
  );
  expect([(await handle.describe()).status.name, await reasonListed(workflowId)]).toEqual([
    'RUNNING',
    'unreadable-notification',
  ]);
});

test('an after-sale that waits for a person does so until the run time-out that somebody has given it, and does not fail', async () => {
  const out_trade_no = await waiting();
  const { client, simulator, payments, taskQueue } = stack;
  await simulator.pay(out_trade_no);
  await payments.outcome(out_trade_no);
  const workflowId = afterSaleWorkflowId(APP.app_id, out_trade_no);
  const handle = await client.workflow.signalWithStart(WORKFLOW.afterSale, {
    ...{ workflowId, taskQueue, args: [{ app_id: APP.app_id, out_trade_no }], workflowRunTimeout: '12 hours' },
    ...{ signal: 'odd', signalArgs: [] },
  });
  // Its next attempt would come after the run's end, so the server gives the activity up.
  const events = await until(
    async () => (await handle.fetchHistory()).events ?? [],
    (all) => all.some((event) => event.activityTaskFailedEventAttributes),
  );
  expect(events.some((event) => event.workflowExecutionFailedEventAttributes)).toBe(false);
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'unexpected-signal',
  );
});

test('a run of a sold payment that nobody took before it was terminated is in no list, and no sweep goes on with it', async () => {
  const out_trade_no = await waiting();
  const { client, simulator, payments } = stack;
  await simulator.pay(out_trade_no);
  await payments.outcome(out_trade_no);
  const { namespace } = client.options;
  const { runId } = await client.workflowService.startWorkflowExecution({
    ...{ namespace, requestId: randomUUID(), workflowId: idOf(out_trade_no), workflowType: { name: 'payment' } },
    ...{ taskQueue: { name: 'nobody' }, input: await typed({ kind: '***' }) },
  });
  await client.workflow.getHandle(idOf(out_trade_no)).terminate('started by mistake');
  await untilClosed(idOf(out_trade_no), runId ?? '');
  expect(await reasonListed(out_trade_no)).toBeUndefined();
  await swept();
  expect((await client.workflow.getHandle(idOf(out_trade_no)).describe()).runId).toBe(runId);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
});

test('a payment that its worker cannot read, for want of a key, is listed and does not end', async () => {
  const out_trade_no = `buttons-${randomUUID()}`;
  const { client, taskQueue } = stack;
  const theirs = dataConverter({
    PAYMENTS_ENCRYPTION_KEYS: [key('theirs')],
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: false,
    PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: false,
  });
  const [codec] = theirs.payloadCodecs ?? [];
  const input = { kind: 'adopt', app_id: APP.app_id, out_trade_no };
  const context = { type: 'workflow', namespace: client.options.namespace, workflowId: idOf(out_trade_no) } as const;
  await client.workflowService.startWorkflowExecution({
    namespace: client.options.namespace,
    requestId: randomUUID(),
    workflowId: idOf(out_trade_no),
    workflowType: { name: 'payment' },
    taskQueue: { name: taskQueue },
    input: { payloads: (await codec?.encode([payload(input)], context)) ?? [] },
  });
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'failing-tasks',
  );
  expect((await client.workflow.getHandle(idOf(out_trade_no)).describe()).status.name).toBe('RUNNING');
  const rows = longestWaitFirst(await collect(listFiltered(client, { attention: 'failing-tasks' }, new Date())));
  const [row] = await withNotes({ client }, rows);
  expect(row).toMatchObject({ out_trade_no, failure: expect.stringMatching(/^[^\n]*the key "theirs"[^\n]*$/) });
});
