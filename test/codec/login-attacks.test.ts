/**
 * Attacks on the log-in of the codec server: made-up log-ins, and a server of keys that is slow, huge, gone or somebody else's.
 * Whatever happens, nobody gets in by it, and the bearer token goes on working.
 */
import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type KeyLike, SignJWT } from 'jose';
import { type RunningCodecServer, startCodecServer } from '../../src/codec';
import { loadConfig } from '../../src/process/settings';
import { localServer } from '../harness/local-server';
import { readableLog } from '../webhook/support';
import { key, setting } from './support';

const TOKEN = 'viewer-token-of-at-least-32-characters';
const ISSUER = 'https://login.example.com/';
const AUDIENCE = 'payments-codec';

type Pair = { publicKey: KeyLike; privateKey: KeyLike };
let ours: Pair;
let elliptic: Pair;
let attackers: Pair;
beforeAll(async () => {
  ours = await generateKeyPair('RS256');
  elliptic = await generateKeyPair('ES256');
  attackers = await generateKeyPair('RS256');
});

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server of keys. `fetches` counts how often it was asked. */
async function serve(listener: RequestListener): Promise<{ url: string; fetches: () => number }> {
  let fetches = 0;
  const server = createServer((request, response) => {
    fetches += 1;
    listener(request, response);
  });
  const { origin, close } = await localServer(server);
  closing.push(close);
  return { url: `${origin}/jwks`, fetches: () => fetches };
}

const published = async () => ({
  keys: [
    { ...(await exportJWK(ours.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
    { ...(await exportJWK(elliptic.publicKey)), kid: 'elliptic', alg: 'ES256', use: 'sig' },
    // No log-in publishes one; whoever reads it could sign with it.
    { kty: 'oct', k: Buffer.from('a secret that everybody can read').toString('base64url'), kid: 'hmac', alg: 'HS256' },
  ],
});

const { log, lines } = readableLog();

async function codecServer(jwks: string): Promise<RunningCodecServer> {
  const config = loadConfig({
    PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')),
    CODEC_SERVER_PORT: '0',
    CODEC_SERVER_TOKEN: TOKEN,
    CODEC_SERVER_JWKS_URL: jwks,
    CODEC_SERVER_JWT_ISSUER: ISSUER,
    CODEC_SERVER_JWT_AUDIENCE: AUDIENCE,
  });
  const server = await startCodecServer(config, log);
  closing.push(() => server.close());
  return server;
}

async function statusWith({ url }: RunningCodecServer, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return (await fetch(`${url}/decode`, { method: 'POST', headers, body: '{"payloads":[]}' })).status;
}

const login = (privateKey: KeyLike, header: JWTHeaderParameters, claims: object = {}) =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, exp: Math.floor(Date.now() / 1_000) + 3_600, ...claims })
    .setProtectedHeader(header)
    .sign(privateKey);

/** A token by an HMAC, which jose makes no claims about. */
function byHmac(secret: string | Uint8Array, header: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', ...header })}.${part({ iss: ISSUER, aud: AUDIENCE, exp: 4_000_000_000 })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

test('genuine log-ins of both keys are taken, each by its own key id or without one', async () => {
  const document = JSON.stringify(await published());
  const server = await codecServer((await serve((_request, response) => response.end(document))).url);
  expect(await statusWith(server, await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }))).toBe(200);
  expect(await statusWith(server, await login(elliptic.privateKey, { alg: 'ES256', kid: 'elliptic' }))).toBe(200);
  expect(await statusWith(server, await login(ours.privateKey, { alg: 'RS256' }))).toBe(200);
});

test.each<[what: string, token: () => Promise<string> | string]>([
  ['with the id of a key that nobody publishes', () => login(attackers.privateKey, { alg: 'RS256', kid: 'new' })],
  ['signed by us, with the id of another of our keys', () => login(ours.privateKey, { alg: 'RS256', kid: 'elliptic' })],
  ['signed by the attacker, with the id of our key', () => login(attackers.privateKey, { alg: 'RS256', kid: 'rsa' })],
  [
    'that brings its own key',
    async () => login(attackers.privateKey, { alg: 'RS256', jwk: await exportJWK(attackers.publicKey) }),
  ],
  [
    'that names the address of its own key',
    () => login(attackers.privateKey, { alg: 'RS256', kid: 'rsa', jku: 'http://127.0.0.1:9/jwks' }),
  ],
  ['by HMAC with our public key', async () => byHmac(await exportSPKI(ours.publicKey), { kid: 'rsa' })],
  ['by HMAC with a key that was published', () => byHmac('a secret that everybody can read', { kid: 'hmac' })],
  ['that is valid only later', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { nbf: 4_000_000_000 })],
  ['whose end is a text', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { exp: 'never' })],
  ['for nobody', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { aud: [] })],
  ['for another application', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { aud: 'another' })],
  ['from another issuer', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { iss: 'https://evil.example/' })],
  ['that has expired', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { exp: 1_700_000_000 })],
  ['without an expiry', () => login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }, { exp: undefined })],
  ['without a signature', () => `${byHmac('x', { alg: 'none' }).split('.').slice(0, 2).join('.')}.`],
])('a log-in %s is refused', async (_, token) => {
  const document = JSON.stringify(await published());
  const server = await codecServer((await serve((_request, response) => response.end(document))).url);
  expect(await statusWith(server, await token())).toBe(401);
  expect(await statusWith(server, TOKEN)).toBe(200);
});

const MEGABYTE = ' '.repeat(1_048_576);

test.each<[what: string, listener: RequestListener]>([
  ['answers 500', (_request, response) => response.writeHead(500).end('{"keys":[]}')],
  ['sends no JSON', (_request, response) => response.end('<html>')],
  ['sends no keys', (_request, response) => response.end('{"keys":"none"}')],
  ['closes the connection', (request) => request.socket.destroy()],
  [
    'sends to another address',
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  ],
])('where the server of keys %s, a log-in is refused, the log says so, and the token is taken', async (_, listener) => {
  lines.length = 0;
  const server = await codecServer((await serve(listener)).url);
  expect(await statusWith(server, await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }))).toBe(401);
  expect(await statusWith(server, TOKEN)).toBe(200);
  expect(lines.join('')).toContain('the keys of the log-in cannot be read');
});

test('keys without an end are not read to it', async () => {
  let sent = 0;
  let hasClosed = false;
  const { url } = await serve((_request, response) => {
    response.on('close', () => {
      hasClosed = true;
    });
    const more = () => {
      while (!response.destroyed && response.write(MEGABYTE)) sent += 1;
      response.once('drain', more);
    };
    response.write('{"keys":[');
    more();
  });
  const server = await codecServer(url);
  expect(await statusWith(server, await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }))).toBe(401);
  while (!hasClosed) await new Promise(setImmediate);
  // What one connection holds, and not what there is.
  expect(sent).toBeLessThan(64);
});

test('keys that never come in whole hold up a log-in for seconds, and no other one for longer', async () => {
  const { url, fetches } = await serve((_request, response) => void response.write('{"keys":['));
  const server = await codecServer(url);
  const token = await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' });
  expect(await Promise.all([1, 2, 3].map(() => statusWith(server, token)))).toEqual([401, 401, 401]);
  expect(fetches()).toBe(1);
});

test('a stranger’s log-ins do not have the keys fetched again each time, whether they are there or not', async () => {
  const document = JSON.stringify(await published());
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
  closing.push(() => clock.mockRestore());
  let isDown = false;
  const { url, fetches } = await serve((request, response) =>
    isDown ? request.socket.destroy() : response.end(document),
  );
  const [server, other] = [await codecServer(url), await codecServer(url)];
  const strangers = await Promise.all(
    [1, 2, 3].map((i) => login(attackers.privateKey, { alg: 'RS256', kid: `k${i}` })),
  );
  for (const token of strangers) expect(await statusWith(server, token)).toBe(401);
  expect(fetches()).toBe(1);
  isDown = true;
  for (const token of strangers) expect(await statusWith(other, token)).toBe(401);
  expect(fetches()).toBe(2);
  // Once they are there again, they are fetched a moment later.
  isDown = false;
  clock.mockReturnValue(now + 6_000);
  expect(await statusWith(other, await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }))).toBe(200);
  // Who has logged in goes on.
  expect(await statusWith(server, await login(ours.privateKey, { alg: 'RS256', kid: 'rsa' }))).toBe(200);
});
