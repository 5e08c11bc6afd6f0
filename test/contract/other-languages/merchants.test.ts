/**
 * Merchants in TypeScript, Python, Go and Java side by side on one stack with keys set: each pays, refunds, hears events and
 * takes a deposit, with Temporal's SDK of its language and what examples/ has for it (TypeScript with `connectPayments`).
 */
import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import spei from '../../../examples/accounts/spei.json';
import checkout from '../../../examples/orders/checkout.json';
import card from '../../../examples/orders/credit-card.json';
import pix from '../../../examples/orders/pix.json';
import { type ConnectedPayments, connectPayments } from '../../../src/client';
import type { PaymentState } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { type EventReceiver, eventReceiver } from '../../harness/event-receiver';
import { eventually } from '../../harness/eventually';
import { goCommand, goPrograms } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { orderElsewhere } from '../../harness/orders';
import { pythonWith } from '../../harness/python';
import { problemsWith } from '../../harness/schemas';
import { ROOT } from '../../harness/terminal';
import {
  type Merchant,
  merchantOf,
  type Receiver,
  relayTo,
  residentMerchant,
  startReceiver,
  typescriptMerchant,
  untilAnswered,
} from './merchants';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const KEYS = setting(key('all-of-us'));
const go = goPrograms();
const java = javaPrograms();
const PYTHON = join(ROOT, 'examples/python');
const JAVA = 'options' in java ? java.options : [];
const REFUND = {
  refund_amount: '30.00',
  refund_currency: 'BRL',
  out_request_no: 'r-1',
  refund_reason: 'One ticket returned',
  user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
  bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
};

/** A program needs time to start where many run: far longer than any has taken. */
const HEARD_MS = 100_000;

const LANGUAGES = ['TypeScript', 'Python', ...('folder' in go ? ['Go'] : []), ...('options' in java ? ['Java'] : [])];

let stack: Stack;
let backend: ConnectedPayments;
let typescript: EventReceiver;
let receivers: Record<string, Receiver> = {};
let relay: Omit<Receiver, 'events'>;
let merchants: Record<string, Merchant>;
const closeMerchants: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const python = await pythonWith(join(PYTHON, 'requirements.txt'));
  typescript = await eventReceiver(SECRET);
  receivers = {
    TypeScript: { ...typescript, events: () => typescript.received.map(({ event }) => event) },
    Python: await startReceiver(SECRET, python, join(PYTHON, 'events.py')),
    ...('folder' in go ? { Go: await startReceiver(SECRET, join(go.folder, 'events')) } : {}),
    ...('options' in java ? { Java: await startReceiver(SECRET, 'java', ...JAVA, 'payments.Events') } : {}),
  };
  relay = await relayTo(receivers, 'TypeScript');
  stack = await startStack({
    env: {
      PAYMENTS_ENCRYPTION_KEYS: KEYS,
      PAYMENTS_EVENTS_URL: relay.url,
      PAYMENTS_EVENTS_SECRETS: SECRET,
      // Notifications tell what becomes of a trade.
      PAYMENTS_POLL_SCHEDULE: '1h',
      PAYMENTS_POLL_EVERY: '1h',
    },
  });
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PYTHONPATH: PYTHON,
    PYTHONDONTWRITEBYTECODE: '1',
    TEMPORAL_ADDRESS: stack.temporal.address,
    TEMPORAL_NAMESPACE: stack.temporal.namespace,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_ENCRYPTION_KEYS: KEYS,
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK),
  };
  backend = await connectPayments(env);
  merchants = {
    TypeScript: typescriptMerchant(backend.payments),
    Python: resident(env, python, join(__dirname, 'tasks.py')),
    ...('folder' in go ? { Go: merchantOf(env, join(go.folder, 'merchant')) } : {}),
    ...('options' in java ? { Java: resident(env, 'java', ...JAVA, 'payments.Tasks') } : {}),
  };
});

function resident(...started: Parameters<typeof residentMerchant>): Merchant {
  const { merchant, close } = residentMerchant(...started);
  closeMerchants.push(close);
  return merchant;
}

afterAll(async () => {
  for (const close of closeMerchants) await close();
  await backend?.close();
  await stack?.close();
  await relay?.close();
  for (const receiver of Object.values(receivers)) await receiver.close();
});

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);
if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);

function receiverOf(language: string): Receiver {
  const receiver = receivers[language];
  if (receiver === undefined) throw new Error(`${language} has no receiver.`);
  return receiver;
}

const merchantIn =
  (language: string): Merchant =>
  (...asked) => {
    const merchant = merchants[language];
    if (merchant === undefined) throw new Error(`${language} has no merchant.`);
    return untilAnswered(merchant)(...asked);
  };

const newAccount = (buyer_id: string) => ({ ...spei, customer: { ...spei.customer, buyer_id } });
const accountId = (account: object) => z.object({ account_id: z.string() }).parse(account).account_id;

describe.each(LANGUAGES)('a merchant in %s', (language) => {
  const merchant = merchantIn(language);
  // The gRPC of Go and Java sends the workflow id in a header, which takes ASCII alone.
  const number = `${language}-${['Go', 'Java'].includes(language) ? 'order' : 'pedido.ñ'}-${randomUUID()}`;
  const order = { ...pix.request, out_trade_no: number };

  test('pays, and gets the same answer for the same order, also when the payment is over', async () => {
    const data = await merchant('pay', number, order);
    expect(data).toMatchObject({ trade_no: expect.any(String), qr_code: expect.stringMatching(/^0002/) });
    await stack.simulator.pay(number);
    expect(await merchant('outcome', number)).toMatchObject({ outcome: 'SUCCESS', order_amount: '150.00' });
    expect(await merchant('pay', number, order)).toEqual(data);
    expect(stack.simulator.trades({ out_trade_no: number })).toHaveLength(1);
  });

  test('is told which fields differ, and which are wrong', async () => {
    expect(await merchant('pay', number, { ...order, subject: 'Something else' })).toMatchObject({
      error: 'DifferentRequest',
      details: { fields: ['subject'] },
    });
    const wrong = `${number}-wrong`;
    expect(await merchant('pay', wrong, { ...order, out_trade_no: wrong, order_amount: '0.00' })).toMatchObject({
      error: 'InvalidRequest',
      message: expect.stringContaining('order_amount'),
      details: { issues: [{ field: 'order_amount' }] },
    });
  });

  test('mends an order that was never sent, under its number', async () => {
    const mended = { ...order, out_trade_no: `${number}-wrong` };
    const data = await merchant('pay', mended.out_trade_no, mended);
    expect(data).toMatchObject({ qr_code: expect.stringMatching(/^0002/) });
    expect(await merchant('pay', mended.out_trade_no, mended)).toEqual(data);
    expect(stack.simulator.trades({ out_trade_no: mended.out_trade_no })).toHaveLength(1);
  });

  test('is not told that an order is paid which somebody else has made', async () => {
    const { workflow } = stack.client;
    const out_trade_no = `${number}-else`;
    const workflowId = `payment:${APP.app_id}:${out_trade_no}`;
    // A run without an order stands before the other's; the client for TypeScript would send no such order.
    const wrong = { kind: 'direct', app_id: APP.app_id, request: { ...order, out_trade_no, order_amount: '0.00' } };
    const refused = workflow.execute('payment', { workflowId, taskQueue: stack.taskQueue, args: [wrong] });
    await expect(refused).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
    await orderElsewhere(stack.simulator.url, { ...order, out_trade_no, notify_url: notifyUrl() });
    await stack.simulator.pay(out_trade_no);
    const isPaid = () =>
      workflow
        .getHandle(workflowId)
        .query<PaymentState>('state')
        .then(
          ({ outcome }) => outcome === 'SUCCESS',
          () => false,
        );
    await eventually('its notification came, and started a run of the same workflow id', isPaid, HEARD_MS);
    expect(await merchant('pay', out_trade_no, { ...order, out_trade_no })).toMatchObject({ error: 'DuplicateOrder' });
  });

  test('seals a card’s token, which the worker opens; nothing of the order is in clear in its history', async () => {
    const out_trade_no = `${number}-card`;
    const request = { ...card.request, out_trade_no, token: 'tok_canary' };
    expect(await merchant('pay', out_trade_no, request)).toMatchObject({ trade_no: expect.any(String) });
    const history = await stack.client.workflow.getHandle(`payment:${APP.app_id}:${out_trade_no}`).fetchHistory();
    const kept = JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const secret of ['tok_canary', card.request.customer.name, card.request.subject])
      expect([secret, kept.includes(secret)]).toEqual([secret, false]);
  });

  test('refunds a part, once, and never more than is left', async () => {
    expect(await merchant('refund', number, REFUND)).toMatchObject({ refund_amount: '30.00' });
    expect(await merchant('refund', number, REFUND)).toMatchObject({ refund_amount: '30.00' });
    const more = { ...REFUND, refund_amount: '120.01', out_request_no: 'r-2' };
    expect(await merchant('refund', number, more)).toMatchObject({
      error: 'OverRefund',
      message: expect.stringContaining('120.00'),
      details: { left: '120.00' },
    });
    expect(await merchant('refunds', number)).toMatchObject({
      refunds: [{ out_request_no: 'r-1', refund_amount: '30.00' }],
    });
  });

  test('mends an order whose broken start is just failing, at once', async () => {
    const out_trade_no = `${number}-broken`;
    const workflowId = `payment:${APP.app_id}:${out_trade_no}`;
    const broken = { kind: 'direct', app_id: APP.app_id, request: { out_trade_no } };
    await stack.client.workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args: [broken] });
    expect(await merchant('pay', out_trade_no, { ...order, out_trade_no })).toMatchObject({
      qr_code: expect.stringMatching(/^0002/),
    });
    expect(stack.simulator.trades({ out_trade_no })).toHaveLength(1);
  });

  test('is told NotFound where Temporal knows nothing under a number', async () => {
    for (const task of ['state', 'outcome', 'refunds', 'account'])
      expect([task, await merchant(task, `${number}-nowhere`)]).toMatchObject([task, { error: 'NotFound' }]);
  });

  test('is told NotFound for a refund of an order that nobody has, and the gateway is asked once', async () => {
    const out_trade_no = `${number}-unsold`;
    expect(await merchant('refund', out_trade_no, REFUND)).toMatchObject({ error: 'NotFound' });
    expect(stack.simulator.requests({ out_trade_no, path: '/trade/query' })).toHaveLength(1);
  });

  test('takes a deposit into a virtual account of its own, and hears of it', async () => {
    const account_id = accountId(await merchant('create-account', number, newAccount(number)));
    expect(accountId(await merchant('create-account', number, newAccount(number)))).toBe(account_id);
    await stack.simulator.deposit(account_id, { amount: '500.00' });
    const receiver = receiverOf(language);
    await eventually('it hears of the deposit', () => depositsOf(receiver, account_id).length > 0, HEARD_MS);
    expect(depositsOf(receiver, account_id)).toMatchObject([{ deposit: { amount: '500.00', currency: 'MXN' } }]);
    expect(await merchant('account', account_id)).toMatchObject({ deposits: { count: 1, total: { MXN: '500.00' } } });
  });

  test('asks for banks without a key of the gateway', async () => {
    const { banks } = await merchant('banks', number, { method: 'BankTransfer', type: '1' });
    expect(banks).toEqual(await stack.payments.banks({ method: 'BankTransfer', type: '1' }));
  });

  test('hears of its payment and of the refund, in order, by a receiver of its own', async () => {
    const receiver = receiverOf(language);
    await eventually(
      'it has heard of the refund',
      () => statesOf(receiver, number).includes('REFUND_PROCESSING'),
      HEARD_MS,
    );
    expect(statesOf(receiver, number).slice(0, 2)).toEqual(['PROCESSING', 'SUCCESS']);
  });
});

('folder' in go ? test : test.skip)(
  'a merchant in Go opens a checkout by its file, asks again, and has a wallet’s token',
  async () => {
    const merchant = merchantIn('Go');
    const out_trade_no = `go-checkout-${randomUUID()}`;
    const file = { kind: 'checkout', request: { ...checkout.request, out_trade_no } };
    expect(await merchant('pay', '', file)).toMatchObject({ web_url: expect.stringMatching(/^http/) });
    expect(await merchant('recheck', out_trade_no)).toMatchObject({ out_trade_no, outcome: null });
    expect(await merchant('wallet-token', '')).toEqual({ client_token: expect.stringMatching(/./) });
  },
);

describe('merchants of every language at the same moment', () => {
  const all = (task: string, number: string, request: object) =>
    Promise.all(LANGUAGES.map((language) => merchantIn(language)(task, number, { ...request })));

  test('get one answer for one order, which is charged once', async () => {
    const out_trade_no = `all-${randomUUID()}`;
    const [first, ...others] = await all('pay', out_trade_no, { ...pix.request, out_trade_no });
    const { trade_no, qr_code } = z.object({ trade_no: z.string(), qr_code: z.string() }).parse(first);
    for (const other of others) expect(other).toMatchObject({ trade_no, qr_code });
    expect(stack.simulator.trades({ out_trade_no })).toHaveLength(1);

    await stack.simulator.pay(out_trade_no);
    for (const state of await all('outcome', out_trade_no, {})) expect(state).toMatchObject({ outcome: 'SUCCESS' });
    for (const refund of await all('refund', out_trade_no, REFUND))
      expect(refund).toMatchObject({ refund_amount: '30.00' });
    expect(stack.simulator.requests({ out_trade_no, path: '/trade/refund' })).toHaveLength(1);
  });

  test('get one virtual account for one key', async () => {
    const buyer = `all-${randomUUID()}`;
    const accounts = await all('create-account', buyer, newAccount(buyer));
    expect(new Set(accounts.map(accountId)).size).toBe(1);
  });
});

const notifyUrl = () => `${stack.webhookUrl}/ipn/${APP.app_id}`;
const statesOf = (receiver: Receiver, number: string) =>
  receiver
    .events()
    .flatMap((event) =>
      event.type === 'transition' && event.payment.out_trade_no === number ? [event.transition.to] : [],
    );
const depositsOf = (receiver: Receiver, account_id: string) =>
  receiver
    .events()
    .filter((event) => 'account' in event && event.type === 'deposit' && event.account.account_id === account_id);

test('every event and every state that crossed the wire fits its published schema', async () => {
  const heard = receiverOf('TypeScript').events();
  expect(heard.length).toBeGreaterThan(10);
  for (const event of heard) {
    const type = 'account' in event ? 'AccountEvent' : 'PaymentEvent';
    expect([event.id, problemsWith(type, event)]).toEqual([event.id, null]);
  }
  const [number = ''] = heard.flatMap((event) => ('payment' in event ? [event.payment.out_trade_no ?? ''] : []));
  expect(problemsWith('PaymentState', await stack.payments.state(number))).toBeNull();
  expect(problemsWith('AfterSaleState', await stack.payments.refunds(number))).toBeNull();
});

('folder' in go ? test : test.skip)('Go’s own tests pass: the vectors of encryption and sealing', () => {
  // To vet them, Go vets all that they import: 10 s of CPU.
  const vet = process.env.GO_VET === 'on' ? [] : ['-vet=off'];
  const { stdout, stderr, status } = goCommand('test', ...vet, './...');
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
});

('options' in java ? test : test.skip)('Java encrypts and seals as the test vectors say', () => {
  const args = [...JAVA, 'payments.Vectors', join(ROOT, 'vectors')];
  const { stdout, stderr, status } = spawnSync('java', args, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({ encryption: 2, sealing: 2 });
});
