import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type SimulatorOptions, startSimulator } from '../../src/simulator';
import { edited, type Json, publishedOrders } from '../gateway/support';
import { localServer } from '../harness/local-server';

export { edited, type Json, publishedOrders };

export const app = { app_id: 'app-1', secret_key: 'secret:of app 1' };
export const otherApp = { app_id: 'app-2', secret_key: 'secret of app 2' };
export const globalApp = { app_id: 'app-global', secret_key: 'secret of the global app', global: true };

/** A Monday noon at which the tests' clocks begin; they stand still unless moved. */
export const noon = Date.UTC(2026, 2, 2, 12, 0, 0);

/** A simulator whose clock stands still. */
export function start(options: Partial<SimulatorOptions> = {}) {
  return startSimulator({ apps: [app, otherApp, globalApp], clock: { start: noon, speed: 0 }, ...options });
}

/** A JSON object of which nothing is assumed. */
export function json(text: string): Json {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`No JSON object: ${text}`);
  return Object.fromEntries(Object.entries(value));
}

/** The Authorization header of an app. */
export function authorization({ app_id, secret_key }: { app_id: string; secret_key: string } = app): string {
  return `Basic ${Buffer.from(`${app_id}:${secret_key}`).toString('base64')}`;
}

export interface Reply {
  status: number;
  type: string | null;
  text: string;
  /** The text as JSON; throws where it is none. */
  readonly body: Json;
}

/** Calls an operation as a merchant does; `app_id` and `timestamp` are added where they are missing. */
export async function call(
  simulator: { url: string },
  path: string,
  body: Json,
  { as = app, signal = null }: { as?: typeof app; signal?: AbortSignal | null } = {},
): Promise<Reply> {
  const sent = JSON.stringify({ app_id: as.app_id, timestamp: '2026-03-02 12:00:00', ...body });
  return send(simulator, path, sent, { authorization: authorization(as), 'content-type': 'application/json' }, signal);
}

/** Posts a text as it is. */
export async function send(
  simulator: { url: string },
  path: string,
  text: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  signal: AbortSignal | null = null,
): Promise<Reply> {
  const response = await fetch(simulator.url + path, { method: 'POST', body: text, headers, signal });
  const answer = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: answer,
    get body() {
      return json(answer);
    },
  };
}

/** Calls the control API. */
export async function control(simulator: { url: string }, method: string, path: string, body?: Json) {
  const response = await fetch(`${simulator.url}/simulator/${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const value: unknown = JSON.parse(await response.text());
  return { status: response.status, value };
}

/** The request of one published order, with an address for its notifications. */
export function order(file: string, changes: Json = {}): Json {
  const found = publishedOrders().find((published) => published.file === `${file}.json`);
  if (!found) throw new Error(`There is no order ${file}`);
  return edited({ notify_url: 'http://127.0.0.1:9/ipn', ...found.request }, changes);
}

/** A refund of a whole PIX order to an account that it names. */
export const refundOf = (out_trade_no: string, changes: Json = {}): Json =>
  edited(
    {
      out_trade_no,
      refund_currency: 'BRL',
      refund_amount: '150.00',
      user_info: {
        identify: { number: '11144477735', type: 'CPF' },
        name: 'Mariana Lima',
        email: 'mariana@example.com',
      },
      bank_info: { number: '0012345-6' },
    },
    changes,
  );

/** A request for a SPEI account. */
export const accountOf = (notify_url: string, changes: Json = {}): Json =>
  edited(
    {
      notify_url,
      customer: {
        buyer_id: 'buyer-mx-1',
        email: 'sofia@example.com',
        name: 'Sofía Hernández',
        phone: '5215512345678',
        identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
      },
    },
    changes,
  );

/** A page, as a browser gets it. */
export async function visit(url: string) {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, html: await response.text() };
}

/** The names of a page's buttons. */
export const buttons = (html: string) => [...html.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(([, name]) => name);

/** The hidden fields of a page's form. */
export const hidden = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value = '']) => [
      name,
      unescaped(value),
    ]),
  );
export const unescaped = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');

/** Sends the form of a page, with other fields where they are given. */
export async function sendForm(url: string, fields: Record<string, string>, html?: string) {
  const body = new URLSearchParams({ ...hidden(html ?? (await visit(url)).html), ...fields });
  const response = await fetch(new URL(new URL(url).pathname, url), { method: 'POST', body, redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location'), html: await response.text() };
}

/** Presses a button of a page as a browser does, and follows where it leads. */
export async function press(url: string, action: string, more: Record<string, string> = {}) {
  const answer = await sendForm(url, { action, ...more });
  const { location } = answer;
  return location ? { ...answer, html: (await visit(new URL(location, url).href)).html } : answer;
}

export interface Received {
  bytes: Buffer;
  headers: IncomingHttpHeaders;
  body: Json;
}

/** A merchant's notification endpoint that answers what a test tells it to. */
export class Merchant {
  readonly received: Received[] = [];
  /** Called while a notification waits for its answer. */
  onReceive: () => void = () => undefined;
  answer: { status: number; body: string } | 'never' = { status: 200, body: 'success' };
  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<Merchant> {
    const server = createServer(async (request, response) => {
      const bytes = await buffer(request);
      merchant.received.push({ bytes, headers: request.headers, body: json(bytes.toString('utf8')) });
      merchant.onReceive();
      if (merchant.answer === 'never') return;
      response.writeHead(merchant.answer.status).end(merchant.answer.body);
    });
    const { origin, close } = await localServer(server);
    const merchant = new Merchant(`${origin}/ipn`, close);
    return merchant;
  }
}
