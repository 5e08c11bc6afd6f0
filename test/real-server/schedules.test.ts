/**
 * What Temporal starts by itself after `payment-gateway setup`, with keys: whom it tells what is stuck, and what the
 * worker's metrics then say.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '@temporalio/worker';
import Long from 'long';
import pino from 'pino';
import { z } from 'zod';
import refund from '../../examples/refunds/pix.json';
import { freePort } from '../../src/cli/dev/temporal';
import {
  ATTENTION_WORDS,
  METRIC,
  paymentWorkflowId,
  type ReconciliationState,
  type StuckSweepState,
  WORKFLOW,
} from '../../src/contract';
import { installRuntime } from '../../src/temporal/runtime';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { eventually } from '../harness/eventually';
import { type FlakyReceiver, flakyReceiver } from '../harness/flaky-receiver';
import { order, publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';
import { Terminal } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
const KEYS = setting(key('k1'));

let stack: Stack;
let receiver: FlakyReceiver;
let runtime: Runtime;
let metricsUrl: string;
beforeAll(async () => {
  await built();
  const METRICS_ADDRESS = `127.0.0.1:${(await freePort(0)).port}`;
  runtime = installRuntime({ METRICS_ADDRESS, log: pino({ level: 'silent' }), shutdownSignals: [] });
  metricsUrl = `http://${METRICS_ADDRESS}/metrics`;
  receiver = await flakyReceiver();
  const events = { PAYMENTS_EVENTS_URL: receiver.url, PAYMENTS_EVENTS_SECRETS: receiver.secret };
  stack = await startStack({
    env: { PAYMENTS_ENCRYPTION_KEYS: KEYS, PAYMENTS_OVERDUE: '1ms', ...events },
    // Each task replays all that was before: what is counted twice is seen.
    worker: { maxCachedWorkflows: 0 },
  });
});
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
  await runtime?.shutdown();
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

test('setup makes a sweep and a reconciliation, and may be repeated', async () => {
  const made = 'Schedule payments-stuck-sweep: ready.\nSchedule payments-reconciliation:test-app: ready.\n';
  expect(await run('setup')).toContain(made);
  expect(await run('setup')).toContain(made);
});

/** How `check` ends on this stack with these keys, and the points that are not ok. */
async function checked(keys: string) {
  const { config, temporal, webhookUrl, taskQueue } = stack;
  const env = {
    TEMPORAL_ADDRESS: temporal.address,
    GATEWAY_BASE_URL: config.GATEWAY_BASE_URL ?? '',
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PUBLIC_URL: webhookUrl,
    PAYMENTS_TASK_QUEUE: taskQueue,
    PAYMENTS_ENCRYPTION_KEYS: keys,
    PAYMENTS_SEALING_JWKS: JSON.stringify(config.PAYMENTS_SEALING_JWKS),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(config.PAYMENTS_SEALING_PUBLIC_JWK),
  };
  const command = new Terminal({ cwd: folder, env }, 'check', '--json');
  const code = await command.ended;
  const lines = command.output.trim().split('\n');
  const findings = z.array(z.object({ point: z.string(), result: z.string(), text: z.string() }));
  return { code, wrong: findings.parse(lines.map((line) => JSON.parse(line))).filter(({ result }) => result !== 'ok') };
}

test('check finds nothing wrong once an order was paid and notified, and a key that the worker lacks by asking it', async () => {
  const { client, payments, simulator, temporal } = stack;
  const config = { workflowExecutionRetentionTtl: { seconds: Long.fromNumber(30 * 86_400) } };
  await temporal.connection.workflowService.updateNamespace({ namespace: client.options.namespace, config });
  const sold = publishedOrder('pix');
  await payments.pay(sold);
  await simulator.pay(sold.out_trade_no);
  expect(await payments.outcome(sold.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  // Lists may be a moment behind.
  await until(
    () => client.workflow.count("PaymentOutcome = 'SUCCESS'"),
    ({ count }) => count > 0,
  );
  const events = {
    point: 'events',
    result: 'not checked',
    text: expect.stringContaining('PAYMENTS_EVENTS_URL is not set'),
  };
  expect(await checked(KEYS)).toEqual({ code: 0, wrong: [events] });
  expect(await checked(`${setting(key('k2'))},${KEYS}`)).toEqual({
    code: 1,
    wrong: [
      events,
      {
        point: 'encryption keys',
        result: 'failed',
        text: expect.stringMatching(/cannot read what is encrypted with the key k2.*PAYMENTS_ENCRYPTION_KEYS/),
      },
    ],
  });
});

test('a payment is counted once, though each task replays it and its creation is not answered; each call of the gateway is one', async () => {
  const { payments, simulator } = stack;
  const before = await metrics();
  const sold = publishedOrder('pix');
  const { out_trade_no } = sold;
  simulator.addFault({ on: 'pay', fault: '5xx-after', out_trade_no, times: 1 });
  await payments.pay(sold);
  await simulator.pay(out_trade_no);
  await payments.outcome(out_trade_no);
  await payments.refund(out_trade_no, { ...refund, out_request_no: 'refund-counted' });
  const ended = 'payments_ended_total{app_id="test-app",method="PIX",outcome="SUCCESS"}';
  await eventually('its end is told', async () => (await metrics())[ended] !== before[ended]);
  const after = await metrics();
  const more = (names: RegExp) =>
    Object.fromEntries(
      Object.entries(after).flatMap(([name, value]) => {
        const added = value - (before[name] ?? 0);
        return names.test(name) && added !== 0 ? [[name, added]] : [];
      }),
    );
  expect(more(/^payments_(started|ended|refunds_requested)_total|^payments_(data|outcome)_seconds_count/)).toEqual({
    'payments_started_total{app_id="test-app",method="PIX"}': 1,
    'payments_data_seconds_count{app_id="test-app",method="PIX"}': 1,
    [ended]: 1,
    'payments_outcome_seconds_count{app_id="test-app",outcome="SUCCESS"}': 1,
    'payments_refunds_requested_total{app_id="test-app"}': 1,
  });
  const called = (operation: string) => simulator.requests({ path: `/trade/${operation}`, out_trade_no }).length;
  expect(more(/^payments_gateway_call_seconds_count.*operation="\/trade\/(pay|refund)"/)).toEqual({
    'payments_gateway_call_seconds_count{app_id="test-app",operation="/trade/pay",result="unanswered"}': called('pay'),
    'payments_gateway_call_seconds_count{app_id="test-app",operation="/trade/refund",result="done"}': called('refund'),
  });
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
  await eventually('the sweep is listed', () => isListed(`PaymentAttention = 'stuck-payments'`));
  expect(await sweep.query<StuckSweepState>('state')).toMatchObject({
    stuck: 1,
    some: [{ workflow_id: workflowId, status: null }],
  });
  expect(await metrics()).toMatchObject({ payments_stuck: 1 });
  await eventually('the merchant hears of it', async () => receiver.types.includes('stuck-payments'));
  expect(await run('list', '--attention')).toMatch(/^stuck-sweep-now .*stuck-payments/m);
  await run('resolve', sweep.workflowId, '--by', 'ana', '--reason', 'the worker is started');
  expect(await sweep.result()).toMatchObject({ stuck: 1, attention: null });
  expect(receiver.types.filter((type) => type === 'stuck-payments')).toHaveLength(1);
  await client.workflow.getHandle(workflowId).terminate();
});

test('the worker’s endpoint serves the metrics of jobs with their labels, and with the right values', async () => {
  const { client, taskQueue, payments } = stack;
  const rows = ['lost-1', 'lost-2'].map((out_trade_no) => ({ out_trade_no, order_amount: '150.00', status: 'paid' }));
  const period = { since: '2026-03-01T00:00:00.000Z', until: '2026-03-02T00:00:00.000Z' };
  const workflowId = `reconciliation:${APP.app_id}:metrics`;
  const args = [{ app_id: APP.app_id, ...period, rows }];
  const books = await client.workflow.start(WORKFLOW.reconciliation, { workflowId, taskQueue, args });
  const isDone = async () => (await books.query<ReconciliationState>('state')).finished;
  await eventually('the books are compared', isDone);
  const isListed = async () => (await client.workflow.count(`PaymentAttention = 'books-differ'`)).count === 1;
  await eventually('the books are listed', isListed);
  const sweep = { workflowId: 'stuck-sweep-metrics', taskQueue, args: [{ stuck_ms: 3_600_000 }] };
  expect(await client.workflow.execute(WORKFLOW.stuckSweep, sweep)).toMatchObject({ under_attention: 1 });
  const { available_quantity: available } = await payments.accounts.quantity();
  const found = await metrics();
  expect(found).toMatchObject({
    payments_stuck: 0,
    payments_attention_overdue: 1,
    'payments_reconciliation_differences_total{app_id="test-app",kind="missing-there"}': 2,
    'payments_spei_accounts_available{app_id="test-app"}': available,
    'payments_reconciled_timestamp_seconds{app_id="test-app"}': Date.parse(period.until) / 1_000,
  });
  const reasons = Object.entries(found).filter(([name]) => name.startsWith('payments_under_attention'));
  const waiting = ATTENTION_WORDS.map((reason) => [reason, reason === 'books-differ' ? 1 : 0]);
  expect(new Map(reasons)).toEqual(
    new Map(waiting.map(([reason, many]) => [`payments_under_attention{reason="${reason}"}`, many])),
  );
  const age_s = Date.now() / 1_000 - (found.payments_swept_timestamp_seconds ?? 0);
  expect(age_s).toBeGreaterThanOrEqual(0);
  expect(age_s).toBeLessThan(600);
  const { stuck, underAttention, overdue, sweptAt, reconciledAt, differences, accountsAvailable } = METRIC;
  const ofJobs = [stuck, underAttention, overdue, sweptAt, reconciledAt, differences, accountsAvailable];
  for (const { name, labels } of ofJobs) {
    const served = Object.keys(found).find((one) => one.split('{')[0] === name) ?? '';
    expect([name, [...served.matchAll(/(\w+)="/g)].map(([, label]) => label)]).toEqual([name, labels]);
  }
  await run('resolve', workflowId, '--by', 'ana', '--reason', 'tested');
});

/** Our metrics as the endpoint serves them now, without the labels that Temporal adds to each. */
async function metrics(): Promise<Record<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = [...text.matchAll(/^(payments_\w+?)(?:\{(.*)\})? (\S+)$/gm)];
  return Object.fromEntries(
    lines.map(([, name, labels = '', value]) => {
      const own = labels
        .split(',')
        .filter((label) => /^(app_id|kind|reason|method|outcome|operation|result)=/.test(label));
      return [own.length > 0 ? `${name}{${own.sort().join(',')}}` : name, Number(value)];
    }),
  );
}
