/** Merchants, and receivers of events, as programs of their own: with us they share nothing but the contract. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import spei from '../../../examples/accounts/spei.json';
import pix from '../../../examples/orders/pix.json';
import type { PaymentsClient } from '../../../src/client';
import type { MerchantEvent } from '../../../src/contract';

export type Json = Record<string, unknown>;
/** A merchant's backend: it does a task, named as in examples/go/merchant, and gives the answer. */
export type Merchant = (task: string, number: string, request?: Json) => Promise<Json>;

/** What a merchant hears. */
export interface Receiver {
  url: string;
  events: () => MerchantEvent[];
  close(): Promise<void>;
}

/** Starts a receiver of events: it prints its port, and then each event. */
export async function startReceiver(secret: string, file: string, ...args: string[]): Promise<Receiver> {
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, PORT: '0', PAYMENTS_EVENTS_SECRETS: secret },
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface ResidentMerchant {
  merchant: Merchant;
  close(): Promise<void>;
}

/** A merchant that takes one task after the other, each a line: a Java or a Python needs a second of CPU to start. */
export function residentMerchant(env: NodeJS.ProcessEnv, file: string, ...args: string[]): ResidentMerchant {
  const child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  let before: Promise<unknown> = Promise.resolve();
  async function ask(...[task, number, request = {}]: Parameters<Merchant>): Promise<Json> {
    child.stdin.write(`${JSON.stringify({ task, number, request })}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error(`The merchant ended, and was asked to ${task} ${number}.`);
    return z.record(z.string(), z.unknown()).parse(JSON.parse(value));
  }
  return {
    merchant: (...asked) => {
      const answer = before.then(() => ask(...asked));
      before = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

/** A merchant whose every task is a process. */
export const merchantOf =
  (env: NodeJS.ProcessEnv, file: string, ...before: string[]): Merchant =>
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

/** A merchant with our client. The examples before each request say its type, and JSON says the rest. */
export const typescriptMerchant =
  (payments: PaymentsClient): Merchant =>
  async (task, number, request = {}) => {
    const tasks: Record<string, () => Promise<unknown>> = {
      pay: () => payments.pay({ ...pix.request, ...request, out_trade_no: number }),
      state: () => payments.state(number),
      outcome: () => payments.outcome(number),
      refund: () => payments.requestRefund(number, request),
      refunds: () => payments.refunds(number),
      'create-account': () => payments.accounts.create({ ...spei, ...request }, { key: number }),
      account: () => payments.accounts.get(number),
      banks: async () => ({ banks: await payments.banks({ method: '', ...request }) }),
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

/** On a slow machine there may be no answer yet: then a merchant asks again, as the contract says. */
export const untilAnswered =
  (ask: Merchant): Merchant =>
  async (...asked) => {
    for (;;) {
      const answer = await ask(...asked);
      if (answer.error !== 'PaymentPending' && answer.error !== 'RefundPending') return answer;
    }
  };
