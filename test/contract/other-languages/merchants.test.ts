/**
 * The clients for TypeScript, Python, Go and Java side by side on one stack with keys set: each runs the cases of
 * clients/cases.json, and what needs more than a client can see.
 */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import spei from '../../../examples/accounts/spei.json';
import card from '../../../examples/orders/credit-card.json';
import pix from '../../../examples/orders/pix.json';
import wallet from '../../../examples/orders/wallet-card-number.json';
import { type ConnectedPayments, connectPayments } from '../../../src/client';
import type { PaymentState } from '../../../src/contract';
import { collect } from '../../../src/temporal/workflow-list';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { key, setting } from '../../codec/support';
import { busyTemporal } from '../../harness/busy-temporal';
import { type EventReceiver, eventReceiver } from '../../harness/event-receiver';
import { eventually } from '../../harness/eventually';
import { templateProgram } from '../../harness/example-program';
import { GO_FOLDER, goPrograms, QUICK_GO } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { orderElsewhere } from '../../harness/orders';
import { pythonWith } from '../../harness/python';
import { forget } from '../../harness/runs';
import { problemsWith, propertiesOf } from '../../harness/schemas';
import { ROOT } from '../../harness/terminal';
import { CASES, isPending, play } from './cases';
import {
  type Call,
  type Merchant,
  type Receiver,
  relayTo,
  residentMerchant,
  startReceiver,
  typescriptMerchant,
  untilAnswered,
} from './merchants';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const SECRETS = { old: newSecret(), new: newSecret(), stranger: newSecret() };
const KEYS = setting(key('all-of-us'));
const go = goPrograms();
const java = javaPrograms();
const PYTHON = join(ROOT, 'clients/python');
const JAVA = 'options' in java ? java.options : [];

/** A program needs time to start where many run: far longer than any has taken. */
const HEARD_MS = 100_000;

const OTHERS = ['Python', ...('folder' in go ? ['Go'] : []), ...('options' in java ? ['Java'] : [])];
const LANGUAGES = ['TypeScript', ...OTHERS];

let stack: Stack;
let backend: ConnectedPayments;
let typescript: EventReceiver;
let python: string;
let env: Record<string, string>;
let receivers: Record<string, Receiver> = {};
let relay: Omit<Receiver, 'events'>;
let merchants: Record<string, Merchant>;
const closeMerchants: (() => Promise<void>)[] = [];

beforeAll(async () => {
  python = await pythonWith(join(PYTHON, 'requirements.txt'));
  typescript = await eventReceiver(SECRETS.old);
  const events = { PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1', PAYMENTS_EVENTS_SECRETS: SECRETS.old };
  receivers = {
    TypeScript: { ...typescript, events: () => typescript.received.map(({ event }) => event) },
    Python: await startReceiver(events, python, join(PYTHON, 'examples/events.py')),
    ...('folder' in go ? { Go: await startReceiver(events, join(go.folder, 'events')) } : {}),
    ...('options' in java ? { Java: await startReceiver(events, 'java', ...JAVA, 'Events') } : {}),
  };
  relay = await relayTo(receivers, 'TypeScript');
  stack = await startStack({
    env: {
      PAYMENTS_ENCRYPTION_KEYS: KEYS,
      PAYMENTS_EVENTS_URL: relay.url,
      PAYMENTS_EVENTS_SECRETS: SECRETS.old,
      // Notifications tell what becomes of a trade.
      PAYMENTS_POLL_SCHEDULE: '1h',
      PAYMENTS_POLL_EVERY: '1h',
    },
  });
  env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    PYTHONPATH: PYTHON,
    PYTHONDONTWRITEBYTECODE: '1',
    TEMPORAL_ADDRESS: stack.temporal.address,
    TEMPORAL_NAMESPACE: stack.temporal.namespace ?? 'default',
    GATEWAY_BASE_URL: stack.simulator.url,
    PAYMENTS_TASK_QUEUE: stack.taskQueue,
    GATEWAY_APP_ID: APP.app_id,
    PAYMENTS_ENCRYPTION_KEYS: KEYS,
    PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(stack.config.PAYMENTS_SEALING_PUBLIC_JWK),
  };
  const shop = await startReceiver(
    { ...env, ...events },
    process.execPath,
    await templateProgram(shopFolder, 'express'),
  );
  receivers.Shop = { ...shop, url: `${shop.url}events` };
  backend = await connectPayments(env);
  merchants = {
    TypeScript: typescriptMerchant(backend.payments, stack.simulator),
    Python: resident(env, python, join(PYTHON, 'tests/cases.py')),
    ...('folder' in go ? { Go: resident(env, join(go.folder, 'cases')) } : {}),
    ...('options' in java ? { Java: resident(env, 'java', ...JAVA, 'payments.Cases') } : {}),
  };
});

const shopFolder = mkdtempSync(join(tmpdir(), 'shop-'));

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
  rmSync(shopFolder, { recursive: true });
});

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);
if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);

function receiverOf(language: string): Receiver {
  const receiver = receivers[language];
  if (receiver === undefined) throw new Error(`${language} has no receiver.`);
  return receiver;
}

function merchantIn(language: string): Merchant {
  return (call) => {
    const merchant = merchants[language];
    if (merchant === undefined) throw new Error(`${language} has no client.`);
    return merchant(call);
  };
}

const newAccount = (buyer_id: string) => ({ ...spei, customer: { ...spei.customer, buyer_id } });
const accountId = (account: unknown) => z.object({ account_id: z.string() }).parse(account).account_id;

/** The gRPC of Go and Java sends the workflow id in a header, which takes ASCII alone. */
const numberIn = (language: string) =>
  `${language}-${['Go', 'Java'].includes(language) ? 'order' : 'pedido.ñ'}-${randomUUID().slice(0, 13)}`;

type Case = (typeof CASES)[number];

function playIn(language: string, steps: Case['steps']): Promise<void> {
  const number = numberIn(language);
  return play(steps, {
    ...{ merchant: merchantIn(language), number, account: newAccount(number), secrets: SECRETS },
    requests: (path, out_trade_no) => stack.simulator.requests({ out_trade_no, path }).length,
    forget: (workflowId) => forget(stack.client, workflowId),
  });
}

/** Temporal takes half a minute to forget, and a payment as long until it says that it is pending: all wait for it at once. */
const isLong = ({ steps }: Case) => steps.some((step) => 'forgets' in step || isPending(step));

test.each(CASES.filter(isLong))('a merchant in every language $title', async ({ steps }) => {
  await Promise.all(LANGUAGES.map((language) => playIn(language, steps)));
});

/** Whether the answer is that the number’s run is just ending. */
const isClosing = (answer: unknown) =>
  typeof answer === 'object' && answer !== null && Reflect.get(answer, 'because') === 'Closing';

describe.each(LANGUAGES)('a merchant in %s', (language) => {
  const merchant = merchantIn(language);

  test.each(CASES.filter((one) => !isLong(one)))('$title', ({ steps }) => playIn(language, steps));

  const ask = async (call: Call) => {
    const { answer, error } = await untilAnswered(merchant)(call);
    return error ?? answer;
  };

  /** Two ways in which a run of the order ends without an order. The client for TypeScript would send no order without an amount. */
  const WITHOUT_ORDER: [string, (order: object, workflowId: string) => Promise<void>][] = [
    [
      'was refused at its start',
      async (order, workflowId) => {
        const wrong = { kind: 'direct', app_id: APP.app_id, request: { ...order, order_amount: '0.00' } };
        const args = [wrong];
        const refused = stack.client.workflow.execute('payment', { workflowId, taskQueue: stack.taskQueue, args });
        await expect(refused).rejects.toMatchObject({ cause: { type: 'InvalidRequest' } });
      },
    ],
    [
      'was ended while no worker ran',
      async (order, workflowId) => {
        const args = [{ kind: 'direct', app_id: APP.app_id, request: order }];
        const run = await stack.client.workflow.start('payment', { workflowId, taskQueue: 'nobody', args });
        await run.terminate('no worker runs');
      },
    ],
  ];

  test.each(WITHOUT_ORDER)(
    'is not told that its order is paid which %s, and somebody else has made',
    async (_, end) => {
      const out_trade_no = numberIn(language);
      const workflowId = `payment:${APP.app_id}:${out_trade_no}`;
      const order = { ...pix.request, out_trade_no };
      await end(order, workflowId);
      const notify_url = `${stack.webhookUrl}/ipn/${APP.app_id}`;
      await orderElsewhere(stack.simulator.url, { ...order, notify_url });
      await stack.simulator.pay(out_trade_no);
      const run = stack.client.workflow.getHandle(workflowId);
      const isPaid = () =>
        run.query<PaymentState>('state').then(
          ({ outcome }) => outcome === 'SUCCESS',
          () => false,
        );
      await eventually('its notification came, and started a run of the same workflow id', isPaid, HEARD_MS);
      // Once that run is over, the client itself reads which run may have made the order.
      await run.result();
      expect(await ask({ call: 'pay', order })).toMatchObject({ type: 'DuplicateOrder' });
    },
  );

  test('is answered for its order that a run may have made which gave way to what was notified', async () => {
    const { workflow } = stack.client;
    const out_trade_no = numberIn(language);
    const workflowId = `payment:${APP.app_id}:${out_trade_no}`;
    const order = { ...pix.request, out_trade_no };
    await orderElsewhere(stack.simulator.url, { ...order, notify_url: `${stack.webhookUrl}/ipn/${APP.app_id}` });
    const gaveWay = { kind: 'adopt', app_id: APP.app_id, out_trade_no, may_be: { kind: 'direct', request: order } };
    const adopted = await workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args: [gaveWay] });
    await stack.simulator.pay(out_trade_no);
    await adopted.result();
    expect(await ask({ call: 'pay', order })).toMatchObject({ out_trade_no, trade_status: 'SUCCESS' });
    const another = await ask({ call: 'pay', order: { ...order, subject: 'Something else' } });
    expect(another).toMatchObject({ type: 'DifferentRequest', fields: ['subject'] });
    // Who ends that run and starts another by hand unsays nothing.
    const again = { ...gaveWay, may_be: undefined };
    await workflow.execute('payment', {
      ...{ workflowId, taskQueue: stack.taskQueue, args: [again] },
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    expect(await ask({ call: 'pay', order })).toMatchObject({ out_trade_no, trade_status: 'SUCCESS' });
  });

  test('has an account for each buyer where it names no key', async () => {
    const buyers = [`${language}-one`, `${language}-two`, `${language}-one`];
    const accounts: string[] = [];
    for (const buyer of buyers)
      accounts.push(accountId(await ask({ call: 'accounts.create', account: newAccount(buyer) })));
    const [one, two, again] = accounts;
    expect(two).not.toBe(one);
    expect(again).toBe(one);
  });

  // Go’s type has a text there.
  (language === 'Go' ? test.skip : test)('sends no PIN that is a number: it could not be sealed', async () => {
    const out_trade_no = numberIn(language);
    const order = { ...wallet.request, out_trade_no, account_verification_code: 1234 };
    expect(await ask({ call: 'pay', order })).toMatchObject({
      ...{ type: 'InvalidRequest', issues: [{ field: 'account_verification_code' }] },
    });
    const started = stack.client.workflow.getHandle(`payment:${APP.app_id}:${out_trade_no}`).describe();
    await expect(started).rejects.toThrow(WorkflowNotFoundError);
  });

  test('leaves nothing of a card order in clear in its history', async () => {
    const out_trade_no = numberIn(language);
    const order = { ...card.request, out_trade_no, token: 'tok_canary' };
    expect(await ask({ call: 'pay', order })).toMatchObject({ trade_no: expect.any(String) });
    const history = await stack.client.workflow.getHandle(`payment:${APP.app_id}:${out_trade_no}`).fetchHistory();
    const kept = JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) =>
      Buffer.from(data, 'base64').toString(),
    );
    for (const secret of ['tok_canary', card.request.customer.name, card.request.subject])
      expect([secret, kept.includes(secret)]).toEqual([secret, false]);
  });

  test('mends an order whose broken start is just failing, at once', async () => {
    const out_trade_no = numberIn(language);
    const workflowId = `payment:${APP.app_id}:${out_trade_no}`;
    const broken = { kind: 'direct', app_id: APP.app_id, request: { out_trade_no } };
    await stack.client.workflow.start('payment', { workflowId, taskQueue: stack.taskQueue, args: [broken] });
    const order = { ...pix.request, out_trade_no };
    // A busy server may end the broken run later than one call waits: then the merchant is told to ask again.
    let paid = await ask({ call: 'pay', order });
    while (isClosing(paid)) paid = await ask({ call: 'pay', order });
    expect(paid).toMatchObject({ qr_code: expect.stringMatching(/^0002/) });
    expect(stack.simulator.trades({ out_trade_no })).toHaveLength(1);
  });

  test('has the gateway asked once for a refund of an order that nobody has', async () => {
    const number = numberIn(language);
    expect(await ask({ call: 'refund', number })).toMatchObject({ type: 'NotFound' });
    expect(stack.simulator.requests({ out_trade_no: number, path: '/trade/query' })).toHaveLength(1);
  });

  test('hears of its payment, its refund and a deposit, in order, by a receiver of its own', async () => {
    const number = numberIn(language);
    const customer = { ...card.request.customer };
    await ask({ call: 'pay', order: { ...pix.request, customer, out_trade_no: number } });
    await ask({ call: 'simulator.act', number, action: 'pay' });
    await ask({ call: 'outcome', number });
    await ask({ call: 'refund', number, refund: { amount: '30.00', out_request_no: 'r-1' } });
    const account_id = accountId(await ask({ call: 'accounts.create', number, account: newAccount(number) }));
    await ask({ call: 'simulator.deposit', number: account_id, amount: '500.00' });

    const receiver = receiverOf(language);
    const isHeard = () => statesOf(receiver, number).length > 2 && depositsOf(receiver, account_id).length > 0;
    await eventually('it has heard of the refund and the deposit', isHeard, HEARD_MS);
    expect(statesOf(receiver, number)).toEqual(['PROCESSING', 'SUCCESS', expect.stringMatching(/^REFUND_/)]);
    expect(depositsOf(receiver, account_id)).toMatchObject([{ deposit: { amount: '500.00', currency: 'MXN' } }]);
  });
});

describe('merchants of every language at the same moment', () => {
  const all = (call: Call) =>
    Promise.all(
      LANGUAGES.map(async (language) => {
        const { answer, error } = await untilAnswered(merchantIn(language))(call);
        return error ?? answer;
      }),
    );

  test('get one answer for one order, which is charged and refunded once', async () => {
    const number = `all-${randomUUID()}`;
    const order = { ...pix.request, customer: { ...card.request.customer }, out_trade_no: number };
    const [first, ...others] = await all({ call: 'pay', order });
    const { trade_no, qr_code } = z.object({ trade_no: z.string(), qr_code: z.string() }).parse(first);
    for (const other of others) expect(other).toMatchObject({ trade_no, qr_code });
    expect(stack.simulator.trades({ out_trade_no: number })).toHaveLength(1);

    await stack.simulator.pay(number);
    for (const state of await all({ call: 'outcome', number })) expect(state).toMatchObject({ outcome: 'SUCCESS' });
    for (const refund of await all({ call: 'refund', number }))
      expect(refund).toMatchObject({ refund_amount: '150.00' });
    expect(stack.simulator.requests({ out_trade_no: number, path: '/trade/refund' })).toHaveLength(1);
  });

  test('get one virtual account for one key', async () => {
    const number = `all-${randomUUID()}`;
    const accounts = await all({ call: 'accounts.create', number, account: newAccount(number) });
    expect(new Set(accounts.map(accountId)).size).toBe(1);
  });
});

test.each<[string, Record<string, string>, object]>([
  [
    'other keys than the worker is told that there is no answer yet',
    { PAYMENTS_ENCRYPTION_KEYS: setting(key('another')) },
    { type: 'PaymentPending', message: expect.stringContaining('has it the same keys as this process?') },
  ],
  [
    'no keys is told that clear text is refused',
    { PAYMENTS_ENCRYPTION_KEYS: '', PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' },
    { type: 'InvalidRequest', message: expect.stringMatching(/in clear text.*PAYMENTS_ENCRYPTION_KEYS/) },
  ],
])('a merchant in Python with %s, and its order is not sent', async (_, keys, told) => {
  const out_trade_no = numberIn('Python');
  const stranger = resident({ ...env, ...keys }, python, join(PYTHON, 'tests/cases.py'));
  const { error } = await stranger({ call: 'pay', order: { ...pix.request, out_trade_no } });
  expect(error).toMatchObject(told);
  expect(stack.simulator.requests({ out_trade_no })).toEqual([]);
});

/** The client of another language, with a setting of its own. */
function strangerIn(language: string, own: Record<string, string>): Merchant {
  const settings = { ...env, ...own };
  if (language === 'Python') return resident(settings, python, join(PYTHON, 'tests/cases.py'));
  if (language === 'Go' && 'folder' in go) return resident(settings, join(go.folder, 'cases'));
  return resident(settings, 'java', ...JAVA, 'payments.Cases');
}

/** To call it pending, or to say that there is no such order, would hide the mistake; and a merchant would sell anew. */
test.each(OTHERS)('a merchant in %s whose namespace is mistyped is told that by Temporal', async (language) => {
  const merchant = strangerIn(language, { TEMPORAL_NAMESPACE: 'mistyped' });
  const number = numberIn(language);
  const calls = ['pay', 'refund', 'state', 'outcome', 'cancel'];
  for (const call of calls) {
    const said = await merchant({ call, number, order: { ...pix.request, out_trade_no: number } });
    expect([call, said]).toEqual([call, { error: { type: 'Temporal', message: expect.stringContaining('mistyped') } }]);
  }
});

test.each([
  ['takes no more calls', 'RESOURCE_EXHAUSTED'],
  ['restarts', 'UNAVAILABLE'],
] as const)('a merchant in any language is told that a payment is pending while Temporal %s', async (_, code) => {
  const busy = await busyTemporal(code);
  try {
    const told = await Promise.all(
      OTHERS.map((language) => {
        const number = numberIn(language);
        const merchant = strangerIn(language, { TEMPORAL_ADDRESS: busy.address });
        return merchant({ call: 'pay', number, order: { ...pix.request, out_trade_no: number } });
      }),
    );
    const isToldPending = { error: expect.objectContaining({ type: 'PaymentPending', retryable: true }) };
    expect(told).toEqual(OTHERS.map(() => isToldPending));
  } finally {
    busy.close();
  }
});

test('a question of a merchant in any language lives no longer than somebody may wait for its answer', async () => {
  for (const [i, language] of LANGUAGES.entries()) {
    const request = { currency: 'BRL', amount: `30${i}.00` };
    expect(await merchantIn(language)({ call: 'installments', request })).not.toHaveProperty('error');
  }
  const asked = () => collect(stack.client.workflow.list({ query: "WorkflowType = 'installments'" }));
  await eventually('the list has them', async () => (await asked()).length >= LANGUAGES.length);
  for (const { workflowId } of await asked()) {
    const { events } = await stack.client.workflow.getHandle(workflowId).fetchHistory();
    const lives = events?.[0]?.workflowExecutionStartedEventAttributes?.workflowExecutionTimeout?.seconds;
    expect([workflowId, Number(lives) > 0 && Number(lives) <= 60]).toEqual([workflowId, true]);
  }
});

test('the shop of the guide, from its template, sells, hears that it is paid, and gives a part back', async () => {
  const number = `Shop-${randomUUID()}`;
  const ask = async (path: string, body?: object) => {
    const post = body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    };
    const response = await fetch(new URL(path, receiverOf('Shop').url), post);
    return z.record(z.string(), z.unknown()).parse(await response.json());
  };
  const shows = async (order: object) => JSON.stringify((await ask('/orders'))[number]) === JSON.stringify(order);
  const sold = await ask('/orders', { number });
  expect(sold).toEqual({ pay_url: expect.stringMatching(/^http/), qr_code: expect.stringMatching(/^0002/) });
  expect(await shows({ status: 'open', refunded: '0.00' })).toBe(true);
  await stack.simulator.pay(number);
  const isPaid = () => shows({ status: 'deliver', refunded: '0.00' });
  await eventually('the shop has heard of it', isPaid, HEARD_MS);
  expect(await ask('/refunds', { number, amount: '30.00' })).toMatchObject({ refund_amount: '30.00' });
  expect(await ask('/refunds', { number, amount: '120.01' })).toMatchObject({ type: 'OverRefund', left: '120.00' });
  expect(await ask('/refunds', { number, amount: 30 })).toEqual({ message: expect.stringContaining('at amount') });
  expect((await fetch(receiverOf('Shop').url, { method: 'POST', body: '{}' })).status).toBe(401);
});

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
  const [number = ''] = heard.flatMap((event) =>
    'after_sale' in event && event.after_sale ? [event.payment.out_trade_no ?? ''] : [],
  );
  expect(problemsWith('PaymentState', await stack.payments.state(number))).toBeNull();
  expect(problemsWith('AfterSaleState', await stack.payments.refunds(number))).toBeNull();
});

/** The types that each client has, and where the schemas have them. */
const TYPES = {
  PaymentState: propertiesOf('PaymentState'),
  Transition: propertiesOf('PaymentState', 'history', '[]'),
  OtherTrade: propertiesOf('PaymentState', 'other_trades', '[]'),
  LatePaymentRefund: propertiesOf('PaymentState', 'late_payment_refund'),
  OtherAmount: propertiesOf('PaymentState', 'mismatch'),
  AfterSaleState: propertiesOf('AfterSaleState'),
  Refund: propertiesOf('AfterSaleState', 'refunds', '[]'),
  SpeiAccountData: propertiesOf('SpeiAccountState', 'account'),
  SpeiAccountState: propertiesOf('SpeiAccountState'),
  Deposits: propertiesOf('SpeiAccountState', 'deposits'),
  Deposit: propertiesOf('SpeiAccountState', 'deposits', 'latest', '[]'),
  SetAsideDeposit: propertiesOf('SpeiAccountState', 'deposits', 'set_aside', '[]'),
  UnseenEntry: propertiesOf('SpeiAccountState', 'unseen', '[]'),
  UnseenDeposit: propertiesOf('SpeiAccountState', 'unseen', '[]', 'deposit'),
  SpeiAccountQuantityState: propertiesOf('SpeiAccountQuantityState'),
  Bank: propertiesOf('BankListAnswer', 'banks', '[]'),
  InstallmentPlan: propertiesOf('InstallmentsAnswer', 'plans', '[]'),
  SaleInEvent: propertiesOf('PaymentEvent', 'after_sale'),
  Swept: propertiesOf('SweepEvent', 'sweep'),
  StuckPayment: propertiesOf('SweepEvent', 'sweep', 'some', '[]'),
};

test.each(OTHERS)('the types of %s have every field of the schemas, and no other', async (language) => {
  const { answer } = await merchantIn(language)({ call: 'types' });
  const types = z.record(z.string(), z.array(z.string())).parse(answer);
  const own = Object.fromEntries(Object.keys(TYPES).map((name) => [name, types[name]?.toSorted()]));
  expect(own).toEqual(TYPES);
});

/** Not at once, as `spawnSync` would: the worker, the webhook and the gateway that it needs run in this process. */
function ended(file: string, args: string[], of: NodeJS.ProcessEnv, cwd?: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { env: of, cwd, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}

interface Ended {
  code: string | number | null | undefined;
  stdout: string;
  stderr: string;
}

const said = ({ code, stdout, stderr }: Ended) => [code, code === 0 ? '' : stdout + stderr];

/** Each starts a compiler or an installer, and a shop that the guide's covers: `npm run test:full`. */
const whole = process.env.CLIENTS_TESTS === 'own' ? test : test.skip;

whole('Python’s package installs from a clone with its types, and a shop’s tests pass with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'python-'));
  try {
    // pip writes beside what it builds.
    cpSync(PYTHON, join(folder, 'source'), { recursive: true, filter: (file) => !/\.venv|egg-info|build$/.test(file) });
    const target = join(folder, 'installed');
    const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target, join(folder, 'source')];
    expect(said(await ended(python, install, process.env))).toEqual([0, '']);
    expect(existsSync(join(target, 'payment_gateway/py.typed'))).toBe(true);
    const tests = await ended(
      python,
      ['-m', 'unittest', 'test_client', 'test_shop'],
      { ...env, PYTHONPATH: target },
      join(PYTHON, 'tests'),
    );
    expect([tests.code, tests.stderr]).toEqual([0, expect.stringMatching(/Ran 7 tests[\s\S]*\nOK\n$/)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

('folder' in go ? whole : test.skip)('Go’s own tests pass: the vectors, and a shop’s', async () => {
  // To vet them, Go vets all that they import: 10 s of CPU.
  const vet = process.env.GO_VET === 'on' ? [] : ['-vet=off'];
  const args = ['test', ...QUICK_GO, ...vet, '-count=1', '-v', './...'];
  const tests = await ended('go', args, { ...process.env, ...env }, GO_FOLDER);
  expect(said(tests)).toEqual([0, '']);
  expect(tests.stdout.match(/^--- PASS/gm)).toHaveLength(10);
});

('options' in java ? whole : test.skip)('Java’s own tests pass: the vectors, and a shop’s', async () => {
  const vectors = await ended('java', [...JAVA, 'payments.Vectors', join(ROOT, 'vectors')], env);
  expect(vectors).toEqual({ code: 0, stdout: '{"encryption":2,"sealing":2}\n', stderr: '' });
  const shop = await ended('java', [...JAVA, 'payments.Shop'], env);
  expect(shop).toEqual({ code: 0, stdout: '3 tests passed\n', stderr: '' });
});
