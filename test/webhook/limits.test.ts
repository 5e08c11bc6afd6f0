/** How much may come: what is over a limit is answered so that it comes again, and strangers cannot use up what is not theirs. */
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { createWebhook, type WebhookServerOptions } from '../../src/webhook';
import { app, FakeTemporal, GRPC, ipn, otherApp, post, readableLog, send, sign, startWebhook } from './support';

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
/** Seconds within the minute that limits count in. */
const SOON = expect.stringMatching(/^([1-9]|[1-5]\d|60)$/);
/** Lets what Temporal was asked go on. */
function held(): () => void {
  let go = () => {};
  temporal.until = new Promise((resolve) => {
    go = resolve;
  });
  return go;
}

describe('requests of one address', () => {
  test('over the limit: 429 with Retry-After and nothing that tells of the limit, while health is served', async () => {
    const url = await start({ limits: { per_address: 3 } });
    for (let i = 0; i < 3; i += 1) expect((await post(url, body, forged)).status).toBe(401);
    const reply = await post(url, body);
    expect(reply).toMatchObject({ status: 429, body: '{"result":"fail"}', headers: { 'retry-after': SOON } });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-'))).toEqual([]);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    expect(temporal.told).toBe(0);
  });

  test('are counted by where they really come from', async () => {
    const url = await start({ limits: { per_address: 1 }, trustedProxies: ['127.0.0.0/8'] });
    const from = async (address: string) => (await post(url, body, { headers: { 'x-forwarded-for': address } })).status;
    expect(await from('203.0.113.1')).toBe(200);
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('203.0.113.2')).toBe(200);
    // One sender of IPv6 has a whole network of addresses.
    expect(await from('2001:db8::1')).toBe(200);
    expect(await from('2001:db8::ffff')).toBe(429);
  });

  test('an untrusted X-Forwarded-For gives nobody a new count', async () => {
    const url = await start({ limits: { per_address: 1 } });
    expect((await post(url, body, { headers: { 'x-forwarded-for': '203.0.113.1' } })).status).toBe(200);
    expect((await post(url, body, { headers: { 'x-forwarded-for': '203.0.113.2' } })).status).toBe(429);
  });

  test('the gateway’s own addresses are not counted where they are known', async () => {
    const url = await start({ limits: { per_address: 1 }, allowedIps: ['127.0.0.1'] });
    for (let i = 0; i < 5; i += 1) expect((await post(url, body)).status).toBe(200);
  });
});

describe('genuine notifications in all', () => {
  test('over the limit: 429, and forgeries do not count', async () => {
    const url = await start({ limits: { overall: 2 } });
    for (let i = 0; i < 20; i += 1) await post(url, body, forged);
    for (let i = 0; i < 2; i += 1) expect((await post(url, body)).status).toBe(200);
    expect(await post(url, body)).toMatchObject({ status: 429, headers: { 'retry-after': SOON } });
    expect((await post(url, body, forged)).status).toBe(401);
  });
});

describe('notifications that wait for Temporal', () => {
  test('more than may at once: 503 and come again, while forgeries are answered as ever and take no place', async () => {
    const url = await start({ limits: { in_flight: 2 } });
    const go = held();
    const waiting = [post(url, body), post(url, body)];
    while (temporal.asked < 2) await new Promise(setImmediate);
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect((await post(url, body, forged)).status).toBe(401);
    expect(temporal.asked).toBe(2);
    go();
    for (const reply of await Promise.all(waiting)) expect(reply.status).toBe(200);
    expect((await post(url, body)).status).toBe(200);
  });

  test('longer than an acknowledgement may take: 503, and the place is free only when Temporal has let go', async () => {
    const url = await start({ limits: { in_flight: 1 }, ackTimeout: 50 });
    const go = held();
    const began = performance.now();
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(lines.join('')).toContain('AcknowledgementLateError');
    expect((await post(url, body)).status).toBe(503);
    expect(temporal.asked).toBe(1);
    go();
    let status = 503;
    while (status === 503) status = (await post(url, body)).status;
    expect(status).toBe(200);
  });
});

describe('payments that notifications start', () => {
  const order = (n: number, changes = {}) => ipn({ out_trade_no: `order-${n}`, ...changes });

  test('over the limit: 503 so that the gateway sends again; payments that run are signalled all the same', async () => {
    const url = await start({ limits: { adoptions: 2 } });
    for (let i = 0; i < 2; i += 1) expect((await post(url, order(i))).status).toBe(200);
    expect(await post(url, order(3))).toMatchObject({ status: 503, headers: { 'retry-after': SOON } });
    expect(lines.join('')).toContain('WEBHOOK_LIMIT_ADOPTIONS');
    expect(temporal.signals).toHaveLength(2);
    temporal.running = true;
    expect((await post(url, order(3))).status).toBe(200);
    expect(temporal.signals).toHaveLength(3);
  });

  test('count only where one is started: signals to payments that run, and what Temporal did not take, do not', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    temporal.running = true;
    for (let i = 0; i < 5; i += 1) expect((await post(url, order(i))).status).toBe(200);
    temporal.running = false;
    temporal.failures = [GRPC.UNAVAILABLE, GRPC.PERMISSION_DENIED];
    for (let i = 0; i < 2; i += 1) expect((await post(url, order(i))).status).toBe(503);
    expect((await post(url, order(1))).status).toBe(200);
    expect((await post(url, order(2))).status).toBe(503);
  });

  test('each app has its own: one whose key has leaked takes nothing from another', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    const theirs = ipn({ app_id: otherApp.app_id });
    const asOther = { path: `/ipn/${otherApp.app_id}`, headers: { 'service-signature': sign(theirs, otherApp) } };
    await post(url, order(1));
    expect((await post(url, order(2))).status).toBe(503);
    expect((await post(url, theirs, asOther)).status).toBe(200);
  });

  test('what nobody can read counts too: it opens a workflow as well', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    expect((await post(url, Buffer.from('{'))).status).toBe(200);
    expect((await post(url, Buffer.from('{{'))).status).toBe(503);
    expect(temporal.starts).toHaveLength(1);
  });

  test('what nobody can read and Temporal did not take does not count', async () => {
    const url = await start({ limits: { adoptions: 1 } });
    temporal.failures = [GRPC.UNAVAILABLE, GRPC.PERMISSION_DENIED];
    for (let i = 0; i < 2; i += 1) expect((await post(url, Buffer.from('{'))).status).toBe(503);
    expect((await post(url, Buffer.from('{'))).status).toBe(200);
    expect((await post(url, Buffer.from('{{'))).status).toBe(503);
  });

  test('a minute later there is room again', async () => {
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
  test('over the limit are closed at once; when one ends there is room', async () => {
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

describe('bodies that are still coming', () => {
  test('hold 64 MiB of memory together and no more: who comes then is sent away, until there is room again', async () => {
    const webhook = createWebhook({
      client: new FakeTemporal().client,
      taskQueue: 'payments',
      apps: [app],
      signature: { header: 'Service-Signature', scheme: 'hex' },
      log: readableLog().log,
    });
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const piece = Buffer.alloc(65_536, ' ');
    /** A sender who says all that may be said, and then nothing more until the end. */
    const slow = async () => {
      const answer = await webhook.answer({
        method: 'POST',
        path: '/ipn/shop-1',
        headers: [['content-type', 'application/json']],
        address: '127.0.0.1',
        body: (async function* () {
          yield piece;
          await ended;
        })(),
      });
      return answer.status;
    };
    const waiting = Array.from({ length: 1_024 }, slow);
    expect([await slow(), await slow()]).toEqual([503, 503]);
    end();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
    expect(await slow()).toBe(401);
  });
});

describe('a process that is too busy', () => {
  test('sheds load: 503 and come again, while health is served', async () => {
    const url = await start({ shedLoad: true });
    let reply = await post(url, body);
    expect(reply.status).toBe(200);
    // What another task of the process could do: it leaves little time for anything else. The load is a mean over seconds.
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

describe('an endpoint that stops', () => {
  test('finishes what it has accepted before it is gone', async () => {
    const url = await start({});
    const go = held();
    const waiting = Array.from({ length: 10 }, () => post(url, body));
    while (temporal.asked < 10) await new Promise(setImmediate);
    const closed = server.close();
    go();
    for (const reply of await Promise.all(waiting)) expect(reply).toMatchObject({ status: 200, body: 'success' });
    await closed;
    await expect(post(url, body)).rejects.toThrow();
  });
});
