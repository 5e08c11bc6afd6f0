/** The endpoint over HTTP, with a fake Temporal. */
import type { FastifyInstance } from 'fastify';
import { GRPC_STATUS } from '../../src/temporal/grpc-status';
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

/** Posts over a bare socket, so that a header may come twice. */
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
  test('is acknowledged with 200 and success (section 6.3)', async () => {
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
  });

  test('is acknowledged only after Temporal has it', async () => {
    let take = () => {};
    temporal.gate = new Promise((resolve) => {
      take = resolve;
    });
    let answered = false;
    const reply = post(url, body).then((answer) => {
      answered = true;
      return answer;
    });
    while (temporal.callCount === 0) await new Promise(setImmediate);
    // A whole other request passes through the server: an answer that does not wait would have come by now.
    await send(`${url}/healthz`);
    expect(answered).toBe(false);
    take();
    expect(await reply).toMatchObject({ status: 200, body: 'success' });
  });

  test('signals its account, whose workflow task may read thousands of deposits that piled up', async () => {
    await post(url, ipn({ transfer_account: { account_id: 'A1', account_number: '646180157000000004' } }));
    const [request] = temporal.signals;
    expect(request).toMatchObject({ workflowId: 'spei-account:shop-1:A1', workflowType: { name: 'speiAccount' } });
    expect(Number(request?.workflowTaskTimeout?.seconds)).toBe(60);
  });

  test('signals its payment, with the input for a start in adopt form', async () => {
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

  test('needs one call to Temporal', async () => {
    for (const running of [true, false]) {
      temporal.running = running;
      await post(url, body);
    }
    expect(temporal.callCount).toBe(2);
  });

  test('sends no personal data to Temporal', async () => {
    await post(url, body);
    const sent = JSON.stringify(temporal.signals.map((s) => [s.input, s.signalInput].map(payloadText)));
    expect(sent).toContain('order-1');
    expect(sent).not.toMatch(/canar|Mariana|50284414727/i);
  });

  test('has the same request id each time; another notification has another one', async () => {
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
  ])('is accepted %s', async (_, headers, path = '/ipn/shop-1') => {
    expect(await post(url, body, { headers: { ...headers }, path })).toMatchObject({ status: 200, body: 'success' });
  });

  test('is accepted with the signature header and the scheme of the settings', async () => {
    const other = await startWebhook({ signature: { header: 'Acme-Signature', scheme: 't-v2' } });
    for (const header of [`t=1645516741,v2=${signature}`, `t=1645516741, v2=${signature}`]) {
      expect(await post(other.url, body, { headers: { 'acme-signature': header } })).toMatchObject({ status: 200 });
    }
    expect(await post(other.url, body)).toMatchObject({ status: 401 });
    await other.server.close();
  });
});

test('the server closes only after the calls to Temporal have ended, even if their senders were answered', async () => {
  const impatient = await startWebhook({ ackTimeout: 50 });
  let end = () => {};
  impatient.temporal.gate = new Promise((resolve) => {
    end = resolve;
  });
  expect(await post(impatient.url, body)).toMatchObject({ status: 503 });
  let isClosed = false;
  const closing = impatient.server.close().then(() => {
    isClosed = true;
  });
  // A whole other request passes: everything else that closing waits for has ended by now.
  await post(url, body);
  expect(isClosed).toBe(false);
  end();
  await closing;
});

describe('a forged notification', () => {
  const otherAppsBody = ipn({ app_id: otherApp.app_id });
  const forgeries: [string, () => Promise<Reply>][] = [
    ['without a signature', () => post(url, body, { headers: { 'service-signature': '' } })],
    [
      'with the signature of another app',
      () => post(url, body, { headers: { 'service-signature': sign(body, otherApp) } }),
    ],
    ['in uppercase', () => post(url, body, { headers: { 'service-signature': signature.toUpperCase() } })],
    ['with 63 digits', () => post(url, body, { headers: { 'service-signature': signature.slice(1) } })],
    ['with 65 digits', () => post(url, body, { headers: { 'service-signature': `${signature}0` } })],
    ['in the other scheme', () => post(url, body, { headers: { 'service-signature': `t=1,v2=${signature}` } })],
    ['for an unknown app', () => post(url, body, { path: '/ipn/nobody' })],
    ['for the wrong app', () => post(url, body, { path: '/ipn/shop-2' })],
    ['whose app is in the body, but not in the path', () => post(url, otherAppsBody)],
    ['with bytes after its end', () => post(url, Buffer.concat([body, Buffer.from(' ')]), signedAs(signature))],
    ['with no body', () => post(url, Buffer.alloc(0), signedAs(signature))],
  ];

  test.each(forgeries)('%s is refused, and Temporal gets nothing', async (_, attempt) => {
    expect(await attempt()).toMatchObject({ status: 401, body: '{"result":"fail"}' });
    expect(temporal.writeCount).toBe(0);
  });

  test('gets the same answer, byte by byte, whatever is wrong', async () => {
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
    expect(temporal.writeCount).toBe(0);
  });

  test('and a good one with its signature header in mixed case is accepted', async () => {
    expect(await rawPost([`sErViCe-SiGnAtUrE: ${signature}`])).toMatch(/^HTTP\/1\.1 200 .*success$/s);
  });

  test('has its reason in our own log, but never its signature, its body or a key', async () => {
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

test('line ends and colours in a notification’s fields are escaped in the log', async () => {
  const forged = 'PIX\r\n{"level":60,"msg":"all is well"}\u001b[31m\u2028';
  expect((await post(url, ipn({ out_trade_no: 'order-1', trade_status: forged }))).status).toBe(200);
  const accepted = lines.filter((line) => line.includes('notification accepted'));
  expect(accepted).toHaveLength(1);
  for (const sign of ['\n', '\r', '\u001b']) expect(accepted[0]?.trimEnd()).not.toContain(sign);
  expect(JSON.parse(accepted[0] ?? '')).toMatchObject({ level: 30, order: 'order-1', trade_status: forged });
});

describe('a request that is not a notification', () => {
  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonp', 415],
    ['application/json, text/plain', 415],
    ['nonsense', 415],
  ])('with the content type %s is refused, even with a good signature', async (type, status) => {
    expect(await post(url, body, { headers: { 'content-type': type } })).toMatchObject({
      status,
      body: '{"result":"fail"}',
    });
    expect(temporal.writeCount).toBe(0);
  });

  test('without a content type is refused', async () => {
    const answer = await raw(
      url,
      `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nConnection: close\r\nService-Signature: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d .*\{"result":"fail"\}$/s);
    expect(temporal.writeCount).toBe(0);
  });

  const padded = (length: number) => Buffer.concat([body, Buffer.alloc(length - body.length, ' ')]);

  test('of more than 512 KiB is refused and said in the log, even with a good signature; 512 KiB are accepted', async () => {
    expect(await post(url, padded(524_289))).toMatchObject({ status: 413, body: '{"result":"fail"}' });
    expect(temporal.writeCount).toBe(0);
    expect(await post(url, padded(524_288))).toMatchObject({ status: 200, body: 'success' });
    expect(lines.join('')).toMatch(
      /"why":"body too long",.*"app_id":"shop-1","hint":".*look in its dashboard for a deposit/,
    );
  });

  test('whose chunks grow above 512 KiB is cut off', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const answer = await raw(
      url,
      `POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nService-Signature: ${signature}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      (write) => {
        for (let i = 0; i < 40; i += 1) write(chunk);
      },
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(temporal.writeCount).toBe(0);
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('with the method %s gets 404', async (method) => {
    const withBody = method === 'GET' ? {} : { body: new Uint8Array(body) };
    const headers = { 'content-type': 'application/json', 'service-signature': signature };
    expect(await send(`${url}/ipn/shop-1`, { method, headers, ...withBody })).toMatchObject({
      status: 404,
      body: '{"result":"fail"}',
    });
    expect(temporal.writeCount).toBe(0);
  });

  test.each(['/', '/ipn', '/ipn/', '/ipn/shop-1/x', '/IPN/shop-1', '/ipn/../ipn', '/metrics', '/docs'])(
    'at the path %s gets 401 or 404',
    async (path) => {
      const reply = await post(url, body, { path });
      expect([401, 404]).toContain(reply.status);
      expect(reply.body).toBe('{"result":"fail"}');
      expect(temporal.writeCount).toBe(0);
    },
  );
});

describe('no answer shows what software runs here', () => {
  const strange: [string, () => Promise<string>][] = [
    ['a path that cannot be decoded', () => rawPost([`Service-Signature: ${signature}`], '/ipn/%zz')],
    [
      'an app_id of 10,000 characters',
      () => rawPost([`Service-Signature: ${signature}`], `/ipn/${'a'.repeat(10_000)}`),
    ],
    ['headers of 64 KiB', () => rawPost([`X-Long: ${'a'.repeat(65_536)}`])],
    ['bytes that are not HTTP', () => raw(url, 'EHLO webhook\r\n\r\n')],
    ['two lengths', () => rawPost(['Content-Length: 1'])],
    ['a length that is not a number', () => raw(url, 'POST /ipn/shop-1 HTTP/1.1\r\nContent-Length: x\r\n\r\n')],
    ['an unknown method', () => raw(url, 'BREW /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nConnection: close\r\n\r\n')],
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
    expect(temporal.writeCount).toBe(0);
  });

  test('an error in our code gets 500 without its message', async () => {
    const broken = await startWebhook({
      // A key that throws when it is read, as a programming mistake would.
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

describe('if Temporal', () => {
  test.each([
    ['cannot be reached', [GRPC.UNAVAILABLE]],
    ['refuses us', [GRPC.PERMISSION_DENIED]],
    ['does not answer, twice', [GRPC.DEADLINE_EXCEEDED, GRPC.DEADLINE_EXCEEDED]],
    ['does not answer and then cannot be reached', [GRPC.DEADLINE_EXCEEDED, GRPC.UNAVAILABLE]],
    ['cancels the call at its deadline, twice', [GRPC.CANCELLED, GRPC.CANCELLED]],
  ])('%s, a notification gets 503 with Retry-After', async (_, failures) => {
    temporal.failures = failures;
    const reply = await post(url, body);
    expect(reply).toMatchObject({ status: 503, body: '{"result":"fail"}', headers: { 'retry-after': '60' } });
    expect(lines.join('')).toContain('Temporal did not take a notification');
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
  });

  test.each([
    ['does not answer in time', GRPC.DEADLINE_EXCEEDED],
    ['cancels the call at its deadline', GRPC.CANCELLED],
  ])('%s, the call is repeated with the same request id, so that no signal is doubled', async (_, failure) => {
    temporal.failures = [failure];
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
    const [first, second] = temporal.signals;
    expect(temporal.signals).toHaveLength(2);
    expect(second?.requestId).toBe(first?.requestId);
  });

  test('cannot be reached, an unreadable notification gets 503 too', async () => {
    temporal.failures = [GRPC.UNAVAILABLE];
    const unreadable = Buffer.from('{"trade_no":');
    expect(await post(url, unreadable)).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(await post(url, unreadable)).toMatchObject({ status: 200, body: 'success' });
  });
});

describe('an unreadable notification with a good signature', () => {
  test('starts a workflow that keeps its bytes, and is acknowledged', async () => {
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

  test('is logged without its bytes', async () => {
    await post(url, Buffer.from('{"user":{"name":"Mariana"}'));
    expect(lines.join('')).toContain('could not be read');
    expect(lines.join('')).not.toContain('Mariana');
  });
});

describe('health', () => {
  test('/healthz answers 200, even without Temporal', async () => {
    temporal.failures = [GRPC.UNAVAILABLE];
    expect(await send(`${url}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  test('/readyz answers 200 or 503 by whether Temporal can be reached', async () => {
    expect(await send(`${url}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ready"}' });
    temporal.failures = [GRPC.UNAVAILABLE];
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_001);
    expect((await send(`${url}/readyz`)).status).toBe(503);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_001);
    expect((await send(`${url}/readyz`)).status).toBe(200);
    jest.restoreAllMocks();
  });

  test.each([
    ['PERMISSION_DENIED', 200],
    ['RESOURCE_EXHAUSTED', 200],
    ['UNAUTHENTICATED', 503],
  ] as const)('/readyz, where Temporal answers %s to its question, is %i', async (code, status) => {
    temporal.failures = [GRPC_STATUS[code]];
    expect((await send(`${url}/readyz`)).status).toBe(status);
  });

  test('/readyz calls Temporal once for 100 requests at once', async () => {
    // The clock stands still, so that a slow machine needs one call too.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(`${url}/readyz`)));
    jest.restoreAllMocks();
    for (const reply of replies) expect(reply.status).toBe(200);
    expect(temporal.callCount).toBe(1);
  });
});

describe('a slow sender', () => {
  const head = 'POST /ipn/shop-1 HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\n';
  const timers: NodeJS.Timeout[] = [];
  afterEach(() => {
    for (const timer of timers.splice(0)) clearInterval(timer);
  });
  const drip = (write: (more: string) => void) => {
    timers.push(setInterval(() => write('a'), 200));
  };

  test('is cut off if it sends nothing, drips headers, drips a body or stops in the middle', async () => {
    const began = performance.now();
    // Each resolves when the server closes the connection.
    await Promise.all([
      raw(url, ''),
      raw(url, `${head}X-Slow: `, drip),
      raw(url, `${head}Content-Length: 60000\r\n\r\n{`, drip),
      raw(url, `${head}Content-Length: 60000\r\n\r\n{"trade_no":`),
    ]);
    // It takes about 11 s. Node's own limit, which would hold without ours, is 300 s.
    expect(performance.now() - began).toBeLessThan(110_000);
    expect(temporal.writeCount).toBe(0);
  });
});

function signedAs(header: string) {
  return { headers: { 'service-signature': header } };
}

/** The first payload as text. */
function payloadText(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): string {
  return Buffer.from(payloads?.payloads?.[0]?.data ?? []).toString();
}
