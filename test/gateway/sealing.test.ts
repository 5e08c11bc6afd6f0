/** Sealed secrets: only the worker's key opens them, and only for their order and app. */
import { inspect } from 'node:util';
import { CompactEncrypt, type CompactJWEHeaderParameters, generateKeyPair, importJWK, type JWK } from 'jose';
import { newSealingKeys, open, SealingError, seal, UnknownSealingKeyError } from '../../src/gateway';
import { isSealed } from '../../src/gateway/sealing';
import { thrownBy } from '../harness/thrown';

const binding = { app_id: 'app-1', out_trade_no: 'order-1' };
const pin = '4821';

let worker: Awaited<ReturnType<typeof newSealingKeys>>;
let older: typeof worker;
beforeAll(async () => {
  worker = await newSealingKeys('new');
  older = await newSealingKeys('old');
});

async function sealingErrorOf(work: Promise<unknown>): Promise<SealingError> {
  const error = await thrownBy(work);
  if (error instanceof SealingError) return error;
  throw error;
}

/** A JWE as a library of any language makes it. */
async function plainJwe(text: string, header: Partial<CompactJWEHeaderParameters>, key: JWK): Promise<string> {
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', ...header })
    .encrypt(await importJWK(key, 'ECDH-ES'));
}

describe('a sealed secret', () => {
  test.each(['4821', 'tok_4f1c2a9be77d', 'ção 𝒳\u0000', 'x'.repeat(10_000)])('opens again: %#', async (secret) => {
    const sealed = await seal(secret, worker.publicJwk, binding);
    await expect(open(sealed, worker.privateJwks.keys, binding)).resolves.toBe(secret);
  });

  test('is a compact JWE that shows neither the secret nor the same text twice', async () => {
    const [one, two] = [await seal(pin, worker.publicJwk, binding), await seal(pin, worker.publicJwk, binding)];
    expect(one.sealed.split('.')).toHaveLength(5);
    expect(one.sealed).not.toBe(two.sealed);
    const header = JSON.parse(Buffer.from(one.sealed.split('.')[0] ?? '', 'base64url').toString());
    expect(header).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'new' });
    expect(Buffer.from(header.apu, 'base64url').toString()).toBe('app-1');
    expect(Buffer.from(header.apv, 'base64url').toString()).toBe('order-1');
  });

  test('opens with any of the worker’s keys during a rotation', async () => {
    const sealed = await seal(pin, older.publicJwk, binding);
    const keys = [...worker.privateJwks.keys, ...older.privateJwks.keys];
    await expect(open(sealed, keys, binding)).resolves.toBe(pin);
    await expect(open(sealed, keys.reverse(), binding)).resolves.toBe(pin);
  });

  test('opens for an app and an order of any characters', async () => {
    const odd = { app_id: 'açaí', out_trade_no: '注文-𝒳/1' };
    const sealed = await seal(pin, worker.publicJwk, odd);
    await expect(open(sealed, worker.privateJwks.keys, odd)).resolves.toBe(pin);
  });
});

describe('a plain JWE of another language', () => {
  test.each([
    ['neither app nor order', {}],
    ['its app alone', { apu: Buffer.from('app-1') }],
    ['its order alone', { apv: Buffer.from('order-1') }],
  ])('that names %s is refused: it would open in other orders too', async (_, parties) => {
    const sealed = await new CompactEncrypt(Buffer.from(pin))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .setKeyManagementParameters(parties)
      .encrypt(await importJWK(worker.publicJwk, 'ECDH-ES'));
    const error = await sealingErrorOf(open({ sealed }, worker.privateJwks.keys, binding));
    expect(error.message).toMatch(/order order-1 names no app or no order.*apu.*apv/);
  });

  test.each<[string, object]>([
    ['another encryption', { enc: 'A128GCM' }],
    ['a wrapped key', { alg: 'ECDH-ES+A256KW' }],
  ])('with %s than in the contract is not opened', async (_, header) => {
    const sealed = await plainJwe(pin, header, worker.publicJwk);
    await sealingErrorOf(open({ sealed }, worker.privateJwks.keys, binding));
  });
});

describe('not opened:', () => {
  test('a seal to another key, which another worker may have where the seal names it', async () => {
    const { kid, ...unnamed } = older.publicJwk;
    const error = await sealingErrorOf(open(await seal(pin, unnamed, binding), worker.privateJwks.keys, binding));
    expect(error.message).toMatch(/order order-1 cannot be opened with the worker's 1 sealing key/);
    const named = await sealingErrorOf(
      open(await seal(pin, older.publicJwk, binding), worker.privateJwks.keys, binding),
    );
    expect(named).toBeInstanceOf(UnknownSealingKeyError);
    expect(named.message).toContain(`sealed to the key "${kid}", which is not among the worker's 1 sealing key`);
  });

  test('any seal without a key', async () => {
    const sealed = await seal(pin, worker.publicJwk, binding);
    await sealingErrorOf(open(sealed, [], binding));
  });

  test.each([
    ['another order', { ...binding, out_trade_no: 'order-2' }],
    ['another app', { ...binding, app_id: 'app-2' }],
    ['an order and an app that were exchanged', { app_id: 'order-1', out_trade_no: 'app-1' }],
  ])('a seal that was moved to %s', async (_, other) => {
    const sealed = await seal(pin, worker.publicJwk, binding);
    const error = await sealingErrorOf(open(sealed, worker.privateJwks.keys, other));
    expect(error.message).toMatch(/sealed for another order or app/);
  });

  test('a seal to an older key that was moved to another order', async () => {
    const sealed = await seal(pin, older.publicJwk, binding);
    const keys = [...worker.privateJwks.keys, ...older.privateJwks.keys];
    await sealingErrorOf(open(sealed, keys, { ...binding, out_trade_no: 'order-2' }));
  });

  test.each([0, 2, 3, 4])('a seal of which part %i was changed', async (part) => {
    const parts = (await seal(pin, worker.publicJwk, binding)).sealed.split('.');
    const text = parts[part] ?? '';
    // Its first character: the bits of the last one may be padding.
    parts[part] = (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    await sealingErrorOf(open({ sealed: parts.join('.') }, worker.privateJwks.keys, binding));
  });

  test('a seal from which the binding was taken out', async () => {
    const [header = '', ...rest] = (await seal(pin, worker.publicJwk, binding)).sealed.split('.');
    const { apu: _apu, apv: _apv, ...bare } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const sealed = [Buffer.from(JSON.stringify(bare)).toString('base64url'), ...rest].join('.');
    await sealingErrorOf(open({ sealed }, worker.privateJwks.keys, { ...binding, out_trade_no: 'order-2' }));
  });

  test.each(['', 'x', '....', pin, 'eyJhbGciOiJub25lIn0.e30.', '{"alg":"ECDH-ES"}'])(
    '%j, which is not a seal',
    async (sealed) => {
      await sealingErrorOf(open({ sealed }, worker.privateJwks.keys, binding));
    },
  );

  test('content that is not text', async () => {
    const sealed = await new CompactEncrypt(Buffer.from([0xff, 0xfe]))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
      .encrypt(await importJWK(worker.publicJwk, 'ECDH-ES'));
    await sealingErrorOf(open({ sealed }, worker.privateJwks.keys, binding));
  });
});

describe('no error holds the secret or a key', () => {
  const shown = (error: Error) =>
    [error.message, error.stack, JSON.stringify(error), inspect(error, { depth: null, showHidden: true })].join('\n');

  test('of opening', async () => {
    const sealed = await seal('tok_marked-secret', worker.publicJwk, binding);
    const errors = [
      await sealingErrorOf(open(sealed, older.privateJwks.keys, binding)),
      await sealingErrorOf(open(sealed, worker.privateJwks.keys, { ...binding, out_trade_no: 'order-2' })),
      await sealingErrorOf(open({ sealed: 'tok_marked-secret' }, worker.privateJwks.keys, binding)),
    ];
    const keys = [...worker.privateJwks.keys, ...older.privateJwks.keys].flatMap(({ d, x }) => [d, x]);
    for (const error of errors) {
      for (const secret of ['tok_marked-secret', sealed.sealed, ...keys]) expect(shown(error)).not.toContain(secret);
    }
  });

  test('of sealing', async () => {
    const error = await sealingErrorOf(
      seal('tok_marked-secret', { kty: 'EC', crv: 'P-256', x: 'marked', y: 'marked' }, binding),
    );
    expect(shown(error)).not.toContain('marked');
    expect(error.message).toMatch(/public P-256 or X25519 JWK/);
  });
});

describe('sealing keys', () => {
  test('are a private set for the worker and a public key for callers, with one kid', async () => {
    const [key] = worker.privateJwks.keys;
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', kid: 'new', use: 'enc', alg: 'ECDH-ES' });
    expect(worker.publicJwk).toEqual({ ...key, d: undefined });
    expect(Object.keys(worker.publicJwk)).not.toContain('d');
  });

  test('differ each time', () => expect(worker.publicJwk.x).not.toBe(older.publicJwk.x));

  test('that cannot seal are refused', async () => {
    const { publicKey } = await generateKeyPair('RS256', { extractable: true });
    expect(publicKey).toBeDefined();
    for (const jwk of [{}, { kty: 'oct', k: 'c2VjcmV0' }, { kty: 'EC' }] as JWK[])
      await sealingErrorOf(seal(pin, jwk, binding));
  });
});

test.each([
  [{ sealed: 'x' }, true],
  ['x', false],
  [{ sealed: 1 }, false],
  [{}, false],
  [null, false],
  [undefined, false],
])('isSealed(%j) is %s', (value, is) => expect(isSealed(value)).toBe(is));
