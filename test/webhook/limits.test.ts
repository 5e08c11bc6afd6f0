/** The endpoint's limits: requests above a limit are to be sent again, and strangers cannot use up the gateway's share. */
import { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { WebhookServerOptions } from '../../src/webhook';
import { boundConnections, type ConnectionRules } from '../../src/webhook/connections';
import {
  type FakeTemporal,
  GRPC,
  ipn,
  makeWebhook,
  otherApp,
  post,
  raw,
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
  test('that are refused get 429 above the limit, with Retry-After and without the limit itself', async () => {
    const url = await start({ limits: { per_address: 3 } });
    for (let i = 0; i < 3; i += 1) expect((await post(url, body, forged)).status).toBe(401);
    const reply = await post(url, body, forged);
    expect(reply).toMatchObject({ status: 429, body: '{"result":"fail"}', headers: { 'retry-after': SOON } });
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-'))).toEqual([]);
    expect((await send(`${url}/nowhere`)).status).toBe(429);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    expect(temporal.writeCount).toBe(0);
  });

  test('that are genuine are taken all the while: behind a proxy a stranger has the gateway’s address', async () => {
    const url = await start({ limits: { per_address: 1 } });
    for (let i = 0; i < 5; i += 1) {
      await post(url, body, forged);
      expect((await post(url, body)).status).toBe(200);
    }
    const said = lines.filter((line) => line.includes('too many requests that are refused'));
    expect(said).toEqual([expect.stringMatching(/"level":40.*"address":"127.0.0.1".*WEBHOOK_TRUSTED_PROXIES/)]);
  });

  test('above the limit are not read if they are large, and their connection is closed', async () => {
    const url = await start({ limits: { per_address: 1 } });
    for (let i = 0; i < 2; i += 1) await post(url, body, forged);
    const answer = await raw(url, `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Length: 60000\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 429 .*connection: close/is);
  });

  test('are counted by the address that a trusted proxy reports', async () => {
    const url = await start({ limits: { per_address: 1 }, trustedProxies: ['127.0.0.0/8'] });
    const from = async (address: string) =>
      (await post(url, body, { headers: { ...forged.headers, 'x-forwarded-for': address } })).status;
    expect(await from('203.0.113.1')).toBe(401);
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('203.0.113.2')).toBe(401);
    // One IPv6 sender has a whole network of addresses.
    expect(await from('2001:db8:0:1::1')).toBe(401);
    expect(await from('2001:db8:0:ff::1')).toBe(429);
    // A proxy that writes ports, too, reports the same sender.
    expect(await from('203.0.113.1:4711')).toBe(429);
    expect(await from('[2001:db8::1]:4711')).toBe(429);
  });

  test('are counted by the connection’s address if X-Forwarded-For is not trusted, which the log says', async () => {
    const url = await start({ limits: { per_address: 1 } });
    const from = async (address: string) =>
      (await post(url, body, { headers: { ...forged.headers, 'x-forwarded-for': address } })).status;
    expect(await from('203.0.113.1')).toBe(401);
    expect(await from('203.0.113.2')).toBe(429);
    const said = lines.filter((line) => line.includes('X-Forwarded-For is not believed'));
    expect(said).toEqual([expect.stringMatching(/"level":40.*"address":"127.0.0.1".*WEBHOOK_TRUSTED_PROXIES/)]);
  });

  test.each([
    ['expect what nobody meets', 'GET /healthz HTTP/1.1\r\nHost: w\r\nExpect: x\r\n\r\n', 417],
    ['are no HTTP', 'EHLO webhook\r\n\r\n', 400],
    ['have too long a head', `GET / HTTP/1.1\r\nX-Long: ${'a'.repeat(65_536)}\r\n\r\n`, 431],
    ['have a path that cannot be decoded', 'GET /ipn/%zz HTTP/1.1\r\nHost: w\r\n\r\n', 404],
  ])('that %s are counted too, and their connection is closed', async (_, bytes, status) => {
    const url = await start({ limits: { per_address: 2 } });
    for (let i = 0; i < 2; i += 1) expect(await raw(url, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await post(url, body, forged)).status).toBe(429);
    expect((await post(url, body)).status).toBe(200);
  });

  test('are not counted for addresses of the allow-list', async () => {
    const url = await start({ limits: { per_address: 1 }, allowedIps: ['127.0.0.1'] });
    for (let i = 0; i < 5; i += 1) expect((await post(url, body, forged)).status).toBe(401);
  });
});

describe('good notifications of all addresses', () => {
  test('above the limit get 429; forged ones do not count', async () => {
    const url = await start({ limits: { overall: 2 } });
    for (let i = 0; i < 20; i += 1) await post(url, body, forged);
    for (const out_trade_no of ['1', '2']) expect((await post(url, ipn({ out_trade_no }))).status).toBe(200);
    expect(await post(url, ipn({ out_trade_no: '3' }))).toMatchObject({
      status: 429,
      headers: { 'retry-after': SOON },
    });
    expect((await post(url, body, forged)).status).toBe(401);
  });
});

describe('one and the same notification', () => {
  test('that comes again counts apart from all others: ten old ones, 60 times each, leave the rest their share', async () => {
    const url = await start({ limits: { overall: 600, adoptions: 1_000 } });
    const old = Array.from({ length: 10 }, (_, i) => ipn({ out_trade_no: `old-${i}` }));
    for (let i = 0; i < 60; i += 1) await Promise.all(old.map((one) => post(url, one)));
    expect((await post(url, body)).status).toBe(200);
  });

  test('is taken so many times a minute: whoever has an old one takes nothing from the others with it', async () => {
    const url = await start({ limits: { overall: 31, repeats: 20 } });
    const again = await Promise.all(Array.from({ length: 40 }, () => post(url, body)));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(again.find(({ status }) => status !== 200)).toMatchObject({ status: 429, headers: { 'retry-after': SOON } });
    for (let i = 0; i < 10; i += 1) {
      expect((await post(url, ipn({ out_trade_no: `another-${i}` }))).status).toBe(200);
    }
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    expect((await post(url, body)).status).toBe(200);
    jest.restoreAllMocks();
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
    // Temporal is held until go(): this answer can only come from the time limit.
    expect(await post(url, body)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
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
    jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
    expect((await post(url, order(2))).status).toBe(200);
    jest.restoreAllMocks();
  });
});

describe('connections', () => {
  /** Opens a connection that sends `text`; `closed` is whether it has been closed, by whomever. */
  const open = (url: string, { from = '127.0.0.1', text = '' } = {}) =>
    new Promise<{ socket: Socket; closed: () => boolean; end: Promise<void> }>((resolve) => {
      const { hostname, port } = new URL(url);
      const socket = connect({ host: hostname, port: Number(port), localAddress: from });
      const end = new Promise<void>((done) => socket.on('close', () => done()));
      socket.on('error', () => {});
      socket.on('data', () => {});
      // The server has taken it in before it answers a later request of somebody else.
      socket.on('connect', () => {
        socket.write(text);
        resolve({ socket, closed: () => socket.destroyed, end });
      });
    });
  const genuine = `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nService-Signature: ${sign(body)}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test.each([
    ['of one address', { connections_per_address: 3 }],
    ['in all', { connections: 3 }],
  ])('above the limit %s: the oldest without a genuine notification is closed for the new one', async (_, limits) => {
    const url = await start({ limits });
    const sender = await open(url, { text: genuine });
    await new Promise((resolve) => sender.socket.once('data', resolve));
    const silent = [await open(url), await open(url)];
    await open(url);
    await silent[0]?.end;
    expect([sender, ...silent].map(({ closed }) => closed())).toEqual([false, true, false]);
    expect((await post(url, body)).status).toBe(200);
    await silent[1]?.end;
    expect(sender.closed()).toBe(false);
    server.server.closeAllConnections();
  });

  test('above the limit, each of which has brought something genuine, stay: the new one is closed', async () => {
    const url = await start({ limits: { connections_per_address: 2 } });
    const senders = [await open(url, { text: genuine }), await open(url, { text: genuine })];
    for (const { socket } of senders) await new Promise((resolve) => socket.once('data', resolve));
    await (await open(url)).end;
    expect(senders.map(({ closed }) => closed())).toEqual([false, false]);
    server.server.closeAllConnections();
  });

  test('of one address above its limit leave those of another address alone', async () => {
    const url = await start({ limits: { connections_per_address: 2 } });
    const other = await open(url, { from: '127.0.0.6' });
    const own = [];
    for (let i = 0; i < 4; i += 1) own.push(await open(url, { from: '127.0.0.5' }));
    await Promise.all(own.slice(0, 2).map(({ end }) => end));
    expect([other, ...own].map(({ closed }) => closed())).toEqual([false, true, true, false, false]);
    server.server.closeAllConnections();
  });

  /** What is closed of connections from these addresses, in turn. */
  function closedOf(addresses: string[], rules: Partial<ConnectionRules>): string[] {
    const fake = new EventEmitter();
    const closed: string[] = [];
    boundConnections(fake, {
      perAddress: 2,
      overall: 1_000,
      isExempt: () => false,
      isStranger: () => false,
      isGenuine: () => false,
      onClosed: (address) => closed.push(address),
      ...rules,
    });
    for (const remoteAddress of addresses)
      fake.emit('connection', Object.assign(new EventEmitter(), { remoteAddress, destroy: () => {} }));
    return closed;
  }

  test('from all addresses of a network of IPv6 count for one sender', () => {
    const addresses = ['2001:db8::1', '2001:db8:0:f::2', '2001:db8:0:ff::3', '2001:db8:0:100::1', '::ffff:192.0.2.1'];
    expect(closedOf(addresses, {})).toEqual(['2001:db8::1']);
  });

  test('in all above the limit: those of the allow-list and of proxies are closed last', () => {
    const isExempt = (address: string) => address.startsWith('10.');
    const addresses = ['10.0.0.1', '192.0.2.1', '10.0.0.2', '10.0.0.3'];
    expect(closedOf(addresses, { overall: 2, isExempt })).toEqual(['192.0.2.1', '10.0.0.1']);
  });

  test('that has no business here are closed before anything is read, where others check the health elsewhere', async () => {
    const url = await start({ allowedIps: ['203.0.113.0/24'], health: 'elsewhere' });
    await expect(post(url, body)).rejects.toThrow();
    expect(lines.join('')).toContain('may have none');
  });
});

describe('unfinished bodies', () => {
  /** Sends bodies of a size, which do not end until the test says so. */
  function slowly(webhook: ReturnType<typeof makeWebhook>['webhook']) {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow = async (bytes: number, address: string, pieces = 1) => {
      const body = (async function* () {
        for (let i = 0; i < pieces; i += 1) yield Buffer.alloc(bytes / pieces, ' ');
        await ended;
      })();
      return (await webhook.answer({ ...requestOf(body), address })).status;
    };
    return { slow, end };
  }
  test('that are large may use 4 MiB for each address and 48 MiB together; small ones still find room', async () => {
    const { webhook } = makeWebhook();
    const { slow, end } = slowly(webhook);
    const waiting = Array.from({ length: 12 * 64 }, (_, i) => slow(65_536, `203.0.113.${i % 12}`));
    // No room for a large body of an address that has its share, nor of any other: all shares are taken.
    expect([await slow(65_536, '203.0.113.1'), await slow(65_536, '198.51.100.1')]).toEqual([503, 503]);
    const small = await webhook.answer({
      ...requestOf(body, { headers: [['service-signature', sign(body)]] }),
      address: '203.0.113.1',
    });
    expect(small.status).toBe(200);
    end();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
    expect(await slow(65_536, '203.0.113.1')).toBe(401);
  });

  test('count for one sender from all addresses of a network of IPv6', async () => {
    const { webhook } = makeWebhook();
    const { slow, end } = slowly(webhook);
    const waiting = Array.from({ length: 64 }, (_, i) => slow(65_536, `2001:db8::${i.toString(16)}`));
    expect(await slow(65_536, '2001:db8::ffff')).toBe(503);
    end();
    await Promise.all(waiting);
  });

  test('of the allow-list are not bounded by address, and of others nothing is read', async () => {
    const { webhook } = makeWebhook({ allowedIps: ['203.0.113.1'] });
    const { slow, end } = slowly(webhook);
    const waiting = Array.from({ length: 200 }, () => slow(65_536, '203.0.113.1'));
    expect(await slow(65_536, '198.51.100.1')).toBe(401);
    end();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([401]));
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
