/** What our own log says when the gateway's own notifications are refused because of a setting; and that no stranger puts it there. */
import crypto from 'node:crypto';
import { createWebhook, signTestNotification, type WebhookApp } from '../../src/webhook';
import { app, FakeTemporal, ipn, otherApp, readableLog, sign } from './support';

const body = ipn();
type Headers = [string, string][];

/** Refuses a notification; answers with what the log then says. */
async function refused(headers: Headers, { apps = [app], scheme = 'hex', to = app.app_id, sent = body }: Given = {}) {
  const { log, lines } = readableLog();
  const temporal = new FakeTemporal();
  const webhook = createWebhook({
    client: temporal.client,
    taskQueue: 'payments',
    apps,
    signature: { header: 'Service-Signature', scheme },
    log,
  });
  const answer = await webhook.answer({
    method: 'POST',
    path: `/ipn/${to}`,
    headers: [['content-type', 'application/json'], ...headers],
    address: '127.0.0.1',
    body: (async function* () {
      yield sent;
    })(),
  });
  expect(answer.status).toBe(401);
  while (!lines.some((line) => line.includes('was refused'))) await new Promise(setImmediate);
  return lines.join('');
}
interface Given {
  apps?: WebhookApp[];
  scheme?: 'hex' | 't-v2';
  /** The app of its path. */
  to?: string;
  sent?: Buffer;
}

const spaced = [{ ...app, secret_key: `${app.secret_key}\n` }];

test('a key with white space around it is told of at the start, and again where it is the reason', async () => {
  const log = await refused([['Service-Signature', sign(body)]], { apps: spaced });
  expect(log).toContain('"app_id":"shop-1","msg":"the secret key of this app has white space around it"');
  expect(log).toContain('without it the signature holds');
  expect(log).not.toContain(app.secret_key);
});

test('the other scheme', async () => {
  const t = await refused([['Service-Signature', sign(body, app, 't-v2')]]);
  expect(t).toContain('set GATEWAY_SIGNATURE_SCHEME=t-v2');
  const hex = await refused([['Service-Signature', sign(body)]], { scheme: 't-v2' });
  expect(hex).toContain('set GATEWAY_SIGNATURE_SCHEME=hex');
});

test('another header, whose name is the gateway’s', async () => {
  const log = await refused([
    ['X-Other', 'a'.repeat(64)],
    ['Acme-Signature', sign(body)],
  ]);
  expect(log).toContain('set GATEWAY_SIGNATURE_HEADER=Acme-Signature');
});

test('a header that comes twice', async () => {
  const twice: Headers = [
    ['Service-Signature', sign(body)],
    ['service-signature', sign(body)],
  ];
  expect(await refused(twice)).toContain('came 2 times');
});

test.each<[string, Headers, Given]>([
  ['a wrong key', [['Service-Signature', sign(body, otherApp)]], {}],
  ['a wrong key in the other scheme', [['Service-Signature', sign(body, otherApp, 't-v2')]], {}],
  ['a wrong key in another header', [['Acme-Signature', sign(body, otherApp)]], {}],
  ['a wrong key where ours has white space', [['Service-Signature', sign(body, otherApp)]], { apps: spaced }],
  ['no signature', [], {}],
  [
    'two wrong ones',
    [
      ['Service-Signature', sign(body, otherApp)],
      ['Service-Signature', '0'.repeat(64)],
    ],
    {},
  ],
])('nobody without the key puts a hint there: %s', async (_, headers, given) => {
  expect(await refused(headers, given)).not.toContain('"hint"');
});

test('what is signed and refused all the same gets no hint about its signature', async () => {
  const theirs = ipn({ app_id: otherApp.app_id });
  const log = await refused([['Service-Signature', sign(theirs)]], { sent: theirs });
  expect(log).toContain('"why":"other app"');
  expect(log).not.toContain('"hint"');
});

describe('looking for a hint', () => {
  const apps = [{ ...app, previous_secret_keys: ['an old key', 'an older one'] }, otherApp];
  const hex = (n: number) => n.toString(16).padStart(64, '0');
  const many = (name: (n: number) => string): Headers => Array.from({ length: 2_000 }, (_, n) => [name(n), hex(n)]);

  /** How many signatures one refusal takes, its hint included. */
  async function computed(headers: Headers, to: string): Promise<number> {
    const hmac = jest.spyOn(crypto, 'createHmac');
    await refused(headers, { apps, to });
    const { length } = hmac.mock.calls;
    hmac.mockRestore();
    return length;
  }

  test.each<[string, Headers]>([
    ['no signature', []],
    ['a wrong one', [['Service-Signature', hex(1)]]],
    ['2,000 headers that could each be the signature', many((n) => `x-${n}`)],
    ['2,000 signatures', many(() => 'Service-Signature')],
  ])('takes as long for an app that there is as for one that nobody has, and not for long: %s', async (_, headers) => {
    const unlike = headers.map(([name]): Headers[number] => [name, 'no signature at all']);
    for (const given of [headers, unlike]) {
      const known = await computed(given, 'shop-1');
      expect(known).toBeLessThanOrEqual(40);
      expect([await computed(given, 'shop-2'), await computed(given, 'nobody')]).toEqual([known, known]);
    }
  });
});

test('a flood of forgeries does not become a flood of lines', async () => {
  const { log, lines } = readableLog();
  const webhook = createWebhook({
    client: new FakeTemporal().client,
    taskQueue: 'payments',
    apps: [app],
    signature: { header: 'Service-Signature', scheme: 'hex' },
    log,
  });
  for (let i = 0; i < 1_000; i += 1) {
    const headers = [['content-type', 'application/json']] as const;
    const answer = await webhook.answer({
      method: 'POST',
      path: '/ipn/shop-1',
      headers,
      address: '127.0.0.1',
      body: (async function* () {})(),
    });
    expect(answer.status).toBe(401);
  }
  while (lines.length < 600) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(lines).toHaveLength(600);
});

describe('a test notification for merchants’ own tests', () => {
  const settings = [
    { header: 'Service-Signature', scheme: 'hex' },
    { header: 'Acme-Signature', scheme: 't-v2' },
  ] as const;

  test.each(settings)('is one that the endpoint takes: %j', async (signature) => {
    const temporal = new FakeTemporal();
    const { log } = readableLog();
    const webhook = createWebhook({ client: temporal.client, taskQueue: 'payments', apps: [app], signature, log });
    const made = signTestNotification(app, { out_trade_no: 'order-9', trade_status: 'REFUNDED' }, signature);
    const answer = await webhook.answer({
      method: 'POST',
      path: '/ipn/shop-1',
      headers: Object.entries(made.headers),
      address: undefined,
      body: (async function* () {
        yield Buffer.from(made.body);
      })(),
    });
    expect(answer).toMatchObject({ status: 200, body: 'success' });
    expect(temporal.signals[0]?.workflowId).toBe('after-sale:shop-1:order-9');
  });
});
