/**
 * The endpoint under abuse: every bad request gets its right answer, and nothing of it reaches Temporal. The test sends a few
 * thousand random requests; `npm run abuse` sends 100,000 and holds 10,000 connections.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { createWebhook, type WebhookOptions, webhookServer } from '../../../src/webhook';
import { app, FakeTemporal, ipn, otherApp, post, send, sign } from '../support';
import { BAD_REQUESTS, STRANGE_BUT_SIGNED } from './requests';
import { chunk, chunked, exchange, LAST, request } from './wire';

const RUNS = Number(process.env.ABUSE_RUNS ?? 3_000);
const IDLE_CONNECTIONS = Number(process.env.ABUSE_CONNECTIONS ?? 300);

let temporal: FakeTemporal;
let server: FastifyInstance;
let url: string;
let options: WebhookOptions;

beforeAll(async () => {
  temporal = new FakeTemporal();
  const endless = Number.MAX_SAFE_INTEGER;
  options = {
    client: temporal.client,
    taskQueue: 'payments',
    apps: [app, otherApp],
    signature: { header: 'Service-Signature', scheme: 'hex' },
    log: pino({ level: 'silent' }),
    limits: {
      per_address: endless,
      overall: endless,
      repeats: endless,
      adoptions: endless,
      connections_per_address: endless,
    },
  };
  server = webhookServer({ ...options, log: pino({ level: 'silent' }) });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());
beforeEach(() => {
  temporal.signals.length = 0;
  temporal.starts.length = 0;
});

/** The memory in use after garbage collection, in MiB. */
function memory(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1_048_576);
}

/** Nothing of the attack is in Temporal, and a good notification is accepted. */
async function expectUnharmed(): Promise<void> {
  expect(temporal.writeCount).toBe(0);
  expect((await post(url, ipn())).status).toBe(200);
  expect(temporal.writeCount).toBe(1);
}

describe('a bad request', () => {
  test.each(Object.entries(BAD_REQUESTS))('%s', async (_, { bytes, answers, hangsUp = false }) => {
    const { statuses, text } = await exchange(url, bytes, { hangUp: hangsUp });
    expect(statuses).toEqual(answers);
    expect(text).not.toMatch(/fastify|FST_|node|x-powered-by|^server:|stack|temporal|grpc|success/im);
    await expectUnharmed();
  });
});

describe('a strange notification with a good signature is signalled, kept or refused as listed', () => {
  test.each(Object.entries(STRANGE_BUT_SIGNED))('%s', async (_, { body, becomes }) => {
    const { statuses } = await exchange(url, request({ body }));
    expect(statuses).toEqual([becomes === 'refused' ? 401 : 200]);
    expect(temporal.signals).toHaveLength(becomes === 'signal' ? 1 : 0);
    expect(temporal.starts).toHaveLength(becomes === 'stray' ? 1 : 0);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });
});

describe('an unusual, but correct notification is accepted', () => {
  const body = ipn();
  test.each<[string, Buffer, number[]]>([
    ['a chunk for every byte', chunked([...body].map((byte) => chunk(Buffer.from([byte]))).join('') + LAST), [200]],
    ['a chunk with an extension', chunked(chunk(body).replace('\r\n', ';a=b\r\n') + LAST), [200]],
    ['a slash at the end of its path', request({ line: 'POST /ipn/shop-1/ HTTP/1.1' }), [200]],
    ['its address in full', request({ line: 'POST http://pay.shop.example/ipn/shop-1 HTTP/1.1' }), [200]],
    ['HTTP/1.0', request({ line: 'POST /ipn/shop-1 HTTP/1.0' }), [200]],
    ['an expectation to be asked for its body', request({ headers: { Expect: '100-continue' } }), [100, 200]],
    ['headers in other cases', request({ headers: { 'Content-Type': 'APPLICATION/JSON ; charset="utf-8"' } }), [200]],
    ['an empty line before it', Buffer.concat([Buffer.from('\r\n'), request()]), [200]],
    [
      'a good one after a good one',
      Buffer.concat([request({ headers: { Connection: 'keep-alive' } }), request()]),
      [200, 200],
    ],
  ])('%s', async (_, bytes, answers) => {
    expect((await exchange(url, bytes)).statuses).toEqual(answers);
    expect(temporal.writeCount).toBe(answers.filter((status) => status === 200).length);
  });
});

describe('random requests', () => {
  const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map((b) => Buffer.from(b));
  const body = fc.oneof(
    { weight: 20, arbitrary: bytes(300) },
    { weight: 10, arbitrary: fc.json().map((text) => Buffer.from(text)) },
    { weight: 10, arbitrary: fc.string().map((out_trade_no) => ipn({ out_trade_no })) },
    { weight: 1, arbitrary: fc.integer({ min: 65_000, max: 66_000 }).map((size) => Buffer.alloc(size, 32)) },
  );
  const hex = (length: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  const signature = fc.oneof(
    hex(64),
    fc.nat(70).chain(hex),
    fc.constantFrom(sign(ipn()), sign(Buffer.alloc(0)), `t=1,v2=${'0'.repeat(64)}`),
    // Only characters that a header may hold: Node's parser refuses all others, see below.
    fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) }),
  );
  const often = <T>(usual: T, ...others: T[]) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

  test('that are valid HTTP get the expected answer', async () => {
    const before = memory();
    const asked = fc.record({
      method: often('POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
      path: often('/ipn/shop-1', '/ipn/nobody', '/ipn/shop-2', '/', '/ipn', '/ipn/a/b', '/metrics'),
      type: often('application/json', 'application/json; charset=utf-8', 'text/plain', 'application/xml', 'image/png'),
      signature,
      body,
      inChunks: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ method, path, type, signature: claimed, body: sent, inChunks }) => {
        fc.pre(claimed !== sign(sent));
        const head = {
          line: `${method} ${path} HTTP/1.1`,
          headers: { 'Content-Type': type, 'Service-Signature': claimed, Connection: 'keep-alive' },
          body: sent,
        };
        const right =
          method !== 'POST' || !/^\/ipn\/[^/]+$/.test(path)
            ? 404
            : !type.startsWith('application/json')
              ? 415
              : sent.length > 524_288
                ? 413
                : 401;
        const whole = inChunks ? chunked((sent.length > 0 ? chunk(sent) : '') + LAST, head) : request(head);
        expect((await exchange(url, whole, { answers: 1 })).statuses).toEqual([right]);
      }),
      { numRuns: Math.ceil(RUNS * 0.5) },
    );
    await expectUnharmed();
    console.log(`memory in use: ${before} MiB before, ${memory()} MiB after ${Math.ceil(RUNS * 0.5)} requests`);
  });

  test('that are good ones with changed bytes are never accepted, and break nothing', async () => {
    const good = request({ headers: { 'Service-Signature': '0'.repeat(64) } });
    const change = fc.record({ at: fc.nat(good.length), drop: fc.nat(20), put: bytes(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        let sent = good;
        for (const { at, drop, put } of changes)
          sent = Buffer.concat([sent.subarray(0, at), put, sent.subarray(at + drop)]);
        const { statuses } = await exchange(url, sent, { hangUp: true });
        for (const status of statuses) expect([400, 401, 404, 408, 413, 415, 417, 431]).toContain(status);
      }),
      { numRuns: Math.ceil(RUNS * 0.3) },
    );
    await expectUnharmed();
  });

  test('with a good signature are signalled or kept; none is lost and nothing fails', async () => {
    const webhook = createWebhook(options);
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const before = temporal.writeCount;
        const answer = await webhook.answer({
          method: 'POST',
          path: '/ipn/shop-1',
          headers: [
            ['content-type', 'application/json'],
            ['service-signature', sign(sent)],
          ],
          address: '127.0.0.1',
          body: (async function* () {
            yield sent;
          })(),
        });
        expect(answer.status).toBe(sent.length > 524_288 ? 413 : 200);
        expect(temporal.writeCount - before).toBe(answer.status === 200 ? 1 : 0);
      }),
      { numRuns: Math.ceil(RUNS * 0.2) },
    );
  });
});

describe(`${IDLE_CONNECTIONS} idle connections`, () => {
  const count = () => new Promise<number>((resolve) => server.server.getConnections((_, n) => resolve(n)));

  test('do not keep others out, and are closed', async () => {
    const before = memory();
    const holder: ChildProcess = fork(join(__dirname, 'hold-connections.js'), [url, String(IDLE_CONNECTIONS)], {
      execArgv: [],
    });
    const [open] = await once(holder, 'message');
    // The server accepts a connection a moment after the operating system.
    while ((await count()) < Number(open) * 0.95) await new Promise(setImmediate);
    const held = await count();
    const during = memory();
    expect(held).toBeGreaterThan(IDLE_CONNECTIONS * 0.9);
    for (let i = 0; i < 20; i += 1) expect((await post(url, ipn(), { path: '/ipn/nobody' })).status).toBe(401);
    await expectUnharmed();
    expect((await send(`${url}/readyz`)).status).toBe(200);
    // Each is closed after 10 s. The holder exits when the last one is closed.
    await once(holder, 'exit');
    console.log(`${held} idle connections: ${before} MiB before, ${during} MiB during, ${memory()} MiB after`);
    expect(await count()).toBeLessThan(10);
  });
});
