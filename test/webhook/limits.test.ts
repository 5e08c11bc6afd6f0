/** The endpoint's limits: requests above a limit are to be sent again, and strangers cannot use up the gateway's share. */
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { WebhookServerOptions } from '../../src/webhook';
import {
  type FakeTemporal,
  GRPC,
  ipn,
  makeWebhook,
  otherApp,
  post,
  requestOf,
  send,
  sign,
  startWebhook,
} from './support';

let temporal: FakeTemporal;
let server: FastifyInstance;
let lines: string[];
afterEach(() => server.close());

async function start(options: Partial<WebhookServerOptions>): Promise<string> {
  const started = await startWebhook(options);
  ({ temporal, server, lines } = started);
  return started.url;
}

const body = ipn();
const forged = { headers: { 'service-signature': sign(body, otherApp) } };
/** Retry-After: at most the minute in which limits count. */
const SOON = expect.stringMatching(/^([1-9]|[1-5]\d|60)$/);
/** Makes Temporal wait with its answers; the result lets it answer. */
function holdTemporal(): () => void {
  let go = () => {};
  temporal.gate = new Promise((resolve) => {
    go = resolve;
  });
  return go;
}

describe('requests of one address', () => {
  test('above the limit get 429 with Retry-After, without the limit itself; /readyz is still served', async () => {
    const url = await start({ limits: { per_address: 3 } });
    for (let i = 0; i < 3; i += 1) expect((await post(url, body, forged)).status).toBe(401);
    const reply = await post(url, body);
    expect(reply).toMatchObject({ status: 429, body: '{"result":"fail"}', headers: { 'retry-after': SOON } });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-'))).toEqual([]);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    expect(temporal.writeCount).toBe(0);
  });

  test('are counted by the address that a trusted proxy reports', async () => {
    const url = await start({ limits: { per_address: 1 }, trustedProxies: ['127.0.0.0/8'] });
    const from = async (address: string) => (await post(url, body, { headers: { 'x-forwarded-for': address } })).status;
    expect(await from('203.0.113.1')).toBe(200);
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('203.0.113.2')).toBe(200);
    // One IPv6 sender has a whole network of addresses.
    expect(await from('2001:db8::1')).toBe(200);
    expect(await from('2001:db8::ffff')).toBe(429);
  });

  test('are counted by the connection’s address if X-Forwarded-For is not trusted', async () => {
    const url = await start({ limits: { per_address: 1 } });
    expect((await post(url, body, { headers: { 'x-forwarded-for': '203.0.113.1' } })).status).toBe(200);
    expect((await post(url, body, { headers: { 'x-forwarded-for': '203.0.113.2' } })).status).toBe(429);
  });

  test('are not counted for addresses of the allow-list', async () => {
    const url = await start({ limits: { per_address: 1 }, allowedIps: ['127.0.0.1'] });
    for (let i = 0; i < 5; i += 1) expect((await post(url, body)).status).toBe(200);
  });
});

describe('good notifications of all addresses', () => {
  test('above the limit get 429; forged ones do not count', async () => {
    const url = await start({ limits: { overall: 2 } });
    for (let i = 0; i < 20; i += 1) await post(url, body, forged);
    for (let i = 0; i < 2; i += 1) expect((await post(url, body)).status).toBe(200);
    expect(await post(url, body)).toMatchObject({ status: 429, headers: { 'retry-after': SOON } });
    expect((await post(url, body, forged)).status).toBe(401);
  });
});

describe('notifications that wait for Temporal', () => {
  test('above the limit get 503; forged ones get 401 as always and take no place', async () => {
    const url = await start({ limits: { in_flight: 2 } });
    const go = holdTemporal();
    const waiting = [post(url, body), post(url, body)];
    while (temporal.callCount < 2) await new Promise(setImmediate);
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect((await post(url, body, forged)).status).toBe(401);
    expect(temporal.callCount).toBe(2);
    go();
    for (const reply of await Promise.all(waiting)) expect(reply.status).toBe(200);
    expect((await post(url, body)).status).toBe(200);
  });

  test('for longer than the acknowledgement may take get 503; the place is free only after Temporal answers', async () => {
    const url = await start({ limits: { in_flight: 1 }, ackTimeout: 50 });
    const go = holdTemporal();
    const began = performance.now();
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(lines.join('')).toContain('DeadlineExceededError');
    expect((await post(url, body)).status).toBe(503);
    expect(temporal.callCount).toBe(1);
    go();
    let status = 503;
    while (status === 503) status = (await post(url, body)).status;
    expect(status).toBe(200);
  });
});

describe('payments that notifications start', () => {
  const order = (n: number, changes = {}) => ipn({ out_trade_no: `order-${n}`, ...changes });

  test('above the limit get 503; running payments are still signalled', async () => {
    const url = await start({ limits: { adoptions: 2 } });
    for (let i = 0; i < 2; i += 1) expect((await post(url, order(i))).status).toBe(200);
    expect(await post(url, order(3))).toMatchObject({ status: 503, headers: { 'retry-after': SOON } });
    expect(lines.join('')).toContain('WEBHOOK_LIMIT_ADOPTIONS');
    expect(temporal.signals).toHaveLength(2);
    temporal.running = true;
    expect((await post(url, order(3))).status).toBe(200);
    expect(temporal.signals).toHaveLength(3);
  });

  test('count only if one is started: a signal to a running payment, or a failed call, does not count', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    temporal.running = true;
    for (let i = 0; i < 5; i += 1) expect((await post(url, order(i))).status).toBe(200);
    temporal.running = false;
    temporal.failures = [GRPC.UNAVAILABLE, GRPC.PERMISSION_DENIED];
    for (let i = 0; i < 2; i += 1) expect((await post(url, order(i))).status).toBe(503);
    expect((await post(url, order(1))).status).toBe(200);
    expect((await post(url, order(2))).status).toBe(503);
  });

  test('are counted for each app, so that an app with a leaked key takes nothing from another', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    const theirs = ipn({ app_id: otherApp.app_id });
    const asOther = { path: `/ipn/${otherApp.app_id}`, headers: { 'service-signature': sign(theirs, otherApp) } };
    await post(url, order(1));
    expect((await post(url, order(2))).status).toBe(503);
    expect((await post(url, theirs, asOther)).status).toBe(200);
  });

  test('include the workflows of unreadable notifications', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    expect((await post(url, Buffer.from('{'))).status).toBe(200);
    expect((await post(url, Buffer.from('{{'))).status).toBe(503);
    expect(temporal.starts).toHaveLength(1);
  });

  test('do not include unreadable notifications that Temporal did not take', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    temporal.failures = [GRPC.UNAVAILABLE, GRPC.PERMISSION_DENIED];
    for (let i = 0; i < 2; i += 1) expect((await post(url, Buffer.from('{'))).status).toBe(503);
    expect((await post(url, Buffer.from('{'))).status).toBe(200);
    expect((await post(url, Buffer.from('{{'))).status).toBe(503);
  });

  test('may start again a minute later', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    await post(url, order(1));
    expect((await post(url, order(2))).status).toBe(503);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 60_001);
    expect((await post(url, order(2))).status).toBe(200);
    jest.restoreAllMocks();
  });
});

describe('connections', () => {
  test('above the limit are closed at once; when one closes, another may come', async () => {
    const url = await start({ limits: { connections: 2 } });
    const { hostname, port } = new URL(url);
    const open = () =>
      new Promise<{ end(): Promise<void>; closed: Promise<void> }>((resolve) => {
        const socket = connect(Number(port), hostname);
        const closed = new Promise<void>((done) => socket.on('close', () => done()));
        socket.on('error', () => {});
        const end = () => {
          socket.destroy();
          return closed;
        };
        socket.on('connect', () => resolve({ closed, end }));
      });
    const [first, second] = [await open(), await open()];
    await (await open()).closed;
    await first.end();
    let status = 0;
    while (status !== 200)
      status = await post(url, body).then(
        (reply) => reply.status,
        () => 0,
      );
    await second.end();
  });
});

describe('unfinished bodies', () => {
  test('may use 64 MiB of memory together; above that requests get 503 until others end', async () => {
    const { webhook } = makeWebhook();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const piece = Buffer.alloc(65_536, ' ');
    /** Sends the largest body, and does not end it until the test says so. */
    const slow = async () => {
      const body = (async function* () {
        yield piece;
        await ended;
      })();
      return (await webhook.answer(requestOf(body))).status;
    };
    const waiting = Array.from({ length: 1_024 }, slow);
    expect([await slow(), await slow()]).toEqual([503, 503]);
    end();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
    expect(await slow()).toBe(401);
  });
});

describe('a process that is too busy', () => {
  test('answers 503 with Retry-After, while /healthz is served', async () => {
    const url = await start({ shedLoad: true });
    let reply = await post(url, body);
    // A busy machine may be too busy already.
    while (reply.status !== 200) reply = await post(url, body);
    // Block the event loop, as a heavy task would. The measured load is a mean over seconds.
    while (reply.status === 200) {
      const until = performance.now() + 1_500;
      while (performance.now() < until);
      reply = await post(url, body);
    }
    expect(reply).toMatchObject({ status: 503, body: '{"result":"fail"}', headers: { 'retry-after': '60' } });
    expect((await send(`${url}/healthz`)).status).toBe(200);
    while (reply.status !== 200) reply = await post(url, body);
  });
});

describe('closing the server', () => {
  test('answers the accepted requests before it ends', async () => {
    const url = await start({});
    const go = holdTemporal();
    const waiting = Array.from({ length: 10 }, () => post(url, body));
    while (temporal.callCount < 10) await new Promise(setImmediate);
    const closed = server.close();
    go();
    for (const reply of await Promise.all(waiting)) expect(reply).toMatchObject({ status: 200, body: 'success' });
    await closed;
    await expect(post(url, body)).rejects.toThrow();
  });
});
