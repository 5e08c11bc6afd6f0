/** The codec server over HTTP: who may use it, what each role sees, and what it refuses. */
import { createServer } from 'node:http';
import type { Payload } from '@temporalio/common';
import { exportJWK, generateKeyPair, type JWTPayload, type KeyLike, SignJWT } from 'jose';
import { z } from 'zod';
import { EncryptionCodec, type RunningCodecServer, startCodecServer } from '../../src/codec';
import { accessFrom } from '../../src/codec/access';
import { ConfigError, loadConfig } from '../../src/process/settings';
import { localServer } from '../harness/local-server';
import { readableLog } from '../webhook/support';
import { decoded, key, metadata, payload, setting } from './support';

const KEY = key('k1');
const codec = new EncryptionCodec([KEY]);
const UI = 'https://temporal.example.com';
const VIEWER = 'viewer-token-of-at-least-32-characters';
const SUPPORT = 'support-token-of-at-least-32-characters';
const ISSUER = 'https://login.example.com/';
const AUDIENCE = 'payments-codec';
const HERE = { namespace: 'payments', workflowId: 'payment:app-1:order-1' };
const ORDER = {
  out_trade_no: 'order-1',
  token: 'tok_canary',
  account_verification_code: '4821',
  customer: { name: 'Mariana', email: 'm@example.com', identify: { number: '50284414727', type: 'CPF' } },
};

const { log, lines } = readableLog();
const closing: (() => unknown)[] = [];
let server: RunningCodecServer;
let signingKey: KeyLike;

beforeAll(async () => {
  const pair = await generateKeyPair('RS256');
  signingKey = pair.privateKey;
  const jwks = await serve({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'login-1', alg: 'RS256' }] });
  server = await start({
    CODEC_SERVER_TOKEN: VIEWER,
    CODEC_SERVER_SUPPORT_TOKEN: SUPPORT,
    CODEC_SERVER_JWKS_URL: jwks,
    CODEC_SERVER_JWT_ISSUER: ISSUER,
    CODEC_SERVER_JWT_AUDIENCE: AUDIENCE,
  });
});
afterAll(() => Promise.all(closing.map((close) => close())));

async function start(env: Record<string, string>): Promise<RunningCodecServer> {
  const config = loadConfig({
    PAYMENTS_ENCRYPTION_KEYS: setting(KEY),
    CODEC_SERVER_PORT: '0',
    CODEC_SERVER_UI_ORIGINS: UI,
    ...env,
  });
  const started = await startCodecServer(config, log);
  closing.push(() => started.close());
  return started;
}

/** Starts a log-in provider's server, which publishes its public keys. */
async function serve(document: unknown): Promise<string> {
  const login = createServer((_request, response) => response.end(JSON.stringify(document)));
  const { origin, close } = await localServer(login);
  closing.push(close);
  return `${origin}/jwks`;
}

const jwt = (claims: JWTPayload = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'login-1' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('1h')
    .sign(signingKey);

const inJson = (payloads: Payload[]) =>
  JSON.stringify({
    payloads: payloads.map((one) => ({
      metadata: Object.fromEntries(
        Object.entries(one.metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
      ),
      data: Buffer.from(one.data ?? []).toString('base64'),
    })),
  });

async function ask(
  path: string,
  body: string,
  { token, ...headers }: Record<string, string | undefined> = { token: VIEWER },
) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value ? [[name, value]] : []))),
    },
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

function payloadsIn(body: string): Payload[] {
  const { payloads } = JSON.parse(body);
  return payloads.map((one: { metadata: Record<string, string>; data?: string }) => ({
    metadata: Object.fromEntries(
      Object.entries(one.metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]),
    ),
    data: Buffer.from(one.data ?? '', 'base64'),
  }));
}

async function shown(value: unknown, token: string): Promise<unknown> {
  const answer = await ask('/decode', inJson(await codec.encode([payload(value)], HERE)), { token });
  expect([answer.status, answer.body]).toEqual([200, expect.any(String)]);
  return decoded(payloadsIn(answer.body)[0] ?? {});
}

const masked = { ...ORDER, token: '***', account_verification_code: '***' };
const FOR_VIEWERS = {
  ...masked,
  customer: { name: '***', email: '***', identify: { number: '***', type: 'CPF' } },
};
const FOR_SUPPORT = { ...masked, customer: { ...ORDER.customer, identify: { number: '***', type: 'CPF' } } };

describe('a decoded payload', () => {
  test('shows a viewer no personal data', async () => expect(await shown(ORDER, VIEWER)).toEqual(FOR_VIEWERS));

  test('shows support how to reach the buyer, but no token, PIN or identity number', async () =>
    expect(await shown(ORDER, SUPPORT)).toEqual(FOR_SUPPORT));

  test('of undefined stays undefined; bytes and bare texts are masked', async () => {
    expect(await shown(undefined, SUPPORT)).toBeUndefined();
    for (const value of [Buffer.from('canary'), 'canary', 4821]) expect(await shown(value, SUPPORT)).toBe('***');
  });

  test('that came in clear text is returned unchanged', async () => {
    const mixed = [payload(ORDER), ...(await codec.encode([payload(ORDER)], HERE))];
    const answer = await ask('/decode', inJson(mixed));
    expect(payloadsIn(answer.body).map(decoded)).toEqual([ORDER, FOR_VIEWERS]);
  });

  test('is served at the path that Temporal UI uses; an empty list stays empty', async () => {
    expect(await ask('/decode?preserveStorageRefs=true', '{"payloads":[]}')).toMatchObject({
      status: 200,
      body: '{"payloads":[]}',
    });
  });
});

describe('a payload that a person types in Temporal UI', () => {
  test('is encrypted for the namespace: its workflows accept it, and other namespaces do not', async () => {
    const resolution = { outcome: 'CANCEL', by: 'ana', reason: 'the buyer called' };
    const answer = await ask('/encode', inJson([payload(resolution)]), { token: VIEWER, 'x-namespace': 'payments' });
    const [typed] = payloadsIn(answer.body);
    expect(metadata(typed ?? {})).toMatchObject({ encoding: 'binary/encrypted', 'encryption-context': '["payments"]' });
    const [clear] = await codec.decode([typed ?? {}], HERE);
    expect(decoded(clear ?? {})).toEqual(resolution);
    const nowhere = await ask('/encode', inJson([payload(resolution)]), { token: VIEWER });
    expect(nowhere).toMatchObject({ status: 400, body: expect.stringContaining('X-Namespace') });
    await expect(codec.decode([typed ?? {}], { ...HERE, namespace: 'elsewhere' })).rejects.toThrow('namespace');
  });
});

// Those that are refused: login-attacks.test.ts.
describe('a log-in of Temporal UI', () => {
  test('is a viewer, or support by its role, in a list or alone', async () => {
    expect(await shown(ORDER, await jwt())).toEqual(FOR_VIEWERS);
    expect(await shown(ORDER, await jwt({ roles: ['other'] }))).toEqual(FOR_VIEWERS);
    expect(await shown(ORDER, await jwt({ roles: ['other', 'payments-support'] }))).toEqual(FOR_SUPPORT);
    expect(await shown(ORDER, await jwt({ roles: 'payments-support' }))).toEqual(FOR_SUPPORT);
  });
});

describe('a request without a valid proof', () => {
  test.each([
    ['no token', {}],
    ['another token', { token: 'another-token-of-at-least-32-characters' }],
    ['the beginning of the token', { token: VIEWER.slice(0, -1) }],
    ['more than the token', { token: `${VIEWER}x` }],
    ['the token in another scheme', { authorization: `Basic ${VIEWER}` }],
  ])('with %s is refused, at every path', async (_, headers) => {
    for (const path of ['/decode', '/encode']) {
      const answer = await ask(path, inJson(await codec.encode([payload(ORDER)], HERE)), headers);
      expect(answer).toMatchObject({ status: 401, body: '{"message":"who are you?"}' });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('is refused before its body is read', async () => {
    expect((await ask('/decode', 'x'.repeat(20_000_000), {})).status).toBe(401);
  });
});

test('who sends no token is a viewer by a setting that says insecure alone, and a wrong token still nobody', async () => {
  const access = accessFrom(
    loadConfig({ CODEC_SERVER_INSECURE_VIEWERS: 'true', CODEC_SERVER_SUPPORT_TOKEN: SUPPORT }),
    String,
  );
  expect(await access(undefined)).toBe('viewer');
  expect(await access(`Bearer ${SUPPORT}`)).toBe('support');
  expect(await access(`Bearer ${VIEWER}`)).toBeUndefined();
});

describe('a browser', () => {
  const preflight = (origin: string) =>
    fetch(`${server.url}/decode`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-namespace',
      },
    });

  test('on the page of Temporal UI is served', async () => {
    const { status, headers } = await preflight(UI);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(UI);
    for (const name of ['authorization', 'content-type', 'x-namespace']) {
      expect(headers.get('access-control-allow-headers')).toContain(name);
    }
    const answer = await ask('/decode', '{"payloads":[]}', { token: VIEWER, origin: UI });
    expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    'https://evil.example.com',
    'https://temporal.example.com.evil.example',
    'http://temporal.example.com',
    'null',
  ])('on the page of %s is refused, even with a token', async (origin) => {
    const asked = await preflight(origin);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const answer = await ask('/decode', '{"payloads":[]}', { token: VIEWER, origin });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

test('a request without payloads, as Temporal’s own command sends it, is answered with none', async () => {
  expect(await ask('/decode', '{}')).toMatchObject({ status: 200, body: '{"payloads":[]}' });
});

test('a payload of another key, or a changed one, says why in its place, and those beside it are decoded', async () => {
  const [other = {}] = await new EncryptionCodec([key('gone')]).encode([payload(ORDER)], HERE);
  const [mine = {}] = await codec.encode([payload(ORDER)], HERE);
  const changed = { ...mine, data: Buffer.from(mine.data ?? []).subarray(1) };
  const { status, body } = await ask('/decode', inJson([other, mine, changed]));
  expect(status).toBe(200);
  const [gone, read, broken] = z
    .object({ payloads: z.array(z.object({ data: z.string() })) })
    .parse(JSON.parse(body))
    .payloads.map(({ data }) => JSON.parse(Buffer.from(data, 'base64').toString()));
  expect(gone).toEqual({ message: expect.stringContaining('it was encrypted with the key "gone"') });
  expect(read).toHaveProperty('out_trade_no', 'order-1');
  expect(broken).toEqual({ message: expect.stringContaining('it was changed after its encryption') });
});

describe('a request that cannot be decoded', () => {
  test.each([
    ['without JSON', '{'],
    ['without a body', ''],
    ['with payloads that are texts', '{"payloads":["canary"]}'],
    ['with data that is not base64', '{"payloads":[{"metadata":{},"data":"%%"}]}'],
    ['with a prototype', '{"payloads":[],"__proto__":{"x":1}}'],
  ])('%s is answered 400', async (_, body) => {
    expect(await ask('/decode', body)).toMatchObject({ status: 400, body: '{"message":"not understood"}' });
  });

  test('with a body above the limit is answered 413', async () => {
    expect((await ask('/decode', `{"payloads":[],"x":"${'x'.repeat(17_000_000)}"}`)).status).toBe(413);
  });

  test('at another path or with another method is answered 404', async () => {
    expect((await ask('/download', '{}')).status).toBe(404);
    expect((await fetch(`${server.url}/decode`)).status).toBe(404);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });
});

describe('the codec server does not start', () => {
  const TOKEN = { CODEC_SERVER_TOKEN: VIEWER };

  test.each<[what: string, env: Record<string, string>, said: string]>([
    ['without keys', { ...TOKEN, PAYMENTS_ENCRYPTION_KEYS: '' }, 'Set PAYMENTS_ENCRYPTION_KEYS'],
    ['without any way to prove a role', {}, 'it must know who uses it: set CODEC_SERVER_TOKEN'],
    ['with one token for both roles', { ...TOKEN, CODEC_SERVER_SUPPORT_TOKEN: VIEWER }, 'are the same; choose two'],
    [
      'if it would accept log-ins to any application',
      { CODEC_SERVER_JWKS_URL: 'https://login.example.com/jwks' },
      'needs CODEC_SERVER_JWT_ISSUER and CODEC_SERVER_JWT_AUDIENCE',
    ],
  ])('%s', async (_, env, said) => {
    const error: unknown = await start(env).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toContain(said);
    expect(String(error)).not.toContain(VIEWER);
  });
});

test('the log has no payload content and no token', () => {
  const text = lines.join('');
  for (const secret of ['canary', 'Mariana', '50284414727', VIEWER, SUPPORT]) expect(text).not.toContain(secret);
});
