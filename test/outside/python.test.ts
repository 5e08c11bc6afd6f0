/**
 * The contract from outside: a merchant in Python, with Temporal's SDK and nothing of ours installed. Everything is real, and
 * all of it holds in plain JSON as well as encrypted.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import card from '../../examples/orders/credit-card.json';
import pix from '../../examples/orders/pix.json';
import pse from '../../examples/orders/pse.json';
import wallet from '../../examples/orders/wallet-card-number.json';
import { open } from '../../src/gateway';
import { startOf } from '../../src/runs';
import { signTestNotification } from '../../src/webhook';
import { keys as attributes } from '../../src/workflows/visibility';
import { key, setting } from '../codec/support';
import { JsonProgram, pythonWith } from '../harness/python';
import { APP, type Stack, startStack } from '../harness/stack';

const EXAMPLE = join(__dirname, '../../examples/python');

let stack: Stack;
/** As the stack has them, and the merchant. */
let keys: Record<string, string>;
let python: string;
let folder: string;
const started: JsonProgram[] = [];

beforeAll(async () => {
  python = await pythonWith(join(EXAMPLE, 'requirements.txt'));
  folder = await mkdtemp(join(tmpdir(), 'merchant-'));
}, 600_000);

afterAll(async () => {
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The stack, and whatever still runs on it. */
async function endAll(): Promise<void> {
  await Promise.all(started.splice(0).map((program) => program.kill()));
  await stack?.close();
}

type Order = { out_trade_no: string; [field: string]: unknown };

const pixOrder = (out_trade_no: string, changes: object = {}): Order => ({ ...pix.request, ...changes, out_trade_no });

/** Runs a Python program on an order, as a merchant's backend would: it is told where Temporal is, and the stack's keys. */
async function run(program: string, request: Order, ...options: string[]): Promise<JsonProgram> {
  const file = join(folder, `${randomUUID()}.json`);
  await writeFile(file, JSON.stringify({ kind: 'direct', request }));
  const running = new JsonProgram(python, [program, file, ...options], {
    PATH: process.env.PATH,
    PYTHONPATH: EXAMPLE,
    PYTHONDONTWRITEBYTECODE: '1',
    TEMPORAL_ADDRESS: stack.temporal.connection.options.address,
    TEMPORAL_NAMESPACE: stack.temporal.namespace,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK),
    ...keys,
  });
  started.push(running);
  return running;
}

const merchant = (request: Order, ...options: string[]) => run(join(EXAMPLE, 'merchant.py'), request, ...options);
const payOnce = async (request: Order) => (await merchant(request)).end();

const workflowId = (out_trade_no: string) => `payment:${APP.app_id}:${out_trade_no}`;
const creations = (out_trade_no: string) => stack.simulator.requests({ out_trade_no, path: '/trade/pay' });

describe.each([
  ['in plain JSON', false],
  ['encrypted', true],
])('%s', (_, isEncrypted) => {
  beforeAll(async () => {
    keys = isEncrypted ? { PAYMENTS_ENCRYPTION_KEYS: setting(key('test-key')) } : {};
    stack = await startStack({ env: keys });
  }, 60_000);

  afterAll(endAll);

  test('a PIX payment, from its start to its result', async () => {
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

    // The payment has ended: nothing runs under its number any more, and nothing may start under it.
    expect(await sameOrder()).toEqual(paymentData);
    expect(await anotherOrder()).toEqual(refused);
    expect(creations(out_trade_no)).toHaveLength(1);
  });

  test('news after its end opens a new run, and the order is still answered, and held against, by the first', async () => {
    const out_trade_no = 'py-news';
    const first = await payOnce(pixOrder(out_trade_no));
    const { trade_no } = stack.simulator.trade(out_trade_no);
    await stack.simulator.pay(out_trade_no);
    const payment = stack.client.workflow.getHandle(workflowId(out_trade_no));
    await payment.result();
    const { runId } = await payment.describe();
    const { body, headers } = signTestNotification(APP, { out_trade_no, trade_no, trade_status: 'CANCEL' });
    const told = await fetch(`${stack.webhookUrl}/ipn/${APP.app_id}`, { method: 'POST', body, headers });
    expect(told.status).toBe(200);
    await payment.result();
    expect((await payment.describe()).runId).not.toBe(runId);

    expect((await payOnce(pixOrder(out_trade_no))).printed[0]).toEqual(first.printed[0]);
    expect(await payOnce(pixOrder(out_trade_no, { order_amount: '150.01' }))).toMatchObject({
      code: 1,
      complaint: { error: 'DifferentRequest', fields: ['order_amount'] },
    });
    expect(creations(out_trade_no)).toHaveLength(1);
  });

  test('two backends with the same order at the same moment get the same answer, and the buyer one charge', async () => {
    const order = pixOrder('py-twice');
    const [one, other] = await Promise.all([payOnce(order), payOnce(order)]);
    expect(one).toMatchObject({ code: 0, printed: [{ payment_data: { recovered: false } }, {}] });
    expect(other.printed[0]).toEqual(one.printed[0]);
    expect(creations('py-twice')).toHaveLength(1);
  });

  test('an order that breaks rules is refused with each of them, and not sent', async () => {
    const order = pixOrder('py-wrong', { order_amount: '0.00', customer: { name: 'Mariana 😀' } });
    expect(await payOnce(order)).toEqual({
      code: 2,
      printed: [],
      complaint: expect.objectContaining({
        error: 'InvalidRequest',
        issues: expect.arrayContaining([
          { field: 'order_amount', rule: expect.stringContaining('0.01') },
          { field: 'customer.name', rule: expect.stringContaining('emoji') },
        ]),
      }),
    });
    expect(creations('py-wrong')).toEqual([]);
  });

  test('an order that the gateway refuses is told with its codes', async () => {
    // Which methods there are is for the gateway to say.
    expect(await payOnce({ ...pse.request, method: 'Barter', out_trade_no: 'py-refused' })).toEqual({
      code: 1,
      printed: [],
      complaint: expect.objectContaining({
        error: 'NotCreated',
        // A failure's text is encrypted with everything else.
        message: expect.stringMatching(/^(?!Encoded failure)./),
        outcome: 'not-created',
        code: expect.stringMatching(/^4/),
        sub_code: expect.stringMatching(/./),
      }),
    });
    expect(creations('py-refused')).toEqual([expect.objectContaining({ created: false })]);
  });

  test('an order that somebody else made under the same number is not taken over', async () => {
    const order = pixOrder('py-elsewhere', { notify_url: 'http://127.0.0.1:9/ipn' });
    await orderElsewhere(order);
    expect(await payOnce(order)).toEqual({
      code: 1,
      printed: [],
      complaint: expect.objectContaining({ error: 'DuplicateOrder' }),
    });
  });

  test.each([
    ['a card order with its token', 'py-card', 'token' as const, card.request],
    ['a wallet order with its PIN', 'py-wallet', 'account_verification_code' as const, wallet.request],
  ])('%s sealed in Python is opened by the worker, and by nobody before', async (_, out_trade_no, field, request) => {
    const secret = String(Reflect.get(request, field));
    const backend = await merchant({ ...request, out_trade_no }, '--wait');
    expect(await backend.next()).toMatchObject({ payment_data: { out_trade_no, recovered: false } });
    await stack.simulator.pay(out_trade_no);
    expect(await backend.end()).toMatchObject({ code: 0, printed: [{}, { result: { outcome: 'SUCCESS' } }] });

    const stored = await historyOf(out_trade_no);
    expect(stored.includes(request.buyer_id)).toBe(!isEncrypted);
    expect(stored.includes(JSON.stringify(secret))).toBe(false);

    const { input } = await startOf(stack.client, workflowId(out_trade_no));
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

  test('a bare card token is refused, and never reaches the gateway', async () => {
    const out_trade_no = 'py-bare';
    const careless = await run(join(__dirname, 'unsealed.py'), { ...card.request, out_trade_no });
    expect(await careless.end()).toMatchObject({
      printed: [],
      complaint: { error: 'InvalidRequest', issues: [{ field: 'token', rule: expect.stringContaining('sealed') }] },
    });
    expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
    // The refusal reaches the merchant alone: an operator finds who sends such orders in Temporal UI.
    const { typedSearchAttributes, status } = await stack.client.workflow
      .getHandle(workflowId(out_trade_no))
      .describe();
    expect({ status: status.name, attention: typedSearchAttributes.get(attributes.attention) }).toEqual({
      status: 'FAILED',
      attention: 'bare-secret',
    });
  });
});

describe('where worker and merchant do not have the same keys', () => {
  const theirs = setting(key('theirs'));

  beforeAll(async () => {
    stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: theirs } });
  }, 60_000);

  afterAll(endAll);

  test('an order that the worker cannot read is not sent, and is told as not known', async () => {
    keys = { PAYMENTS_ENCRYPTION_KEYS: setting(key('another')) };
    expect(await payOnce(pixOrder('py-wrong-key'))).toEqual({
      code: 3,
      printed: [],
      complaint: {
        error: 'PaymentPending',
        message: expect.stringContaining('has it the keys that this process has?'),
      },
    });
    expect(stack.simulator.requests({ out_trade_no: 'py-wrong-key' })).toEqual([]);
  }, 90_000);

  test('an answer that the merchant cannot read says nothing of the payment, and can be had with the key', async () => {
    const order = pixOrder('py-no-key');
    keys = {};
    const blind = await payOnce(order);
    expect(blind).toEqual({ code: 3, printed: [], complaint: expect.stringContaining('binary/encrypted') });
    keys = { PAYMENTS_ENCRYPTION_KEYS: theirs };
    expect(await payOnce(order)).toMatchObject({ code: 0, printed: [{ payment_data: { recovered: false } }, {}] });
    expect(creations('py-no-key')).toHaveLength(1);
  });
});

/** An order made at the gateway without Temporal. */
async function orderElsewhere(request: Order): Promise<void> {
  const answer = await fetch(`${stack.simulator.url}/trade/pay`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${APP.app_id}:${APP.secret_key}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      ...request,
      app_id: APP.app_id,
      timestamp: new Date().toISOString().slice(0, 19).replace('T', ' '),
    }),
  });
  expect(await answer.json()).toMatchObject({ code: '10000' });
}

/** Everything that Temporal keeps of a payment, as text, payloads included. */
async function historyOf(out_trade_no: string): Promise<string> {
  const history = await stack.client.workflow.getHandle(workflowId(out_trade_no)).fetchHistory();
  return JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) => Buffer.from(data, 'base64').toString());
}
