/** What the tests of gateway/ share: orders, faults by field, and fake gateways made of a plain server. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type GatewayApp,
  GatewayClient,
  GatewayError,
  type GatewaySettings,
  InvalidRequestError,
} from '../../src/gateway';
import { localServer } from '../harness/local-server';
import { thrownBy } from '../harness/thrown';

export type Json = { [field: string]: unknown };

export interface PublishedOrder {
  file: string;
  kind: 'direct' | 'checkout';
  request: Json;
  expect: { payment_data?: string[]; trade_status_at_creation?: string; refused: string[]; rule: string };
}

/** The orders of examples/orders, or those of a folder in it. */
export function publishedOrders(folder = '.'): PublishedOrder[] {
  const directory = join(__dirname, '../../examples/orders', folder);
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(directory, file), 'utf8')) }));
}

/** The request of one published order. */
export function published(name: string): Json {
  const order = publishedOrders().find(({ file }) => file === `${name}.json`);
  if (!order) throw new Error(`examples/orders has no ${name}.json`);
  return order.request;
}

/** The request of one published order with its `notify_url`, ready to send. */
export function sendable(name: string): Json {
  return { notify_url: 'https://shop.example.com/ipn', ...published(name) };
}

/** Published samples, which the tests of the interface use too. */
export function fixture<T>(name: 'answers' | 'notifications'): T {
  return JSON.parse(readFileSync(join(__dirname, '../contract/interface/fixtures', `${name}.json`), 'utf8'));
}

/** A copy of an order with other values at dotted paths; `undefined` removes the field. */
export function edited(order: Json, changes: Json): Json {
  const copy: Json = structuredClone(order);
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop() ?? path;
    let at: Json = copy;
    for (const key of keys) {
      const inner = at[key];
      at[key] = typeof inner === 'object' && inner !== null ? inner : {};
      at = at[key] as Json;
    }
    if (value === undefined) delete at[last];
    else at[last] = value;
  }
  return copy;
}

/** Every wrong field with its rule; empty if the order is accepted. */
export function faults(read: () => unknown): Record<string, string> {
  try {
    read();
    return {};
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return Object.fromEntries(error.issues.map(({ field, rule }) => [field, rule]));
  }
}

/** The GatewayError that a call throws. */
export async function failureOf(call: Promise<unknown>): Promise<GatewayError> {
  const outcome = await thrownBy(call);
  if (outcome instanceof GatewayError) return outcome;
  throw outcome;
}

export const app = { app_id: 'app-1', secret_key: 'sk_live_9f2e-do-not-tell' };

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface BareGateway {
  base_url: string;
  /** Every request that arrived in full. */
  received: Received[];
}

/** Gateways and clients that are closed after each test, clients first. */
export function gateways() {
  const closes: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });

  /** Serves until the end of the test. */
  const serve = async (server: Parameters<typeof localServer>[0]): Promise<string> => {
    const { origin, close } = await localServer(server);
    closes.push(close);
    return origin;
  };

  const listen = async (server: Server, protocol = 'http'): Promise<string> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  return {
    /** A gateway that reads each request whole and then answers as it is told. */
    async http(answer: (response: ServerResponse, request: Received) => void): Promise<BareGateway> {
      const received: Received[] = [];
      const server = createServer(async (request, response) => {
        // What is cut off has not arrived in full.
        const body = await buffer(request).catch(() => undefined);
        if (!body) return;
        const { method = '', url: path = '', headers } = request;
        const whole = { method, path, headers, body };
        received.push(whole);
        answer(response, whole);
      });
      return { base_url: await serve(server), received };
    },

    /** A gateway over TLS, whose certificate it signed itself. */
    async tls(): Promise<BareGateway> {
      const received: Received[] = [];
      const pem = readFileSync(join(__dirname, 'fixtures/self-signed.pem'));
      const server = createTlsServer({ key: pem, cert: pem }, ({ method = '', url: path = '', headers }, response) => {
        received.push({ method, path, headers, body: Buffer.alloc(0) });
        response.end();
      });
      return { base_url: (await serve(server)).replace('http:', 'https:'), received };
    },

    /** A server of bare sockets, for what no HTTP server would do. */
    async tcp(
      connected: (socket: Socket) => void,
      protocol = 'http',
    ): Promise<{ base_url: string; sockets: Socket[] }> {
      const sockets: Socket[] = [];
      const server = createTcpServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => {});
        connected(socket);
      });
      const base_url = await listen(server, protocol);
      closes.push(
        () =>
          new Promise((resolve) => {
            server.close(resolve);
            for (const socket of sockets) socket.destroy();
          }),
      );
      return { base_url, sockets };
    },

    /** An address where nobody listens. */
    async nobody(): Promise<{ base_url: string }> {
      const server = createTcpServer();
      const base_url = await listen(server);
      await new Promise((resolve) => server.close(resolve));
      return { base_url };
    },

    client(
      { base_url }: { base_url: string },
      settings: GatewaySettings = {},
      as: Partial<GatewayApp> = {},
    ): GatewayClient {
      const client = new GatewayClient({ ...app, base_url, ...as }, settings);
      closes.push(() => client.close());
      return client;
    },
  };
}

/** Responds with JSON, as a gateway does. */
export function answerJson(body: unknown, status = 200): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}
