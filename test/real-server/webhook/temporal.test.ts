/** The endpoint with a real Temporal server: what a good notification writes there, and that a forged one writes nothing. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { Client } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { connectOnceAsked } from '../../../src/temporal/closed-connection';
import { devServer } from '../../../src/testing/dev-server';
import { verifyNotification, webhookServer } from '../../../src/webhook';
import { app, ipn, otherApp, post, send, sign } from '../../webhook/support';

let temporal: TestWorkflowEnvironment;
const servers: FastifyInstance[] = [];
let url: string;

/** No worker polls it, so a started workflow stays as the webhook left it. */
const taskQueue = `idle-${randomUUID()}`;

async function webhook(client: Client, closedBy = servers): Promise<string> {
  const server = webhookServer({
    client,
    taskQueue,
    apps: [app, otherApp],
    signature: { header: 'Service-Signature', scheme: 'hex' },
    log: pino({ level: 'silent' }),
  });
  closedBy.push(server);
  return server.listen({ host: '127.0.0.1', port: 0 });
}

beforeAll(async () => {
  temporal = await devServer();
  url = await webhook(temporal.client);
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await temporal?.teardown();
});

const workflowOf = (out_trade_no: string) =>
  temporal.client.workflow.getHandle(`payment:${app.app_id}:${out_trade_no}`);
const statusKey = defineSearchAttributeKey('PaymentStatus', 'KEYWORD');

/** Starts a payment. No worker runs it, so it stays RUNNING. */
function startPayment(out_trade_no: string, status = 'PROCESSING') {
  return temporal.client.workflow.start('payment', {
    workflowId: `payment:${app.app_id}:${out_trade_no}`,
    taskQueue,
    args: [{ kind: 'direct', app_id: app.app_id, request: { out_trade_no } }],
    typedSearchAttributes: [{ key: statusKey, value: status }],
  });
}

async function history(workflowId: string, runId?: string) {
  const { events } = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const read = (data: Uint8Array | null | undefined): unknown => JSON.parse(Buffer.from(data ?? []).toString());
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  return {
    length: events?.length,
    input: read(started?.input?.payloads?.[0]?.data),
    signals: (events ?? [])
      .flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? [])
      .map(({ signalName, input }) => ({ signalName, with: read(input?.payloads?.[0]?.data) })),
  };
}

const historyOf = (out_trade_no: string) => history(workflowOf(out_trade_no).workflowId);
const newOrder = () => `order-${randomUUID()}`;
const acknowledged = { status: 200, body: 'success' };

describe('a good notification', () => {
  test('of a running payment is in its history when it is acknowledged', async () => {
    const out_trade_no = newOrder();
    await startPayment(out_trade_no);
    expect(await post(url, ipn({ out_trade_no }))).toMatchObject(acknowledged);
    expect((await historyOf(out_trade_no)).signals).toEqual([
      {
        signalName: 'notification',
        with: expect.objectContaining({ out_trade_no, trade_status: 'SUCCESS', amount: '150.00' }),
      },
    ]);
  });

  test('of an unknown trade starts a payment in adopt form, and signals it', async () => {
    const out_trade_no = newOrder();
    expect(await post(url, ipn({ out_trade_no }))).toMatchObject(acknowledged);
    const adopted = await historyOf(out_trade_no);
    expect(adopted.input).toEqual({
      kind: 'adopt',
      app_id: app.app_id,
      out_trade_no,
      trade_no: '2022022201111100011',
    });
    expect(adopted.signals).toHaveLength(1);
  });

  test('that comes 25 times at once, through two webhooks, adds one signal', async () => {
    const out_trade_no = newOrder();
    await startPayment(out_trade_no);
    const other = await webhook(temporal.client);
    const replies = await Promise.all(
      Array.from({ length: 25 }, (_, i) => post(i % 2 ? url : other, ipn({ out_trade_no }))),
    );
    for (const reply of replies) expect(reply).toMatchObject(acknowledged);
    expect((await historyOf(out_trade_no)).signals).toHaveLength(1);
  });

  test('of an unknown trade that comes 25 times at once starts one payment with one signal', async () => {
    const out_trade_no = newOrder();
    const replies = await Promise.all(Array.from({ length: 25 }, () => post(url, ipn({ out_trade_no }))));
    for (const reply of replies) expect(reply).toMatchObject(acknowledged);
    expect((await historyOf(out_trade_no)).signals).toHaveLength(1);
  });
});

describe('a notification of a terminated payment', () => {
  test('starts a new run, which reads what the old one knew, even if the old one had the same status', async () => {
    for (const seen of ['PROCESSING', 'SUCCESS']) {
      const out_trade_no = newOrder();
      const first = await startPayment(out_trade_no, seen);
      await first.terminate('a test');
      expect(await post(url, ipn({ out_trade_no }))).toMatchObject(acknowledged);
      const second = await historyOf(out_trade_no);
      expect(second.input).toMatchObject({ kind: 'adopt', out_trade_no });
      expect((await workflowOf(out_trade_no).describe()).runId).not.toBe(first.firstExecutionRunId);
      expect(second.signals).toHaveLength(1);
    }
  });
});

describe('an unreadable notification with a good signature', () => {
  // Bytes that are no UTF-8.
  const unreadable = () => Buffer.concat([Buffer.from(`{"note":"${randomUUID()}"`), Buffer.from([0xff, 0x00, 0x7d])]);
  const strayOf = (body: Buffer) => {
    const decision = verifyNotification({ app_id: app.app_id, signatures: [sign(body)], body }, [app], 'hex');
    if (decision.is !== 'unreadable') throw new Error('The body can be read');
    return temporal.client.workflow.getHandle(`stray-notification:${app.app_id}:${decision.digest}`);
  };

  test('is kept byte by byte in a stray-notification workflow', async () => {
    const body = unreadable();
    expect(await post(url, body)).toMatchObject(acknowledged);
    expect((await history(strayOf(body).workflowId)).input).toEqual({
      app_id: app.app_id,
      body: body.toString('base64'),
    });
  });

  test('is kept once, however often it comes, even after a person has ended its workflow', async () => {
    const body = unreadable();
    const handle = strayOf(body);
    await post(url, body);
    const { runId } = await handle.describe();
    for (let i = 0; i < 3; i += 1) expect(await post(url, body)).toMatchObject(acknowledged);
    expect((await handle.describe()).runId).toBe(runId);
    await handle.terminate('a person has dealt with it');
    expect(await post(url, body)).toMatchObject(acknowledged);
    expect((await handle.describe()).runId).toBe(runId);
  });
});

describe('while Temporal cannot be reached', () => {
  /** An address on which no server listens. */
  async function unusedAddress(): Promise<string> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    if (address === null || typeof address === 'string') throw new Error('No port');
    return `127.0.0.1:${address.port}`;
  }

  test('notifications get 503 with Retry-After, and /readyz answers 503', async () => {
    const connection = connectOnceAsked({ address: await unusedAddress() });
    const own: FastifyInstance[] = [];
    const cutOff = await webhook(new Client({ connection }), own);
    const replies = await Promise.all([post(cutOff, ipn()), post(cutOff, Buffer.from('{'))]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 503, body: '{"result":"fail"}', headers: { 'retry-after': '60' } });
    }
    expect((await send(`${cutOff}/readyz`)).status).toBe(503);
    expect((await send(`${cutOff}/healthz`)).status).toBe(200);
    // A refusal does not need Temporal.
    expect((await post(cutOff, ipn(), { path: '/ipn/nobody' })).status).toBe(401);
    for (const server of own) await server.close();
    await connection.close();
  });
});
