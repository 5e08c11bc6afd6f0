/**
 * Traces of orders on a real server, with encrypted payloads: the merchant's backend and the webhook keep theirs in memory, workers push
 * theirs.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import pino from 'pino';
import { freePort } from '../../src/cli/dev/temporal';
import { makeKeys } from '../../src/cli/keys';
import { type ConnectedPayments, connectPayments, startTelemetry, type Telemetry } from '../../src/client';
import { paymentWorkflowId } from '../../src/contract';
import type { DirectPayment } from '../../src/gateway';
import { loadConfig } from '../../src/process/settings';
import { type Simulator, startSimulator } from '../../src/simulator';
import { devServer } from '../../src/testing/dev-server';
import { type RunningWebhook, startWebhook } from '../../src/webhook';
import { built } from '../harness/built';
import { type EventReceiver, eventReceiver } from '../harness/event-receiver';
import { eventually } from '../harness/eventually';
import { publishedOrder } from '../harness/orders';
import { Terminal } from '../harness/terminal';
import { type CollectedSpan, collected, type TraceCollector, traceCollector } from '../harness/trace-collector';

/** In every value that nobody may see, wherever it comes from. */
const MARK = 'zqxMarkedSecret';
const CPF = '71493180072';
const APP = { app_id: 'test-app', secret_key: `sk_${MARK}key` };
const EVENT_SECRET = `whsec_${Buffer.from(`${MARK}events${randomUUID()}`).toString('base64')}`;

const exporter = new InMemorySpanExporter();
const workers: Terminal[] = [];
let temporal: TestWorkflowEnvironment;
let simulator: Simulator;
let collector: TraceCollector;
let receiver: EventReceiver;
let isTaken = false;
let telemetry: Telemetry;
let webhook: RunningWebhook;
let shop: ConnectedPayments;
let env: Record<string, string>;
let folder: string;
let keys: Awaited<ReturnType<typeof makeKeys>>;

beforeAll(async () => {
  await built();
  folder = mkdtempSync(join(tmpdir(), 'traces-'));
  keys = await makeKeys();
  temporal = await devServer();
  simulator = await startSimulator({ apps: [APP] });
  collector = await traceCollector();
  receiver = await eventReceiver(EVENT_SECRET, () => (isTaken ? 200 : 500));
  telemetry = await startTelemetry({ spanProcessor: new SimpleSpanProcessor(exporter), service: 'shop' });
  const { port } = await freePort(0);
  env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    PAYMENTS_TASK_QUEUE: `traces-${randomUUID()}`,
    GATEWAY_BASE_URL: simulator.url,
    GATEWAY_APP_ID: APP.app_id,
    GATEWAY_SECRET_KEY: APP.secret_key,
    WEBHOOK_PORT: `${port}`,
    WEBHOOK_PUBLIC_URL: `http://127.0.0.1:${port}`,
    PAYMENTS_POLL_SCHEDULE: '300ms',
    PAYMENTS_POLL_EVERY: '300ms',
    PAYMENTS_SETTLING: '1s',
    PAYMENTS_EVENTS_URL: `${receiver.url}/${MARK}path?token=${MARK}`,
    PAYMENTS_EVENTS_SECRETS: EVENT_SECRET,
    PAYMENTS_ENCRYPTION_KEYS: keys.encryption_key,
    PAYMENTS_SEALING_JWKS: JSON.stringify(keys.sealing_private_jwks),
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(keys.sealing_public_jwk),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${MARK}collector`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  webhook = await startWebhook(loadConfig(env), env, pino({ level: 'silent' }), { telemetry });
  shop = await connectPayments(env, undefined, { telemetry });
});

afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await shop?.close();
  await webhook?.close();
  await telemetry?.close();
  await receiver?.close();
  await collector?.close();
  await simulator?.close();
  await temporal?.teardown();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function startWorker(): Promise<Terminal> {
  const worker = new Terminal({ cwd: folder, env }, 'worker');
  workers.push(worker);
  await worker.sees(/worker started/);
  return worker;
}

/** What all processes have told so far, the earliest first. */
const spans = () =>
  [...exporter.getFinishedSpans().map(collected), ...collector.spans].sort((one, other) => one.start - other.start);

const named = (name: string, of: CollectedSpan[] = spans()) => of.filter((span) => span.name === name);

/** The names of what a span is within, up to the one that begins its trace. */
function above(span: CollectedSpan): string[] {
  const parent = spans().find((one) => one.span === span.parent);
  return parent ? [parent.name, ...above(parent)] : span.parent === '' ? [] : ['?'];
}

/** Of the order alone, in whichever trace. */
const ofOrder = (number: string) => {
  const id = paymentWorkflowId(APP.app_id, number);
  return spans().filter((span) => span.attributes['payment.workflow_id'] === id);
};

test('a payment is one trace from the call to the signed event, over two deaths of its worker, and its notification is linked to it', async () => {
  const order = publishedOrder('pix', planted());
  const number = order.out_trade_no;
  const first = await startWorker();
  await shop.payments.pay(order);
  await eventually('the creation is told', () => named('POST /trade/pay').length > 0);
  // Some looks that find nothing new.
  await eventually('it was looked at', () => queries(number) >= 3);
  await first.kill();

  await simulator.pay(number);
  await eventually('the notification was taken', () => named('POST /ipn/{app_id}').length > 0);
  const tried = named('POST event').length;
  const second = await startWorker();
  // The receiver is down: the worker dies while its event waits.
  await eventually('the event was tried', () => named('POST event').length > tried);
  await second.kill();
  isTaken = true;
  await startWorker();
  expect((await shop.payments.outcome(number)).outcome).toBe('SUCCESS');
  await receiver.until(() => receiver.received.length > 0);
  await eventually('the payment has ended', () => named('RunWorkflow:payment').length > 0);
  await eventually('the event is told', () => named('POST event').some(({ failed }) => !failed));

  const [call] = named('UpdateWithStartWorkflow:created');
  const inTrace = spans().filter(({ trace }) => trace === call?.trace);
  const services = new Set(inTrace.map(({ service }) => service));
  expect([...services].sort()).toEqual(['payments-worker', 'shop']);
  const [creation] = named('POST /trade/pay', inTrace);
  const way = ['RunActivity:gateway.create', 'RunWorkflow:payment', 'UpdateWithStartWorkflow:created'];
  expect(creation && above(creation)).toEqual(way);
  expect(creation).toMatchObject({
    failed: false,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'url.full': `${simulator.url}/trade/pay`,
      'payment.workflow_id': paymentWorkflowId(APP.app_id, number),
    },
  });
  const event = named('POST event', inTrace).find(({ failed }) => !failed);
  expect(event && above(event).slice(0, 2)).toEqual([
    'RunActivity:payments.postEvents',
    expect.stringMatching(/\?|RunWorkflow:eventDelivery/),
  ]);
  expect(receiver.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${call?.trace}-[0-9a-f]{16}-01$`));

  // The worker's own lines of it name the trace.
  expect(first.printed).toContain(`"trace_id":"${call?.trace}"`);

  // A poll without news leaves nothing.
  expect(named('RunActivity:gateway.watch', ofOrder(number)).filter(({ events }) => events.length > 0)).toEqual([]);
  expect(named('POST /trade/query', ofOrder(number)).length).toBeLessThan(queries(number));

  const [notified] = named('POST /ipn/{app_id}');
  expect(notified).toMatchObject({ service: 'shop', attributes: { 'http.response.status_code': 200 } });
  const [handled] = named('HandleSignal:notification');
  expect(handled).toMatchObject({ trace: notified?.trace, parent: notified?.span });
  expect(handled?.links).toEqual([{ trace: call?.trace, span: named('RunWorkflow:payment')[0]?.span }]);
  // Whatever its trace, each span of the order is found by its payment.
  expect(ofOrder(number)).toEqual(expect.arrayContaining([notified, handled, creation, event]));
});

test('no span holds anything secret or personal, whatever an order contains', async () => {
  const orders = ['boleto', 'credit-card', 'wallet-card-number'].map((name) => publishedOrder(name, planted()));
  const refused = publishedOrder('pix', {
    ...planted(),
    order_amount: `1.${MARK}`,
    notify_url: `https://${MARK}@shop.example.com`,
  });
  await Promise.allSettled([...orders, refused].map((one) => shop.payments.pay(one)));
  await shop.payments.state(`order-of-nobody-${randomUUID()}`).catch(() => undefined);
  await eventually('all creations are told', () => named('POST /trade/pay').length > orders.length);
  const told = JSON.stringify(spans()) + Buffer.concat(collector.bodies).toString('latin1');
  for (const secret of [
    MARK,
    Buffer.from(MARK).toString('base64').slice(0, 18),
    CPF,
    EVENT_SECRET,
    keys.encryption_key,
  ])
    expect(told).not.toContain(secret);
});

/** Marked values for all fields about a person, whichever of them the order has. */
function planted(): Partial<DirectPayment> {
  const identify = { number: CPF, type: 'CPF' } as const;
  return {
    subject: `${MARK}subject`,
    buyer_id: `${MARK}buyer`,
    customer: { name: `Mariana ${MARK}`, email: `${MARK}@example.com`, phone: `55119${MARK}`, identify },
  };
}

const queries = (number: string) =>
  simulator.requests({ path: '/trade/query', trade_no: simulator.trade(number).trade_no }).length;
