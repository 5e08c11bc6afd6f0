/** The hints in our own log about a wrong setting, and that nobody without the key can put one there. */
import crypto from 'node:crypto';
import { signTestNotification } from '../../src/testing/signed-notification';
import type { WebhookApp } from '../../src/webhook';
import { app, ipn, makeWebhook, otherApp, requestOf, sign } from './support';

const body = ipn();
type Headers = [string, string][];

interface Given {
  apps?: WebhookApp[];
  scheme?: 'hex' | 't-v2';
  /** The app of its path. */
  to?: string;
  sent?: Buffer;
}

/** Has the endpoint refuse a notification; resolves to the text of the log. */
async function refused(headers: Headers, { apps = [app], scheme = 'hex', to = app.app_id, sent = body }: Given = {}) {
  const { webhook, lines } = makeWebhook({ apps, signature: { header: 'Service-Signature', scheme } });
  const answer = await webhook.answer(requestOf(sent, { headers, path: `/ipn/${to}` }));
  expect(answer.status).toBe(401);
  while (!lines.some((line) => line.includes('was refused'))) await new Promise(setImmediate);
  return lines.join('');
}

const spaced = [{ ...app, secret_key: `${app.secret_key}\n` }];

test('a key with white space around it is logged at the start, and again if it is the reason', async () => {
  const log = await refused([['Service-Signature', sign(body)]], { apps: spaced });
  expect(log).toContain('"app_id":"shop-1","msg":"the secret key of this app has white space around it"');
  expect(log).toContain('without it the signature is right');
  expect(log).not.toContain(app.secret_key);
});

test('a signature in the other scheme', async () => {
  const t = await refused([['Service-Signature', sign(body, app, 't-v2')]]);
  expect(t).toContain('set GATEWAY_SIGNATURE_SCHEME=t-v2');
  const hex = await refused([['Service-Signature', sign(body)]], { scheme: 't-v2' });
  expect(hex).toContain('set GATEWAY_SIGNATURE_SCHEME=hex');
});

test('a signature in another header', async () => {
  const log = await refused([
    ['X-Other', 'a'.repeat(64)],
    ['Acme-Signature', sign(body)],
  ]);
  expect(log).toContain('set GATEWAY_SIGNATURE_HEADER=Acme-Signature');
});

test('a signature header that comes twice', async () => {
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
  ['a wrong key if ours has white space', [['Service-Signature', sign(body, otherApp)]], { apps: spaced }],
  ['no signature', [], {}],
  [
    'two wrong signatures',
    [
      ['Service-Signature', sign(body, otherApp)],
      ['Service-Signature', '0'.repeat(64)],
    ],
    {},
  ],
])('there is no hint for a notification with %s', async (_, headers, given) => {
  expect(await refused(headers, given)).not.toContain('"hint"');
});

test('a notification with a good signature for another app gets no hint', async () => {
  const theirs = ipn({ app_id: otherApp.app_id });
  const log = await refused([['Service-Signature', sign(theirs)]], { sent: theirs });
  expect(log).toContain('"why":"other app"');
  expect(log).not.toContain('"hint"');
});

describe('the search for a hint', () => {
  const apps = [{ ...app, previous_secret_keys: ['an old key', 'an older one'] }, otherApp];
  const hex = (n: number) => n.toString(16).padStart(64, '0');
  const many = (name: (n: number) => string): Headers => Array.from({ length: 2_000 }, (_, n) => [name(n), hex(n)]);

  /** The number of HMACs for one refusal, its hint included. */
  async function computed(headers: Headers, to: string): Promise<number> {
    const hmac = jest.spyOn(crypto, 'createHmac');
    await refused(headers, { apps, to });
    const { length } = hmac.mock.calls;
    hmac.mockRestore();
    return length;
  }

  test.each<[string, Headers]>([
    ['no signature', []],
    ['a wrong signature', [['Service-Signature', hex(1)]]],
    ['2,000 headers that could each be the signature', many((n) => `x-${n}`)],
    ['2,000 signatures', many(() => 'Service-Signature')],
  ])('takes the same, bounded number of HMACs for a known and an unknown app: %s', async (_, headers) => {
    const unlike = headers.map(([name]): Headers[number] => [name, 'does not look like a signature']);
    for (const given of [headers, unlike]) {
      const known = await computed(given, 'shop-1');
      expect(known).toBeLessThanOrEqual(40);
      expect([await computed(given, 'shop-2'), await computed(given, 'nobody')]).toEqual([known, known]);
    }
  });
});

test('a flood of forged notifications writes at most 600 lines a minute', async () => {
  const { webhook, lines } = makeWebhook();
  for (let i = 0; i < 1_000; i += 1) {
    expect((await webhook.answer(requestOf(Buffer.alloc(0)))).status).toBe(401);
  }
  while (lines.length < 600) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(lines).toHaveLength(600);
});

describe('signTestNotification', () => {
  const settings = [
    { header: 'Service-Signature', scheme: 'hex' },
    { header: 'Acme-Signature', scheme: 't-v2' },
  ] as const;

  test.each(settings)('makes a notification that the endpoint accepts with %j', async (signature) => {
    const { webhook, temporal } = makeWebhook({ signature });
    const made = signTestNotification(app, { out_trade_no: 'order-9', trade_status: 'REFUNDED' }, signature);
    const headers = Object.entries(made.headers).filter(([name]) => name !== 'content-type');
    const answer = await webhook.answer(requestOf(Buffer.from(made.body), { headers }));
    expect(answer).toMatchObject({ status: 200, body: 'success' });
    expect(temporal.signals[0]?.workflowId).toBe('after-sale:shop-1:order-9');
  });
});
