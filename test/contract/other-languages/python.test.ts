/**
 * The contract as a merchant in Python uses it in plain JSON, with Temporal's Python SDK only; encrypted: merchants.test.ts. Temporal,
 * worker, webhook and simulator are real. The first program has a process of its own, as a merchant starts it; the others are forks
 * of one that has imported the SDK.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import card from '../../../examples/orders/credit-card.json';
import pix from '../../../examples/orders/pix.json';
import wallet from '../../../examples/orders/wallet-card-number.json';
import { afterSaleWorkflowId, SEARCH_ATTRIBUTE } from '../../../src/contract';
import { open } from '../../../src/gateway';
import { readStart } from '../../../src/temporal/workflow-history';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { type JsonOutput, JsonProgram, pythonWith } from '../../harness/python';
import { PythonForks } from '../../harness/python-forks';

const CLEAR = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };
const EXAMPLE = join(__dirname, '../../../clients/python');
const MODULES = [EXAMPLE, join(EXAMPLE, 'examples')].join(delimiter);

let stack: Stack;
let python: string;
let folder: string;
let forks: PythonForks;
const started: JsonOutput[] = [];

beforeAll(async () => {
  python = await pythonWith(join(EXAMPLE, 'requirements.txt'));
  folder = await mkdtemp(join(tmpdir(), 'merchant-'));
  forks = await PythonForks.start(python, folder, MODULES);
  stack = await startStack({ env: CLEAR });
});

afterAll(async () => {
  await Promise.all(started.map((program) => program.kill()));
  await stack?.close();
  await forks?.end();
  if (folder) await rm(folder, { recursive: true, force: true });
});

type Order = { out_trade_no: string; [field: string]: unknown };

const pixOrder = (out_trade_no: string, changes: object = {}): Order => ({ ...pix.request, ...changes, out_trade_no });

/** Starts a Python program with an order, the address of Temporal and the stack's keys. */
async function run(program: string, request: Order, ...options: string[]): Promise<JsonOutput> {
  const file = join(folder, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ kind: 'direct', request }));
  const args = [program, file, ...options];
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: MODULES,
    PYTHONDONTWRITEBYTECODE: '1',
    TEMPORAL_ADDRESS: stack.temporal.connection.options.address,
    TEMPORAL_NAMESPACE: stack.temporal.namespace,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK),
    ...CLEAR,
  };
  const running = started.length === 0 ? new JsonProgram(python, args, env) : forks.run(args, env);
  started.push(running);
  return running;
}

const merchant = (request: Order, ...options: string[]) =>
  run(join(EXAMPLE, 'examples/merchant.py'), request, ...options);
const payOnce = async (request: Order) => (await merchant(request)).end();

const workflowId = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;
const creations = (out_trade_no: string) => stack.simulator.requests({ out_trade_no, path: '/trade/pay' });

test('a PIX payment is started, read, and paid', async () => {
  const out_trade_no = 'py-pix';
  const backend = await merchant(pixOrder(out_trade_no), '--wait');

  const paymentData = await backend.next();
  expect(paymentData).toEqual({
    payment_data: expect.objectContaining({
      out_trade_no,
      trade_no: expect.stringMatching(/./),
      qr_code: expect.stringMatching(/^000201.*br\.gov\.bcb\.pix/),
      pay_url: expect.stringContaining(stack.simulator.url),
      recovered: false,
    }),
  });

  const known = {
    app_id: APP.app_id,
    out_trade_no,
    trade_no: expect.stringMatching(/./),
    order_amount: '150.00',
    order_currency: 'BRL',
    method: 'PIX',
    attention: null,
    expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  };
  const created = { time: expect.stringMatching(/Z$/), from: null, to: 'PROCESSING', source: 'creation' };
  expect(await backend.next()).toEqual({
    state: expect.objectContaining({
      ...known,
      trade_status: 'PROCESSING',
      outcome: null,
      confirmed_by: null,
      history: [created],
    }),
  });

  const sameOrder = async () => (await payOnce(pixOrder(out_trade_no))).printed[0];
  const anotherOrder = () => payOnce(pixOrder(out_trade_no, { order_amount: '150.01', content: 'One ticket' }));
  const refused = {
    code: 1,
    printed: [],
    complaint: expect.objectContaining({ error: 'DifferentRequest', fields: ['content', 'order_amount'] }),
  };
  expect(await sameOrder()).toEqual(paymentData);
  expect(await anotherOrder()).toEqual(refused);

  await stack.simulator.pay(out_trade_no);
  expect(await backend.end()).toEqual({
    code: 0,
    complaint: undefined,
    printed: [
      {
        result: expect.objectContaining({
          ...known,
          trade_status: 'SUCCESS',
          outcome: 'SUCCESS',
          confirmed_by: 'query',
          history: [created, expect.objectContaining({ from: 'PROCESSING', to: 'SUCCESS', source: 'query' })],
        }),
      },
    ],
  });

  // The payment has ended: no workflow runs under its id, and none may start.
  expect(await sameOrder()).toEqual(paymentData);
  expect(await anotherOrder()).toEqual(refused);
  expect(creations(out_trade_no)).toHaveLength(1);
});

test.each([
  ['a card order with its token', 'py-card', 'token' as const, card.request],
  ['a wallet order with its PIN', 'py-wallet', 'account_verification_code' as const, wallet.request],
])('%s sealed in Python can be opened by the worker only', async (_, out_trade_no, field, request) => {
  const secret = String(Reflect.get(request, field));
  const backend = await merchant({ ...request, out_trade_no }, '--wait');
  expect(await backend.next()).toMatchObject({ payment_data: { out_trade_no, recovered: false } });
  await stack.simulator.pay(out_trade_no);
  expect(await backend.end()).toMatchObject({ code: 0, printed: [{}, { result: { outcome: 'SUCCESS' } }] });

  const stored = await historyOf(out_trade_no);
  expect(stored).toContain(request.buyer_id);
  expect(stored).not.toContain(JSON.stringify(secret));

  const { input } = await readStart(stack.client, workflowId(out_trade_no));
  const sealed = 'request' in input ? input.request[field] : undefined;
  expect(sealed).toEqual({ sealed: expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/) });
  const openedFor = (order: string) =>
    open(sealed as { sealed: string }, stack.config.PAYMENTS_SEALING_JWKS?.keys ?? [], {
      app_id: APP.app_id,
      out_trade_no: order,
    });
  expect(await openedFor(out_trade_no)).toBe(secret);
  await expect(openedFor('py-another')).rejects.toThrow('sealed for another order');
});

test('an order with a bare card token is refused, and does not reach the gateway', async () => {
  const out_trade_no = 'py-bare';
  const careless = await run(join(__dirname, 'unsealed.py'), { ...card.request, out_trade_no });
  expect(await careless.end()).toMatchObject({
    printed: [],
    complaint: { error: 'InvalidRequest', issues: [{ field: 'token', rule: expect.stringContaining('sealed') }] },
  });
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
  // An operator finds such orders in Temporal UI by their attention.
  const failed = stack.client.workflow.getHandle(workflowId(out_trade_no));
  await expect(failed.result()).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
  const afterSale = stack.client.workflow.getHandle(afterSaleWorkflowId(APP.app_id, out_trade_no));
  await afterSale.query('state');
  const { typedSearchAttributes } = await afterSale.describe();
  expect(typedSearchAttributes.get(SEARCH_ATTRIBUTE.attention)).toBe('bare-secret');
  // The secret is in one history only.
  const { events } = await afterSale.fetchHistory();
  const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
  expect(input).toBeDefined();
  expect(Buffer.from(input ?? []).toString()).not.toContain('"token"');
});

/** A payment's history as text, with its payloads decoded from base64. */
async function historyOf(out_trade_no: string): Promise<string> {
  const history = await stack.client.workflow.getHandle(workflowId(out_trade_no)).fetchHistory();
  return JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) => Buffer.from(data, 'base64').toString());
}
