/** The endpoint over HTTP, with a Temporal that answers as it is told. */
import type { FastifyInstance } from 'fastify';
import {
  app,
  type FakeTemporal,
  GRPC,
  ipn,
  otherApp,
  post,
  type Reply,
  raw,
  send,
  sign,
  startWebhook,
} from './support';

let temporal: FakeTemporal;
let server: FastifyInstance;
let url: string;
let lines: string[];

beforeEach(async () => {
  ({ temporal, server, url, lines } = await startWebhook());
});
afterEach(() => server.close());

const body = ipn();
const signature = sign(body);

/** A raw request whose headers may come twice. */
const rawPost = (headers: string[], path = `/ipn/${app.app_id}`) =>
  raw(
    url,
    [
      `POST ${path} HTTP/1.1`,
      'Host: webhook',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      ...headers,
      '',
      body.toString(),
    ].join('\r\n'),
  );

describe('a good notification', () => {
  test('is acknowledged as the interface asks: 200 and success', async () => {
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
  });

  test('is acknowledged only after Temporal took it', async () => {
    let take = () => {};
    temporal.until = new Promise((resolve) => {
      take = resolve;
    });
    let answered = false;
    const reply = post(url, body).then((answer) => {
      answered = true;
      return answer;
    });
    while (temporal.asked === 0) await new Promise(setImmediate);
    // Another request's whole way through the server: an answer that did not wait would be here by now.
    await send(`${url}/healthz`);
    expect(answered).toBe(false);
    take();
    expect(await reply).toMatchObject({ status: 200, body: 'success' });
  });

  test('signals its payment, or starts it in adopt form', async () => {
    await post(url, body);
    expect(temporal.signals).toHaveLength(1);
    const [request] = temporal.signals;
    expect(request).toMatchObject({
      namespace: 'payments',
      workflowId: 'payment:shop-1:order-1',
      workflowType: { name: 'payment' },
      taskQueue: { name: 'payments' },
      signalName: 'notification',
    });
    const read = (data: Uint8Array | null | undefined) => JSON.parse(Buffer.from(data ?? []).toString());
    expect(read(request?.input?.payloads?.[0]?.data)).toEqual({
      kind: 'adopt',
      app_id: 'shop-1',
      out_trade_no: 'order-1',
      trade_no: '2022022201111100011',
    });
    expect(read(request?.signalInput?.payloads?.[0]?.data)).toMatchObject({
      trade_status: 'SUCCESS',
      amount: '150.00',
    });
  });

  test('asks Temporal once', async () => {
    for (const running of [true, false]) {
      temporal.running = running;
      await post(url, body);
    }
    expect(temporal.asked).toBe(2);
  });

  test('carries nothing of its buyer into Temporal', async () => {
    await post(url, body);
    const sent = JSON.stringify(temporal.signals.map((s) => [s.input, s.signalInput].map(payloadText)));
    expect(sent).toContain('order-1');
    expect(sent).not.toMatch(/canar|Mariana|50284414727/i);
  });

  test('has the same request id whenever it comes again, and another has another', async () => {
    await post(url, body);
    await post(url, body);
    await post(url, ipn({ amount: '150.01' }));
    const [first, again, other] = temporal.signals.map(({ requestId }) => requestId);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test.each([
    ['with a character set', { 'content-type': 'application/json; charset=utf-8' }],
    ['with its type in capitals', { 'content-type': 'Application/JSON' }],
    ['with a slash at the end of its path', {}, '/ipn/shop-1/'],
    ['with a query', {}, '/ipn/shop-1?source=gateway'],
  ])('is taken %s', async (_, headers, path = '/ipn/shop-1') => {
    expect(await post(url, body, { headers: { ...headers }, path })).toMatchObject({ status: 200, body: 'success' });
  });

  test('is read under another signature header and in the scheme t-v2, where settings say so', async () => {
    const other = await startWebhook({ signature: { header: 'Acme-Signature', scheme: 't-v2' } });
    for (const header of [`t=1645516741,v2=${signature}`, `t=1645516741, v2=${signature}`]) {
      expect(await post(other.url, body, { headers: { 'acme-signature': header } })).toMatchObject({ status: 200 });
    }
    expect(await post(other.url, body)).toMatchObject({ status: 401 });
    await other.server.close();
  });
});

test('is not closed before Temporal has ended what nobody waits for any more', async () => {
  const impatient = await startWebhook({ ackTimeout: 50 });
  let end = () => {};
  impatient.temporal.until = new Promise((resolve) => {
    end = resolve;
  });
  expect(await post(impatient.url, body)).toMatchObject({ status: 503 });
  let isClosed = false;
  const closing = impatient.server.close().then(() => {
    isClosed = true;
  });
  // Everything else that closing waits for is there within this turn's requests.
  await post(url, body);
  expect(isClosed).toBe(false);
  end();
  await closing;
});

describe('a notification that is not genuine', () => {
  const otherAppsBody = ipn({ app_id: otherApp.app_id });
  const forgeries: [string, () => Promise<Reply>][] = [
    ['without a signature', () => post(url, body, { headers: { 'service-signature': '' } })],
    ['with another’s signature', () => post(url, body, { headers: { 'service-signature': sign(body, otherApp) } })],
    ['in uppercase', () => post(url, body, { headers: { 'service-signature': signature.toUpperCase() } })],
    ['with 63 digits', () => post(url, body, { headers: { 'service-signature': signature.slice(1) } })],
    ['with 65 digits', () => post(url, body, { headers: { 'service-signature': `${signature}0` } })],
    ['in the other scheme', () => post(url, body, { headers: { 'service-signature': `t=1,v2=${signature}` } })],
    ['for an unknown app', () => post(url, body, { path: '/ipn/nobody' })],
    ['for the wrong app', () => post(url, body, { path: '/ipn/shop-2' })],
    ['whose app is only in the body', () => post(url, otherAppsBody)],
    ['with bytes after its end', () => post(url, Buffer.concat([body, Buffer.from(' ')]), signedAs(signature))],
    ['with no body', () => post(url, Buffer.alloc(0), signedAs(signature))],
  ];

  test.each(forgeries)('%s is refused, and nothing is signalled', async (_, attempt) => {
    expect(await attempt()).toMatchObject({ status: 401, body: '{"result":"fail"}' });
    expect(temporal.told).toBe(0);
  });

  test('is refused without a hint of why: to the byte, every refusal is the same', async () => {
    const replies: Reply[] = [];
    for (const [, attempt] of forgeries) replies.push(await attempt());
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
  });

  test.each([
    ['both right', [signature, signature]],
    ['the first right', [signature, sign(body, otherApp)]],
    ['the last right', [sign(body, otherApp), signature]],
  ])('is refused with two signature headers, %s', async (_, values) => {
    const answer = await rawPost(values.map((value) => `Service-Signature: ${value}`));
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*\{"result":"fail"\}$/s);
    expect(temporal.told).toBe(0);
  });

  test('one signature header, whatever its case, is enough', async () => {
    expect(await rawPost([`sErViCe-SiGnAtUrE: ${signature}`])).toMatch(/^HTTP\/1\.1 200 .*success$/s);
  });

  test('leaves its reason in our own log, and never its signature, its body or a key', async () => {
    for (const [, attempt] of forgeries) await attempt();
    await post(url, body);
    temporal.failures = [GRPC.UNAVAILABLE];
    await post(url, body);
    const log = lines.join('');
    for (const why of ['bad signature', 'unknown app', 'other app']) expect(log).toContain(why);
    expect(log).toContain('notification accepted');
    for (const secret of [signature, app.secret_key, otherApp.secret_key, 'Mariana', '50284414727', 'canary@']) {
      expect(log).not.toContain(secret);
    }
  });
});

test('line ends and colours in what the log tells of a notification stay inside its one line', async () => {
  const forged = 'PIX\r\n{"level":60,"msg":"all is well"}\u001b[31m\u2028';
  expect((await post(url, ipn({ out_trade_no: forged, trade_status: forged }))).status).toBe(200);
  const told = lines.filter((line) => line.includes('notification accepted'));
  expect(told).toHaveLength(1);
  for (const sign of ['\n', '\r', '\u001b']) expect(told[0]?.trimEnd()).not.toContain(sign);
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ level: 30, out_trade_no: forged, trade_status: forged });
});

describe('a request that is no notification', () => {
  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonp', 415],
    ['application/json, text/plain', 415],
    ['nonsense', 415],
  ])('of the content type %s is refused, though the signature holds', async (type, status) => {
    expect(await post(url, body, { headers: { 'content-type': type } })).toMatchObject({
      status,
      body: '{"result":"fail"}',
    });
    expect(temporal.told).toBe(0);
  });

  test('with no content type is refused', async () => {
    const answer = await raw(
      url,
      `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nConnection: close\r\nService-Signature: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d .*\{"result":"fail"\}$/s);
    expect(temporal.told).toBe(0);
  });

  const padded = (length: number) => Buffer.concat([body, Buffer.alloc(length - body.length, ' ')]);

  test('of more than 64 KiB is refused, though the signature holds; of just that it is taken', async () => {
    expect(await post(url, padded(65_537))).toMatchObject({ status: 413, body: '{"result":"fail"}' });
    expect(temporal.told).toBe(0);
    expect(await post(url, padded(65_536))).toMatchObject({ status: 200, body: 'success' });
  });

  test('that grows past 64 KiB in chunks, its length untold, is cut off', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const answer = await raw(
      url,
      `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nService-Signature: ${signature}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      (write) => {
        for (let i = 0; i < 8; i += 1) write(chunk);
      },
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(temporal.told).toBe(0);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s is not a way to notify', async (method) => {
    const withBody = method === 'GET' ? {} : { body: new Uint8Array(body) };
    const headers = { 'content-type': 'application/json', 'service-signature': signature };
    expect(await send(`${url}/ipn/shop-1`, { method, headers, ...withBody })).toMatchObject({
      status: 404,
      body: '{"result":"fail"}',
    });
    expect(temporal.told).toBe(0);
  });

  test.each(['/', '/ipn', '/ipn/', '/ipn/shop-1/x', '/IPN/shop-1', '/ipn/../ipn', '/metrics', '/docs'])(
    '%s is no address of ours',
    async (path) => {
      const reply = await post(url, body, { path });
      expect([401, 404]).toContain(reply.status);
      expect(reply.body).toBe('{"result":"fail"}');
      expect(temporal.told).toBe(0);
    },
  );
});

describe('no answer tells what runs here', () => {
  const strange: [string, () => Promise<string>][] = [
    ['a path that cannot be decoded', () => rawPost([`Service-Signature: ${signature}`], '/ipn/%zz')],
    [
      'an app_id of 10,000 characters',
      () => rawPost([`Service-Signature: ${signature}`], `/ipn/${'a'.repeat(10_000)}`),
    ],
    ['headers of 64 KiB', () => rawPost([`X-Long: ${'a'.repeat(65_536)}`])],
    ['no HTTP', () => raw(url, 'EHLO webhook\r\n\r\n')],
    ['HTTP with two lengths', () => rawPost(['Content-Length: 1'])],
    ['a body that is not as long as it says', () => raw(url, 'POST /ipn/shop-1 HTTP/1.1\r\nContent-Length: x\r\n\r\n')],
    ['a method that nobody knows', () => raw(url, 'BREW /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n')],
    ['TRACE', () => raw(url, 'TRACE /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n')],
    ['a wrong path', () => rawPost([], '/nowhere')],
    ['health', () => raw(url, 'GET /healthz HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n')],
    ['readiness', () => raw(url, 'GET /readyz HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n')],
  ];

  test.each(strange)('%s', async (_, ask) => {
    const answer = await ask();
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(answer).not.toMatch(
      /fastify|FST_|node|x-powered-by|^server:|\bat .*:\d+:\d+|\.[jt]s\b|stack|temporal|grpc/im,
    );
    expect(temporal.told).toBe(0);
  });

  test('a failure of our own: 500 without a word of it', async () => {
    const broken = await startWebhook({
      // An app whose key cannot be read: what a programming mistake would look like.
      apps: [
        {
          ...app,
          get previous_secret_keys(): string[] {
            throw new Error('canary in the code');
          },
        },
      ],
    });
    const reply = await post(broken.url, body);
    expect(reply).toMatchObject({ status: 500, body: '{"result":"fail"}' });
    await broken.server.close();
  });
});

describe('a Temporal that does not take it', () => {
  test.each([
    ['cannot be reached', [GRPC.UNAVAILABLE]],
    ['refuses us', [GRPC.PERMISSION_DENIED]],
    ['does not answer, twice', [GRPC.DEADLINE_EXCEEDED, GRPC.DEADLINE_EXCEEDED]],
    ['does not answer and then cannot be reached', [GRPC.DEADLINE_EXCEEDED, GRPC.UNAVAILABLE]],
  ])('and %s: 503, and the gateway is asked to come again', async (_, failures) => {
    temporal.failures = failures;
    const reply = await post(url, body);
    expect(reply).toMatchObject({ status: 503, body: '{"result":"fail"}', headers: { 'retry-after': '60' } });
    expect(lines.join('')).toContain('Temporal did not take a notification');
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
  });

  test('in time is asked once more under the same request id, so that the signal cannot be there twice', async () => {
    temporal.failures = [GRPC.DEADLINE_EXCEEDED];
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
    const [first, second] = temporal.signals;
    expect(temporal.signals).toHaveLength(2);
    expect(second?.requestId).toBe(first?.requestId);
  });

  test('an unreadable notification is not acknowledged either', async () => {
    temporal.failures = [GRPC.UNAVAILABLE];
    const unreadable = Buffer.from('{"trade_no":');
    expect(await post(url, unreadable)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(await post(url, unreadable)).toMatchObject({ status: 200, body: 'success' });
  });
});

describe('a genuinely signed notification that cannot be read', () => {
  test('is kept as a workflow with its bytes, then acknowledged', async () => {
    const unreadable = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    expect(await post(url, unreadable)).toMatchObject({ status: 200, body: 'success' });
    expect(temporal.signals).toHaveLength(0);
    expect(temporal.starts).toHaveLength(1);
    expect(temporal.starts[0]).toMatchObject({
      workflowType: { name: 'strayNotification' },
      workflowId: expect.stringMatching(/^stray-notification:shop-1:[0-9a-f]{64}$/),
    });
    expect(payloadText(temporal.starts[0]?.input)).toBe(
      JSON.stringify({ app_id: 'shop-1', body: unreadable.toString('base64') }),
    );
  });

  test('does not put its bytes into the log', async () => {
    await post(url, Buffer.from('{"user":{"name":"Mariana"}'));
    expect(lines.join('')).toContain('could not be read');
    expect(lines.join('')).not.toContain('Mariana');
  });
});

describe('health', () => {
  test('/healthz says that the process lives, also without Temporal', async () => {
    temporal.failures = [GRPC.UNAVAILABLE];
    expect(await send(`${url}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test('/readyz says whether notifications can be taken', async () => {
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ready"}' });
    temporal.failures = [GRPC.UNAVAILABLE];
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_001);
    expect((await send(`${url}/readyz`)).status).toBe(503);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1_001);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    jest.restoreAllMocks();
  });

  test('/readyz asked 100 times at once asks Temporal once', async () => {
    // However long a busy machine takes for them.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(`${url}/readyz`)));
    jest.restoreAllMocks();
    for (const reply of replies) expect(reply.status).toBe(200);
    expect(temporal.asked).toBe(1);
  });
});

describe('a slow sender is cut off', () => {
  const head = 'POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\n';
  const timers: NodeJS.Timeout[] = [];
  afterEach(() => {
    for (const timer of timers.splice(0)) clearInterval(timer);
  });
  const drip = (write: (more: string) => void) => {
    timers.push(setInterval(() => write('a'), 200));
  };

  test('within seconds, whether it says nothing, drips headers, drips a body or stops in the middle', async () => {
    const started = Date.now();
    const seconds = async (cut: Promise<string>) => {
      await cut;
      return (Date.now() - started) / 1_000;
    };
    const taken = await Promise.all([
      seconds(raw(url, '')),
      seconds(raw(url, `${head}X-Slow: `, drip)),
      seconds(raw(url, `${head}Content-Length: 60000\r\n\r\n{`, drip)),
      seconds(raw(url, `${head}Content-Length: 60000\r\n\r\n{"trade_no":`)),
    ]);
    for (const took of taken) expect(took).toBeLessThan(16);
    expect(temporal.told).toBe(0);
  }, 60_000);
});

function signedAs(header: string) {
  return { headers: { 'service-signature': header } };
}

/** The first payload as text. */
function payloadText(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): string {
  return Buffer.from(payloads?.payloads?.[0]?.data ?? []).toString();
}
