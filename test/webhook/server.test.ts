/** The endpoint over HTTP, with a fake Temporal. */
import type { FastifyInstance } from 'fastify';
import { GRPC_STATUS } from '../../src/temporal/call-errors';
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

describe('a good notification', () => {
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

// Every way to forge one: abuse/requests.ts.
describe('a forged notification', () => {
  const forgeries: (() => Promise<Reply>)[] = [
    () => post(url, body, { headers: { 'service-signature': '' } }),
    () => post(url, body, { headers: { 'service-signature': sign(body, otherApp) } }),
    () => post(url, body, { path: '/ipn/nobody' }),
    () => post(url, body, { path: '/ipn/shop-2' }),
    () => post(url, ipn({ app_id: otherApp.app_id })),
  ];

  test('gets the same answer, byte by byte, whatever is wrong', async () => {
    const replies: Reply[] = [];
    for (const attempt of forgeries) replies.push(await attempt());
    expect(replies[0]).toMatchObject({ status: 401, body: '{"result":"fail"}' });
    expect(temporal.writeCount).toBe(0);
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
  });

  test('has its reason in our own log, but never its signature, its body or a key', async () => {
    for (const attempt of forgeries) await attempt();
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

test('a body of more than 512 KiB is refused and said in the log, even with a good signature; 512 KiB are accepted', async () => {
  const padded = (length: number) => Buffer.concat([body, Buffer.alloc(length - body.length, ' ')]);
  expect(await post(url, padded(524_289))).toMatchObject({ status: 413, body: '{"result":"fail"}' });
  expect(temporal.writeCount).toBe(0);
  expect(await post(url, padded(524_288))).toMatchObject({ status: 200, body: 'success' });
  expect(lines.join('')).toMatch(
    /"why":"body too long",.*"app_id":"shop-1","hint":".*look in its dashboard for a deposit/,
  );
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
});

describe('an unreadable notification with a good signature', () => {
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

/** The first payload as text. */
function payloadText(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): string {
  return Buffer.from(payloads?.payloads?.[0]?.data ?? []).toString();
}
