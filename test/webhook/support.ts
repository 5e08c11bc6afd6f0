/** Helpers of the webhook's tests: signed notifications, HTTP requests, a fake Temporal, and the endpoint with and without a server. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'node:net';
import { Client, type ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import Long from 'long';
import pino from 'pino';
import { type SignatureScheme, signatureHeader } from '../../src/gateway';
import {
  createWebhook,
  type WebhookOptions,
  type WebhookRequest,
  type WebhookServerOptions,
  webhookServer,
} from '../../src/webhook';

export const app = { app_id: 'shop-1', secret_key: 'sk_live_canary-of-shop-1' };
export const otherApp = { app_id: 'shop-2', secret_key: 'sk_live_canary-of-shop-2' };

/** A notification as the gateway writes it, with the personal data that real ones have. */
export function ipn(changes: Record<string, unknown> = {}): Buffer {
  const body = {
    app_id: app.app_id,
    trade_no: '2022022201111100011',
    out_trade_no: 'order-1',
    method: 'PIX',
    trade_status: 'SUCCESS',
    currency: 'BRL',
    amount: '150.00',
    user: { name: 'Mariana Canária', email: 'canary@example.com', identify: { number: '50284414727', type: 'CPF' } },
    ...changes,
  };
  return Buffer.from(JSON.stringify(body));
}

export const sign = (body: Uint8Array, { secret_key } = app, scheme: SignatureScheme = 'hex') =>
  signatureHeader(body, secret_key, scheme, 1_645_516_741_000);

export interface Reply {
  status: number;
  body: string;
  /** Without `date`, which differs each time. */
  headers: Record<string, string>;
}

/** Posts bytes as the gateway does: by default to the path of `app`, signed with its key. */
export async function post(
  url: string,
  body: Uint8Array,
  { path = `/ipn/${app.app_id}`, headers = {} }: { path?: string; headers?: Record<string, string> | undefined } = {},
): Promise<Reply> {
  return send(url + path, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json', 'service-signature': sign(body), ...headers },
  });
}

export async function send(url: string, request: RequestInit = {}): Promise<Reply> {
  const response = await fetch(url, request);
  const { date: _date, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, body: await response.text(), headers };
}

/** Writes text to a socket; resolves to all that comes back until the server closes it. `then` may write more. */
export async function raw(
  url: string,
  text: string,
  then: (write: (more: string) => void) => void = () => {},
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  // A server may close with a reset.
  socket.on('error', () => {});
  socket.write(text);
  then((more) => socket.writable && socket.write(more));
  await new Promise((resolve) => socket.on('close', resolve));
  return answer;
}

/** A log whose lines the test can read. */
export function readableLog(): { log: FastifyBaseLogger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }), lines };
}

type SignalWithStart = temporal.api.workflowservice.v1.SignalWithStartWorkflowExecutionRequest;
type Start = temporal.api.workflowservice.v1.StartWorkflowExecutionRequest;
const { v1: wire } = temporal.api.workflowservice;

/** gRPC's status codes that these tests need. */
export const GRPC = {
  CANCELLED: 1,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  UNAVAILABLE: 14,
} as const;

/** A Temporal without a network. It records signals and starts, and can be made to fail or to wait. */
export class FakeTemporal {
  readonly signals: SignalWithStart[] = [];
  /** The number of all calls, also of those that failed. */
  callCount = 0;
  /** Whether the signalled workflows run already. */
  running = false;
  /** What those were started with. */
  input: object = { kind: 'adopt', app_id: app.app_id };
  readonly starts: Start[] = [];
  /** gRPC codes with which the next calls fail, one for each call. */
  failures: number[] = [];
  /** Calls are answered after this resolves. */
  gate: Promise<void> = Promise.resolve();
  private readonly deadline = new AsyncLocalStorage<number>();
  readonly client: Client;

  constructor() {
    const workflowService = wire.WorkflowService.create((method, data, callback) => {
      this.take(method.name, data);
      const code = this.failures.shift() ?? this.missing(method.name);
      this.gate.then(() => {
        if (code === undefined) callback(null, this.answer(method.name));
        else
          callback(
            Object.assign(new Error(`14 canary: 10.0.0.1 said ${code}`), {
              code,
              details: '',
              metadata: { get: () => [] },
            }),
          );
      });
    });
    const operatorService = temporal.api.operatorservice.v1.OperatorService.create(() => {});
    const connection: ConnectionLike = {
      workflowService,
      operatorService,
      plugins: [],
      close: async () => {},
      ensureConnected: async () => {},
      withDeadline: (deadline, run) => this.deadline.run(Number(deadline), run),
      withMetadata: (_metadata, run) => run(),
      withAbortSignal: (_signal, run) => run(),
    };
    this.client = new Client({ connection, namespace: 'payments' });
  }

  /** The number of calls that change something. */
  get writeCount(): number {
    return this.signals.length + this.starts.length;
  }

  private take(method: string, data: Uint8Array): void {
    // Every call must have a deadline, or a slow Temporal could hold a notification for ever.
    const ms = (this.deadline.getStore() ?? Number.POSITIVE_INFINITY) - Date.now();
    if (ms > 5_000) throw new Error(`${method} may take ${ms} ms`);
    this.callCount += 1;
    if (method === 'SignalWithStartWorkflowExecution') {
      this.signals.push(wire.SignalWithStartWorkflowExecutionRequest.decode(data));
    }
    if (method === 'StartWorkflowExecution') this.starts.push(wire.StartWorkflowExecutionRequest.decode(data));
  }

  /** The code for a workflow that does not exist. */
  private missing(method: string): number | undefined {
    const isRead = method === 'DescribeWorkflowExecution' || method === 'GetWorkflowExecutionHistory';
    return isRead && !this.running ? GRPC.NOT_FOUND : undefined;
  }

  private answer(method: string): Uint8Array {
    if (method === 'DescribeNamespace') return wire.DescribeNamespaceResponse.encode({}).finish();
    const { WORKFLOW_EXECUTION_STATUS_RUNNING: status } = temporal.api.enums.v1.WorkflowExecutionStatus;
    const execution = { workflowId: 'any', runId: 'run-1' };
    const info = { execution, status, type: { name: 'any' }, startTime: { seconds: Long.ZERO } };
    if (method === 'DescribeWorkflowExecution')
      return wire.DescribeWorkflowExecutionResponse.encode({ workflowExecutionInfo: info }).finish();
    if (method === 'ListWorkflowExecutions')
      return wire.ListWorkflowExecutionsResponse.encode({ executions: [info] }).finish();
    if (method === 'GetWorkflowExecutionHistory') {
      const input = { payloads: [defaultPayloadConverter.toPayload(this.input)] };
      const scheduled = { activityType: { name: 'gateway.create' }, activityId: '1' };
      const sent =
        'request' in this.input
          ? [{ eventId: Long.fromNumber(5), activityTaskScheduledEventAttributes: scheduled }]
          : [];
      const events = [{ workflowExecutionStartedEventAttributes: { input } }, ...sent];
      return wire.GetWorkflowExecutionHistoryResponse.encode({ history: { events } }).finish();
    }
    if (method === 'StartWorkflowExecution') {
      return wire.StartWorkflowExecutionResponse.encode({ runId: 'run-1' }).finish();
    }
    return wire.SignalWithStartWorkflowExecutionResponse.encode({ runId: 'run-1', started: !this.running }).finish();
  }
}

/** The endpoint on a free port, with a fake Temporal. */
export interface StartedWebhook {
  temporal: FakeTemporal;
  /** The lines of its log. */
  lines: string[];
  /** The test closes it. */
  server: FastifyInstance;
  url: string;
}

/** The options of an endpoint for both apps, with a fake Temporal and a readable log. */
function testOptions() {
  const temporal = new FakeTemporal();
  const { log, lines } = readableLog();
  const signature = { header: 'Service-Signature', scheme: 'hex' } as const;
  const options = { client: temporal.client, taskQueue: 'payments', apps: [app, otherApp], signature, log };
  return { temporal, lines, options };
}

/** Starts the endpoint on a free port. `changes` replace its default options. */
export async function startWebhook(changes: Partial<WebhookServerOptions> = {}): Promise<StartedWebhook> {
  const { temporal, lines, options } = testOptions();
  const server = webhookServer({ ...options, ...changes });
  return { temporal, lines, server, url: await server.listen({ host: '127.0.0.1', port: 0 }) };
}

/** Makes the endpoint without a server. `changes` replace its default options. */
export function makeWebhook(changes: Partial<WebhookOptions> = {}) {
  const { temporal, lines, options } = testOptions();
  return { temporal, lines, webhook: createWebhook({ ...options, ...changes }) };
}

/** A request for the endpoint without a server: JSON to the path of `app`. It has no signature unless `headers` give one. */
export function requestOf(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  { headers = [], path = `/ipn/${app.app_id}` }: Partial<Pick<WebhookRequest, 'headers' | 'path'>> = {},
): WebhookRequest {
  const whole = async function* () {
    if (body instanceof Uint8Array) yield body;
  };
  return {
    method: 'POST',
    path,
    headers: [['content-type', 'application/json'], ...headers],
    address: '127.0.0.1',
    body: body instanceof Uint8Array ? whole() : body,
  };
}
