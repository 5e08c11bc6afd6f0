/** Temporal's own buttons, on a real server, with keys set: nothing is silent, and nobody is harmed. */
import { randomUUID } from 'node:crypto';
import { EncryptionCodec } from '../../src/codec';
import { dataConverter } from '../../src/codec/data-converter';
import { paymentWorkflowId, WORKFLOW } from '../../src/contract';
import { paymentQuery } from '../../src/temporal/payment-query';
import { listWorkflows } from '../../src/temporal/workflow-list';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, payload, setting } from '../codec/support';
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

/** Why `list --attention` has the order; undefined while it has it not. */
async function reasonListed(out_trade_no: string): Promise<string | undefined> {
  for await (const row of listWorkflows(stack.client, paymentQuery({ attention: true }, new Date())))
    if (row.out_trade_no === out_trade_no) return row.attention ?? undefined;
  return undefined;
}

/** As Temporal UI starts and signals: the codec server encrypts what a person typed for the whole namespace. */
async function typed(value: unknown) {
  const namespace = stack.client.options.namespace;
  return { payloads: await new EncryptionCodec([KEY]).encode([payload(value)], { type: 'workflow', namespace }) };
}

test('a paused poll is listed, and its payment goes on when it is unpaused', async () => {
  const out_trade_no = await waiting();
  const { workflowService, options } = stack.client;
  const of = { namespace: options.namespace, execution: { workflowId: idOf(out_trade_no) }, type: 'gateway.watch' };
  await workflowService.pauseActivity({ ...of, identity: 'ana', reason: 'looks stuck' });
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'paused-activity',
  );
  await workflowService.unpauseActivity(of);
  await stack.simulator.pay(out_trade_no);
  expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
});

test('a poll that a person has completed by hand, in clear text, is made again, and its payment goes on', async () => {
  const out_trade_no = await waiting();
  const { workflowService, options, workflow } = stack.client;
  const { namespace } = options;
  const workflowId = idOf(out_trade_no);
  const pending = async () => {
    const { raw } = await workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'gateway.watch')?.activityId;
  };
  const activityId = (await until(pending, (id) => typeof id === 'string')) ?? null;
  const result = { payloads: [payload({ trade_status: 'SUCCESS' })] };
  await workflowService.respondActivityTaskCompletedById({
    namespace,
    workflowId,
    activityId,
    identity: 'ana',
    result,
  });
  await until(pending, (id) => id !== activityId);
  expect(await stack.payments.state(out_trade_no)).toMatchObject({ outcome: null });
  await stack.simulator.pay(out_trade_no);
  expect(await stack.payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
});

test('an order that was terminated is taken on by the next sweep, needs a person, and money is found', async () => {
  const out_trade_no = await waiting();
  const { client, taskQueue, simulator, payments } = stack;
  await client.workflow.getHandle(idOf(out_trade_no)).terminate('batch clean-up');
  const listed = `WorkflowId = '${idOf(out_trade_no)}' AND ExecutionStatus = 'Terminated'`;
  await until(
    () => client.workflow.count(listed),
    ({ count }) => count === 1,
  );
  const sweep = { workflowId: `stuck-sweep-${randomUUID()}`, taskQueue, args: [{ stuck_ms: 3_600_000 }] };
  await client.workflow.start(WORKFLOW.stuckSweep, sweep);
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'terminated',
  );
  await simulator.pay(out_trade_no);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
});

test('a sold payment that is started like itself stays sold, for every reader', async () => {
  const out_trade_no = await waiting();
  const { client, taskQueue, simulator, payments } = stack;
  await simulator.pay(out_trade_no);
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  await client.workflowService.startWorkflowExecution({
    namespace: client.options.namespace,
    requestId: randomUUID(),
    workflowId: idOf(out_trade_no),
    workflowType: { name: 'payment' },
    taskQueue: { name: taskQueue },
    input: await typed({ kind: 'direct', app_id: APP.app_id, request: { out_trade_no, customer: '***' } }),
  });
  expect(await payments.outcome(out_trade_no)).toMatchObject({ outcome: 'SUCCESS', attention: null });
  expect(await payments.state(out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  expect(simulator.ledger({ out_trade_no })).toMatchObject([{ orders: 1 }]);
});

test('a signal that a person types asks for a person, and the payment goes on', async () => {
  const out_trade_no = await waiting();
  const { client, simulator, payments } = stack;
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId: idOf(out_trade_no) },
    signalName: 'notification',
    input: await typed({ trade_status: 'SUCCESS' }),
  });
  await until(
    () => reasonListed(out_trade_no),
    (reason) => reason === 'unexpected-signal',
  );
  await simulator.pay(out_trade_no);
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
});
