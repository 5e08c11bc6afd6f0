/**
 * Merchants in TypeScript, Python and Go side by side on one stack with keys set: each pays, refunds, hears events and takes a
 * deposit, by its own program of examples/ and Temporal's SDK of its language.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import spei from '../../../examples/accounts/spei.json';
import card from '../../../examples/orders/credit-card.json';
import pix from '../../../examples/orders/pix.json';
import type { MerchantEvent } from '../../../src/contract';
import { APP, type Stack, startStack } from '../../../src/testing/stack';
import { eventually } from '../../cli/dev/processes';
import { key, setting } from '../../codec/support';
import { type EventReceiver, eventReceiver } from '../../harness/event-receiver';
import { goPrograms } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { pythonWith } from '../../harness/python';
import { problemsWith } from '../../harness/schemas';
import { ROOT } from '../../harness/terminal';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const KEYS = setting(key('all-of-us'));
const go = goPrograms();
const java = javaPrograms();
const PYTHON = join(ROOT, 'examples/python');
const REFUND = {
  refund_amount: '30.00',
  refund_currency: 'BRL',
  out_request_no: 'r-1',
  refund_reason: 'One ticket returned',
  user_info: { identify: { number: '71493180072', type: 'CPF' }, name: 'Mariana Souza Lima', email: 'm@example.com' },
  bank_info: { bank_name: 'Banco do Brasil', agency: '1234', type: 'CHECKING', number: '56789-0' },
};

type Json = Record<string, unknown>;
/** A merchant's program: it does a task, named as in examples/go/merchant, and gives the answer. */
type Merchant = (task: string, number: string, request?: Json) => Promise<Json>;
interface Receiver {
  url: string;
  events: () => MerchantEvent[];
  close(): Promise<void>;
}

let stack: Stack;
let python: string;
let typescript: EventReceiver;
let receivers: Record<string, Receiver>;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  python = await pythonWith(join(PYTHON, 'requirements.txt'));
  typescript = await eventReceiver(SECRET);
  receivers = {
    TypeScript: { ...typescript, events: () => typescript.received.map(({ event }) => event) },
    Python: await program(python, [join(PYTHON, 'events.py')]),
    ...('folder' in go ? { Go: await program(join(go.folder, 'events'), []) } : {}),
  };
  stack = await startStack({
    env: {
      PAYMENTS_ENCRYPTION_KEYS: KEYS,
      PAYMENTS_EVENTS_URL: Object.values(receivers)
        .map(({ url }) => url)
        .join(','),
      PAYMENTS_EVENTS_SECRETS: SECRET,
    },
  });
  env = {
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
});

afterAll(async () => {
  await stack?.close();
  for (const receiver of Object.values(receivers ?? {})) await receiver.close();
});

/** Starts a receiver of events: it prints its port, and then each event. */
async function program(file: string, args: string[]): Promise<Receiver> {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, PORT: '0', PAYMENTS_EVENTS_SECRETS: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: MerchantEvent[] = [];
  const lines = createInterface(child.stdout);
  const [first] = await once(lines, 'line');
  const { port } = z.object({ port: z.number() }).parse(JSON.parse(first));
  lines.on('line', (line) => events.push(JSON.parse(line)));
  return {
    url: `http://127.0.0.1:${port}/`,
    events: () => events,
    async close() {
      const ended = once(child, 'close');
      child.kill();
      await ended;
    },
  };
}

const merchantOf =
  (file: string, ...before: string[]): Merchant =>
  async (task, number, request = {}) => {
    const child: ChildProcessByStdio<Writable, Readable, null> = spawn(file, [...before, task, number], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify(request));
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await once(child, 'close');
    return z.record(z.string(), z.unknown()).parse(JSON.parse(printed));
  };

const typescriptMerchant: Merchant = async (task, number, request = {}) => {
  const { payments } = stack;
  const tasks: Record<string, () => Promise<unknown>> = {
    pay: () => payments.pay({ ...pix.request, ...request, out_trade_no: number }),
    outcome: () => payments.outcome(number),
    refund: () => payments.refund(number, { ...REFUND, ...request }),
    refunds: () => payments.refunds(number),
    'create-account': () => payments.accounts.create(spei, { key: number }),
    account: () => payments.accounts.get(number),
    banks: async () => ({ banks: await payments.banks({ method: 'BankTransfer', type: '1' }) }),
  };
  try {
    return z.record(z.string(), z.unknown()).parse(await tasks[task]?.());
  } catch (error) {
    const { type, message, details } = z
      .looseObject({ type: z.string(), message: z.string(), details: z.unknown() })
      .parse(error);
    return { error: type, message, details };
  }
};

const MERCHANTS: [string, (...given: Parameters<Merchant>) => Promise<Json>][] = [
  ['TypeScript', typescriptMerchant],
  ['Python', (...given) => merchantOf(python, join(__dirname, 'tasks.py'))(...given)],
  ...('folder' in go ? [['Go', merchantOf(join(go.folder, 'merchant'))] satisfies [string, Merchant]] : []),
];

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);

/** On a slow machine there may be no answer yet: then a merchant asks again, as the contract says. */
const untilAnswered =
  (ask: Merchant): Merchant =>
  async (...asked) => {
    for (;;) {
      const answer = await ask(...asked);
      if (answer.error !== 'PaymentPending') return answer;
    }
  };

describe.each(MERCHANTS)('a merchant in %s', (language, ask) => {
  const merchant = untilAnswered(ask);
  // Go’s gRPC sends the workflow id in a header, which takes ASCII alone.
  const number = `${language}-${language === 'Go' ? 'order' : 'pedido.ñ'}-${randomUUID()}`;
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

  test('seals a card’s token, which the worker opens and no history holds', async () => {
    const out_trade_no = `${number}-card`;
    const request = { ...card.request, out_trade_no, token: 'tok_canary' };
    expect(await merchant('pay', out_trade_no, request)).toMatchObject({ trade_no: expect.any(String) });
    const history = await stack.client.workflow.getHandle(`payment:${APP.app_id}:${out_trade_no}`).fetchHistory();
    const kept = JSON.stringify(history).replace(/"data":"([^"]*)"/g, (_, data) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(kept).not.toContain('tok_canary');
  });

  test('refunds a part, once, and never more than is left', async () => {
    expect(await merchant('refund', number, REFUND)).toMatchObject({ refund_amount: '30.00' });
    expect(await merchant('refund', number, REFUND)).toMatchObject({ refund_amount: '30.00' });
    const more = { ...REFUND, refund_amount: '120.01', out_request_no: 'r-2' };
    expect(await merchant('refund', number, more)).toMatchObject({ error: 'OverRefund', details: { left: '120.00' } });
    expect(await merchant('refunds', number)).toMatchObject({
      refunds: [{ out_request_no: 'r-1', refund_amount: '30.00' }],
    });
  });

  test('takes a deposit into a virtual account of its own', async () => {
    const customer = { ...spei.customer, buyer_id: number };
    const account = await merchant('create-account', number, { ...spei, customer });
    const { account_id } = z.object({ account_id: z.string() }).parse(account);
    await stack.simulator.deposit(account_id, { amount: '500.00' });
    await typescript.until(() => depositsOf(receivers.TypeScript, account_id) === 1);
    expect(await merchant('account', account_id)).toMatchObject({ deposits: { count: 1, total: { MXN: '500.00' } } });
  });

  test('asks for banks without a key of the gateway', async () => {
    const { banks } = await merchant('banks', number, { method: 'BankTransfer', type: '1' });
    expect(banks).toEqual(await stack.payments.banks({ method: 'BankTransfer', type: '1' }));
  });

  test('hears of all of it, in order, by a receiver of its own', async () => {
    const receiver = receivers[language];
    if (receiver === undefined) throw new Error(`${language} has no receiver.`);
    await typescript.until(() => statesOf(receivers.TypeScript, number).includes('REFUND_PROCESSING'));
    await eventually(
      'it has heard of the refund',
      async () => statesOf(receiver, number).includes('REFUND_PROCESSING'),
      100_000,
    );
    expect(statesOf(receiver, number).slice(0, 2)).toEqual(['PROCESSING', 'SUCCESS']);
  });
});

const statesOf = (receiver: Receiver | undefined, number: string) =>
  (receiver?.events() ?? []).flatMap((event) =>
    'payment' in event && event.payment.out_trade_no === number && event.transition ? [event.transition.to] : [],
  );
const depositsOf = (receiver: Receiver | undefined, account_id: string) =>
  (receiver?.events() ?? []).filter(
    (event) => 'account' in event && event.type === 'deposit' && event.account.account_id === account_id,
  ).length;

test('every event and every state that crossed the wire fits its published schema', async () => {
  const { events } = receivers.TypeScript ?? {};
  const heard = events?.() ?? [];
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
  const { stdout, stderr, status } = spawnSync('go', ['test', './...'], {
    cwd: join(ROOT, 'examples/go'),
    encoding: 'utf8',
  });
  expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
});

if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);
else {
  const { classpath } = java;
  describe('a merchant in Java, by the contract alone', () => {
    const merchant = untilAnswered(
      merchantOf('java', '-XX:TieredStopAtLevel=1', '-cp', classpath, 'payments.Merchant'),
    );
    const number = `Java-${randomUUID()}`;
    const order = { ...pix.request, out_trade_no: number };

    test('pays, waits for the outcome, refunds a part, and reads why more is refused', async () => {
      const data = await merchant('pay', number, order);
      expect(data).toMatchObject({ trade_no: expect.any(String), qr_code: expect.stringMatching(/^0002/) });
      await stack.simulator.pay(number);
      expect(await merchant('outcome', number)).toMatchObject({ outcome: 'SUCCESS', order_amount: '150.00' });
      expect(await merchant('refund', number, REFUND)).toMatchObject({ refund_amount: '30.00' });
      const more = { ...REFUND, refund_amount: '120.01', out_request_no: 'r-2' };
      expect(await merchant('refund', number, more)).toMatchObject({
        error: 'OverRefund',
        message: expect.stringContaining('120.00'),
        details: { left: '120.00' },
      });
    });

    test('encrypts and decrypts as the test vectors say', () => {
      const args = ['-cp', classpath, 'payments.Vectors', join(ROOT, 'vectors/encryption.json')];
      const { stdout, stderr, status } = spawnSync('java', args, { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      expect(Number(stdout)).toBeGreaterThan(1);
    });
  });
}
