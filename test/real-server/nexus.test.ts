/** Payments over Nexus on a real server: a shop in a namespace of its own, which has another key than the payments. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFile } from '@swc/core';
import { Client, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, type Payload } from '@temporalio/common';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { dataConverter } from '../../src/codec';
import { paymentWorkflowId } from '../../src/contract';
import { loadConfig } from '../../src/process/settings';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { built } from '../harness/built';
import { eventually } from '../harness/eventually';
import { order } from '../harness/orders';
import { ROOT, Terminal } from '../harness/terminal';

const keyNamed = (id: string) => `${id}:${Buffer.from(id.padEnd(32, '-')).toString('base64')}`;
const SHOP_KEY = keyNamed('shop');

const bundles = new Map<string | undefined, Promise<{ code: string }>>();

/** The shop's workflows, bundled once for workers that encrypt and once for those that do not. */
function bundleOf(failureConverterPath: string | undefined): Promise<{ code: string }> {
  const bundled =
    bundles.get(failureConverterPath) ??
    bundleWorkflowCode({
      workflowsPath: require.resolve('../calls/fixtures/nexus-shop'),
      logger: new DefaultLogger('ERROR'),
      ...(failureConverterPath ? { failureConverterPath } : {}),
    });
  bundles.set(failureConverterPath, bundled);
  return bundled;
}

let stack: Stack;
const callers: Caller[] = [];

/** A worker in the namespace `shop`, and what starts workflows there. */
class Caller {
  private readonly running: Promise<void>;
  private constructor(
    readonly client: Client,
    private readonly worker: Worker,
    private readonly taskQueue: string,
  ) {
    this.running = worker.run();
    callers.push(this);
  }

  static async with(env: Record<string, string>): Promise<Caller> {
    const settings = { namespace: 'shop', dataConverter: dataConverter(loadConfig(env)) };
    const taskQueue = `shop-${randomUUID()}`;
    const { connection, nativeConnection } = stack.temporal;
    const worker = await Worker.create({
      ...settings,
      taskQueue,
      connection: nativeConnection,
      workflowBundle: await bundleOf(settings.dataConverter.failureConverterPath),
    });
    return new Caller(new Client({ ...settings, connection }), worker, taskQueue);
  }

  start(workflow: string, ...args: unknown[]) {
    const workflowId = `shop:${randomUUID()}`;
    return this.client.workflow.start(workflow, { taskQueue: this.taskQueue, workflowId, args });
  }

  async answer(workflow: string, ...args: unknown[]): Promise<unknown> {
    return (await this.start(workflow, ...args)).result();
  }

  /** The failure that a call ends with. */
  async failure(workflow: string, ...args: unknown[]): Promise<ApplicationFailure> {
    const error: unknown = await this.answer(workflow, ...args).catch((reason: unknown) => reason);
    if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure) return error.cause;
    throw new Error(`No failure of ours: ${error}`, { cause: error });
  }

  async end(): Promise<void> {
    this.worker.shutdown();
    await this.running;
  }
}

/** Temporal gives a handler so long; ten seconds where nothing else is set. */
const REQUEST_TIMEOUT = 'component.nexusoperations.request.timeout="3s"';

let shop: Caller;
const folder = mkdtempSync(join(tmpdir(), 'nexus-'));

beforeAll(async () => {
  await built();
  stack = await startStack({
    env: { PAYMENTS_NEXUS: 'true', PAYMENTS_ENCRYPTION_KEYS: `${keyNamed('payments')},${SHOP_KEY}` },
    temporal: ['--namespace', 'shop', '--dynamic-config-value', REQUEST_TIMEOUT],
  });
  await stack.temporal.createNexusEndpoint('payments', stack.taskQueue);
  shop = await Caller.with({ PAYMENTS_ENCRYPTION_KEYS: SHOP_KEY });
});

afterAll(async () => {
  for (const caller of callers) await caller.end();
  await stack?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An order that was paid over Nexus. */
async function sold(): Promise<string> {
  const { request } = order();
  await shop.answer('ask', 'pay', [request]);
  await stack.simulator.pay(request.out_trade_no);
  expect(await stack.payments.outcome(request.out_trade_no)).toMatchObject({ outcome: 'SUCCESS' });
  return request.out_trade_no;
}

const part = (refund_amount: string) => ({ refund_amount, refund_currency: 'BRL', out_request_no: 'r1', ...BUYER });
const BUYER = {
  user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
  bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
};

test('the program of the example sells in a namespace of its own through the payments of another one', async () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/temporal-payment-gateway'));
  symlinkSync(join(ROOT, 'node_modules/@temporalio'), join(folder, 'node_modules/@temporalio'));
  const example = (name: string) => join(ROOT, 'examples/typescript', name);
  await cp(example('nexus-workflows.ts'), join(folder, 'nexus-workflows.ts'));
  const { code } = await transformFile(example('nexus.mts'), {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  writeFileSync(join(folder, 'nexus.mjs'), code);
  const env = {
    TEMPORAL_ADDRESS: stack.temporal.address,
    PAYMENTS_ENCRYPTION_KEYS: SHOP_KEY,
    GATEWAY_APP_ID: APP.app_id,
  };
  const program = new Terminal({ cwd: folder, env, program: join(folder, 'nexus.mjs') }, 'nexus-1');
  await eventually(
    'it has an order',
    async () => stack.simulator.trades({ out_trade_no: 'nexus-1' }).length > 0,
    60_000,
  );
  await stack.simulator.pay('nexus-1');
  expect([await program.ended, program.printed]).toEqual([0, expect.stringContaining('Paid: deliver the tickets.')]);
});

describe('a call over Nexus', () => {
  test('pays, and the same order again is the same payment', async () => {
    const { request } = order();
    const answer = await shop.answer('ask', 'pay', [request]);
    expect(answer).toMatchObject({ out_trade_no: request.out_trade_no, qr_code: expect.stringMatching(/^0002/) });
    expect(await shop.answer('ask', 'pay', [request])).toEqual(answer);
    expect(await stack.payments.state(request.out_trade_no)).toMatchObject({ trade_status: 'PROCESSING' });
    expect(stack.simulator.trades({ out_trade_no: request.out_trade_no })).toHaveLength(1);
  });

  test('makes a checkout, refunds a part, and says what the after-sale says', async () => {
    const { request } = order({ trade_type: 'WEB' });
    const { method: _method, customer: _customer, ...checkout } = request;
    expect(await shop.answer('ask', 'createCheckout', [checkout])).toMatchObject({ web_url: expect.any(String) });
    const number = await sold();
    expect(await shop.answer('ask', 'refund', [number, part('30.00')])).toMatchObject({ refund_amount: '30.00' });
    expect(await stack.payments.refunds(number)).toMatchObject({ refunds: [{ out_request_no: 'r1' }] });
  });

  test('is asked again while the gateway has not answered, and one charge is made', async () => {
    stack.simulator.addFault({ on: 'pay', fault: 'answer-before', http_status: 429, body: {}, times: 1_000 });
    const { request } = order();
    const sale = await shop.start('ask', 'pay', [request]);
    const events = async () => (await sale.fetchHistory()).events ?? [];
    await eventually('a call has ended without an answer', async () =>
      (await events()).some((event) => event.nexusOperationFailedEventAttributes),
    );
    stack.simulator.clearFaults();
    expect(await sale.result()).toMatchObject({ out_trade_no: request.out_trade_no });
    expect((await events()).filter((event) => event.nexusOperationTimedOutEventAttributes)).toEqual([]);
    expect(stack.simulator.trades({ out_trade_no: request.out_trade_no })).toHaveLength(1);
  });
});

describe('a failure keeps its type, message and fields over Nexus', () => {
  test.each<[string, string, unknown, { type: string; message?: RegExp; field?: string }]>([
    ['an order that was never made', 'state', 'never-made', { type: 'NotFound', message: /never-made/ }],
    [
      'a negative amount',
      'pay',
      order({ order_amount: '-1' }).request,
      { type: 'InvalidRequest', field: 'order_amount' },
    ],
    ['a request that is no object', 'pay', 'no order', { type: 'InvalidRequest', field: 'request' }],
  ])('%s', async (_, call, given, { type, message = /./, field }) => {
    const failure = await shop.failure('ask', call, [given]);
    expect(failure).toMatchObject({ type, message: expect.stringMatching(message) });
    if (field !== undefined) expect(failure.details).toMatchObject([{ issues: [{ field }] }]);
  });

  test('another order under the number, too much of a refund, and an order that cannot be withdrawn any more', async () => {
    const { request } = order();
    await shop.answer('ask', 'pay', [request]);
    expect(await shop.failure('ask', 'pay', [{ ...request, subject: 'Another' }])).toMatchObject({
      type: 'DifferentRequest',
      details: [{ fields: ['subject'] }],
    });
    expect(await shop.failure('ask', 'cancel', [request.out_trade_no])).toMatchObject({ type: 'NotCanceled' });
    expect(await shop.failure('ask', 'refund', [await sold(), part('150.01')])).toMatchObject({
      type: 'OverRefund',
      details: [{ left: '150.00' }],
    });
  });

  test('an app that the worker does not have is refused, and nothing is sent', async () => {
    const { request } = order();
    expect(await shop.failure('ask', 'pay', [request], 'another-app')).toMatchObject({
      type: 'InvalidRequest',
      details: [{ issues: [{ field: 'app_id' }] }],
    });
    expect(stack.simulator.trades({ out_trade_no: request.out_trade_no })).toEqual([]);
  });

  test('a token that is not sealed is refused, because the shop’s history has it already', async () => {
    const { request } = order({ method: 'CreditCard', token: 'tok_bare' });
    const failure = await shop.failure('ask', 'pay', [request]);
    expect(failure.type).toBe('InvalidRequest');
    expect(JSON.stringify(failure.details)).not.toContain('tok_bare');
  });

  test('a workflow without our client finds the failure as the innermost cause', async () => {
    const failure = await shop
      .failure('askPlainly', { app_id: APP.app_id, out_trade_no: 'never-made' })
      .catch((error) => {
        let innermost: unknown = error;
        for (let at = error; at instanceof Error; at = at.cause) innermost = at;
        return innermost;
      });
    expect(failure).toMatchObject({ type: 'NotFound' });
  });
});

const textOf = (payload: Payload | null | undefined, name: string) =>
  Buffer.from(payload?.metadata?.[name] ?? []).toString();

describe('where the payments have keys', () => {
  test('the answer is encrypted with the key of the shop, for the workflow that asked', async () => {
    const sale = await shop.start('ask', 'pay', [order().request]);
    await sale.result();
    const { events } = await sale.fetchHistory();
    const completed = events?.find((event) => event.nexusOperationCompletedEventAttributes);
    const answer = completed?.nexusOperationCompletedEventAttributes?.result;
    expect(textOf(answer, 'encoding')).toBe('binary/encrypted');
    expect(textOf(answer, 'encryption-key-id')).toBe('shop');
    expect(JSON.parse(textOf(answer, 'encryption-context'))).toEqual(['shop', sale.workflowId]);
  });

  test('the key of the shop opens no payment’s history', async () => {
    const { request } = order();
    await shop.answer('ask', 'pay', [request]);
    const converter = dataConverter(loadConfig({ PAYMENTS_ENCRYPTION_KEYS: SHOP_KEY }));
    const nosy = new Client({ connection: stack.temporal.connection, dataConverter: converter });
    const state = nosy.workflow.getHandle(paymentWorkflowId(APP.app_id, request.out_trade_no)).query('state');
    await expect(state).rejects.toThrow(/the key "payments"/);
  });

  test('a shop without keys is refused at once, is told why, and nothing is sent', async () => {
    const stranger = await Caller.with({ PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' });
    const { request } = order();
    expect(await stranger.failure('ask', 'pay', [request])).toMatchObject({
      type: 'PayloadValidationError',
      message: expect.stringContaining('Encrypt it with PAYMENTS_ENCRYPTION_KEYS'),
    });
    expect(stack.simulator.trades({ out_trade_no: request.out_trade_no })).toEqual([]);
  });

  test('a shop with a key that the payments do not have stands still, and its history says why', async () => {
    const other = await Caller.with({ PAYMENTS_ENCRYPTION_KEYS: keyNamed('other') });
    const { request } = order();
    const sale = await other.start('ask', 'pay', [request]);
    const refused = async () => {
      const { events } = await sale.fetchHistory();
      return events?.some((event) => event.nexusOperationFailedEventAttributes) ?? false;
    };
    await eventually('it is refused', refused);
    expect(stack.simulator.trades({ out_trade_no: request.out_trade_no })).toEqual([]);
    await sale.terminate();
  });
});
