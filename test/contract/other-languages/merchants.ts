/** The clients of every language, and receivers of events, as programs of their own: they share nothing but the contract. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import spei from '../../../examples/accounts/spei.json';
import checkout from '../../../examples/orders/checkout.json';
import pix from '../../../examples/orders/pix.json';
import {
  type Checkout,
  EventError,
  EventReader,
  isAccountFailure,
  isPaymentFailure,
  isSold,
  LookupError,
  type PaymentsClient,
} from '../../../src/client';
import type { MerchantEvent } from '../../../src/contract';
import type { Simulator } from '../../../src/simulator';
import { localServer } from '../../harness/local-server';

/** One call of a client, with what it needs. */
export interface Call {
  call: string;
  number?: string | undefined;
  order?: object | undefined;
  account?: object | undefined;
  refund?: { amount: string; out_request_no: string } | undefined;
  request?: { [field: string]: string } | undefined;
  state?: object | undefined;
  action?: string | undefined;
  amount?: string | undefined;
  secrets?: string | undefined;
  body?: string | undefined;
  headers?: Record<string, string> | undefined;
}

const said = z.object({ answer: z.unknown().optional(), error: z.looseObject({ type: z.string() }).optional() });
/** The answer to a call, or its failure. */
export type Said = z.output<typeof said>;
/** A merchant's backend in some language. */
export type Merchant = (call: Call) => Promise<Said>;

/** What a merchant hears. */
export interface Receiver {
  url: string;
  events: () => MerchantEvent[];
  close(): Promise<void>;
}

/** Starts a receiver of events: it prints its port, and then each event. */
export async function startReceiver(env: Record<string, string>, file: string, ...args: string[]): Promise<Receiver> {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
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

/**
 * One address for all receivers, which passes each event on as it came, with its signature: to `witness`, and to the language
 * whose name stands in it. Were each an address of the worker's, every event would be delivered to all of them.
 */
export async function relayTo(receivers: Record<string, Receiver>, witness: string): Promise<Omit<Receiver, 'events'>> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const heard = Object.entries(receivers).filter(
      ([language]) => language === witness || body.includes(`"${language}-`),
    );
    const passed = heard.map(([, { url }]) =>
      fetch(url, { method: 'POST', body, headers: z.record(z.string(), z.string()).parse(headers) }),
    );
    const statuses = await Promise.all(passed).then(
      (answers) => answers.map(({ status }) => status),
      () => [502],
    );
    response.writeHead(Math.max(...statuses)).end();
  });
  const { origin, close } = await localServer(server);
  return {
    url: `${origin}/`,
    close,
  };
}

export interface ResidentMerchant {
  merchant: Merchant;
  close(): Promise<void>;
}

/** A client whose program takes one call after the other, each a line: a Java or a Python needs a second of CPU to start. */
export function residentMerchant(env: NodeJS.ProcessEnv, file: string, ...args: string[]): ResidentMerchant {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  let before: Promise<unknown> = Promise.resolve();
  async function ask(call: Call): Promise<Said> {
    child.stdin.write(`${JSON.stringify(call)}\n`);
    for (;;) {
      const { value, done } = await answers.next();
      if (done) throw new Error(`The program ended, and was asked for ${JSON.stringify(call)}.`);
      // Temporal’s SDK for Python writes its own log between the answers.
      if (value.startsWith('{')) return said.parse(JSON.parse(value));
    }
  }
  return {
    merchant: (call) => {
      const answer = before.then(() => ask(call));
      before = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** A merchant with our client. The example before each order says its type, and JSON says the rest. */
export function typescriptMerchant(payments: PaymentsClient, simulator: Simulator): Merchant {
  const { accounts } = payments;
  const page: Checkout = { ...checkout.request, trade_type: 'WEB' };
  const calls: Record<string, (call: Call & { number: string }) => Promise<unknown>> = {
    pay: ({ order }) => payments.pay({ ...pix.request, ...order }),
    createCheckout: ({ order }) => payments.createCheckout({ ...page, ...order }),
    state: ({ number }) => payments.state(number),
    outcome: ({ number }) => payments.outcome(number),
    cancel: ({ number }) => payments.cancel(number),
    refund: ({ number, refund }) => payments.refund(number, refund),
    refunds: ({ number }) => payments.refunds(number),
    isSold: async ({ state }) => isSold(paymentState.parse(state)),
    banks: ({ request }) => payments.banks({ method: '', ...request }),
    installments: ({ request }) => payments.installments({ currency: '', amount: '', ...request }),
    walletToken: () => payments.walletToken(),
    'accounts.create': ({ account, number }) => accounts.create({ ...spei, ...account }, { key: number || null }),
    'accounts.get': ({ number }) => accounts.get(number),
    'accounts.cancel': ({ number }) => accounts.cancel(number),
    'accounts.recheck': ({ number }) => accounts.recheck(number),
    'accounts.quantity': () => accounts.quantity(),
    'simulator.act': async ({ number, action = '' }) => void (await simulator.act(number, tradeAction.parse(action))),
    'simulator.deposit': async ({ number, amount = '' }) => void (await simulator.deposit(number, { amount })),
    'events.read': async ({ secrets, body = '', headers = {} }) => new EventReader(secrets).read(body, headers),
  };
  return async ({ number = '', ...asked }) => {
    try {
      return { answer: await calls[asked.call]?.({ ...asked, number }) };
    } catch (error) {
      const isOurs = isPaymentFailure(error) || isAccountFailure(error) || error instanceof LookupError;
      if (!isOurs && !(error instanceof EventError)) throw error;
      const { type, message } = error;
      return { answer: undefined, error: { ...error, type, message } };
    }
  };
}

const paymentState = z.object({
  outcome: z.enum(['SUCCESS', 'CANCEL', 'REFUSED', 'EXPIRED']).nullable(),
  trade_status: z.string().nullable(),
  attention: z.enum(['late-payment']).nullable(),
  all_goes_back: z.boolean().optional(),
});

const tradeAction = z.enum(['pay', 'cancel', 'refuse', 'dispute', 'chargeback']);

/** What is pending so often never gets an answer. */
const MOST_TRIES = 10;

/** On a slow machine there may be no answer yet: then a merchant asks again, as the contract says. */
export const untilAnswered =
  (ask: Merchant): Merchant =>
  async (call) => {
    for (let tries = 1; ; tries += 1) {
      const given = await ask(call);
      if (given.error?.type !== 'PaymentPending' || tries === MOST_TRIES) return given;
    }
  };
