/** Every mount gives the same answers to the same requests, in real frameworks. */
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { type Webhook, type WebhookOptions, webhookHandler, webhookMiddleware, webhookPlugin } from '../../src/webhook';
import { servers } from './serving';
import { type FakeTemporal, GRPC, ipn, makeWebhook, otherApp, post, send, sign } from './support';

let temporal: FakeTemporal;
let lines: string[];
const { serve, platform, closeToo, closeAll } = servers();
afterEach(closeAll);

function webhook(options: Partial<WebhookOptions> = {}): Webhook {
  const made = makeWebhook(options);
  ({ temporal, lines } = made);
  return made.webhook;
}

/** Mounts the endpoint. Resolves to its URL up to `/ipn/{app_id}`. */
const MOUNTS: Record<string, (webhook: Webhook) => Promise<string>> = {
  async fastify(hook) {
    const server = Fastify();
    server.register(webhookPlugin(hook), { prefix: '/payments' });
    closeToo(() => server.close());
    return `${await server.listen({ host: '127.0.0.1', port: 0 })}/payments`;
  },
  express: (hook) => serve(express().use('/ipn', webhookMiddleware(hook)).use(express.json())),
  'express after express.raw': (hook) =>
    serve(express().use('/ipn', express.raw({ type: '*/*', limit: '1mb' }), webhookMiddleware(hook))),
  'connect, on Node’s HTTP server': (hook) => {
    const middleware = webhookMiddleware(hook);
    return serve((request, response) => middleware(request, response, () => response.writeHead(500).end()));
  },
  'Request → Response': (hook) => platform(webhookHandler(hook)),
  hono: (hook) => {
    const handler = webhookHandler(hook);
    const hono = new Hono().post('/ipn/:app_id', (context) => handler(context.req.raw));
    return platform((request) => hono.fetch(request));
  },
};

const body = ipn();
const unreadable = Buffer.from('{"trade_no":');
const headers = (changes: Record<string, string>) => ({ headers: changes });

/** A request, the status of its answer, and the number of calls that change something in Temporal. */
const REQUESTS: [string, (url: string) => ReturnType<typeof post>, number, number][] = [
  ['a good notification', (url) => post(url, body), 200, 1],
  ['a good one with a query in its path', (url) => post(url, body, { path: '/ipn/shop-1?from=gateway' }), 200, 1],
  ['a good one of many bytes in UTF-8', (url) => post(url, ipn({ subject: 'ação '.repeat(5_000) })), 200, 1],
  ['an unreadable one with a good signature', (url) => post(url, unreadable), 200, 1],
  ['an empty body', (url) => post(url, Buffer.alloc(0), headers({ 'service-signature': sign(body) })), 401, 0],
  ['a bad signature', (url) => post(url, body, headers({ 'service-signature': sign(body, otherApp) })), 401, 0],
  [
    'two signatures',
    (url) => post(url, body, headers({ 'service-signature': `${sign(body)}, ${sign(body)}` })),
    401,
    0,
  ],
  ['an unknown app', (url) => post(url, body, { path: '/ipn/nobody' }), 401, 0],
  ['the path of another app', (url) => post(url, body, { path: '/ipn/shop-2' }), 401, 0],
  ['a body that is too long', (url) => post(url, Buffer.concat([body, Buffer.alloc(524_288, 32)])), 413, 0],
  ['another content type', (url) => post(url, body, headers({ 'content-type': 'text/plain' })), 415, 0],
  ['a compressed body', (url) => post(url, body, headers({ 'content-encoding': 'gzip' })), 415, 0],
];

describe.each(Object.entries(MOUNTS))('mounted in %s', (name, mount) => {
  test.each(REQUESTS)('%s', async (what, ask, status, writes) => {
    // express.raw() decompresses the body before we see it.
    if (name === 'express after express.raw' && what === 'a compressed body') return;
    const reply = await ask(await mount(webhook()));
    expect(reply).toMatchObject({ status, body: status === 200 ? 'success' : '{"result":"fail"}' });
    expect(temporal.writeCount).toBe(writes);
  });

  test('a notification is answered 503 with Retry-After while Temporal cannot be reached', async () => {
    const url = await mount(webhook());
    temporal.failures = [GRPC.UNAVAILABLE];
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
  });

  test('GET is answered 404', async () => {
    expect((await send(`${await mount(webhook())}/ipn/shop-1`)).status).toBe(404);
    expect(temporal.writeCount).toBe(0);
  });
});

describe('a body that a framework has parsed', () => {
  const logText = () => lines.join('');

  test('by express.json() is answered 500, and the log says what to do', async () => {
    const url = await serve(express().use(express.json()).use('/ipn', webhookMiddleware(webhook())));
    expect(await post(url, body)).toMatchObject({ status: 500, body: '{"result":"fail"}' });
    expect(logText()).toMatch(/mount the webhook before body parsers such as express\.json\(\)/);
    expect(logText()).not.toContain('Mariana');
    expect(temporal.writeCount).toBe(0);
  });

  test('writes one line a minute, however many strangers send it', async () => {
    const url = await serve(express().use(express.json()).use('/ipn', webhookMiddleware(webhook())));
    for (let i = 0; i < 100; i += 1) await post(url, Buffer.from('{}'));
    expect(lines).toHaveLength(1);
  });

  test('as text is answered 500: its exact bytes are lost too', async () => {
    const url = await serve(
      express()
        .use(express.text({ type: '*/*' }))
        .use('/ipn', webhookMiddleware(webhook())),
    );
    expect((await post(url, body)).status).toBe(500);
    expect(logText()).toContain('the body was parsed before the webhook saw it');
  });

  test('and removed from the request is answered 500', async () => {
    const middleware = webhookMiddleware(webhook());
    const url = await serve((request, response) => {
      request.resume().on('end', () => middleware(request, response, () => {}));
    });
    expect((await post(url, body)).status).toBe(500);
    expect(logText()).toContain('the body was parsed before the webhook saw it');
  });

  test('as a Request that was read is answered 500', async () => {
    const handler = webhookHandler(webhook());
    const request = new Request('http://shop.example/ipn/shop-1', {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json', 'service-signature': sign(body) },
    });
    await request.text();
    expect((await handler(request)).status).toBe(500);
    expect(logText()).toContain('the body was parsed before the webhook saw it');
  });
});

describe('an allow-list for a Request → Response handler', () => {
  const allowed = { allowedIps: ['203.0.113.0/24'] };

  test('throws without addressOf', () => {
    expect(() => webhookHandler(webhook(allowed))).toThrow('needs addressOf');
  });

  test('checks the address that addressOf returns', async () => {
    const handler = webhookHandler(webhook(allowed), {
      addressOf: (request) => request.headers.get('x-real-ip') ?? undefined,
    });
    const from = async (address: Record<string, string>) =>
      (
        await handler(
          new Request('http://shop.example/ipn/shop-1', {
            method: 'POST',
            body: new Uint8Array(body),
            headers: { 'content-type': 'application/json', 'service-signature': sign(body), ...address },
          }),
        )
      ).status;
    expect(await from({ 'x-real-ip': '203.0.113.9' })).toBe(200);
    expect(await from({ 'x-real-ip': '198.51.100.9' })).toBe(401);
    expect(await from({})).toBe(401);
  });
});

test('the Fastify plugin does not change the parsers of other routes', async () => {
  const server = Fastify();
  server.register(webhookPlugin(webhook()));
  server.post('/orders', async (request) => request.body);
  closeToo(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const reply = await send(`${url}/orders`, {
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json' },
  });
  expect(reply).toMatchObject({ status: 200, body: '{"a":1}' });
  expect((await post(url, body)).status).toBe(200);
});
