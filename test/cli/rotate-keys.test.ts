/** The order of keys through a rotation: the first is in use, a staged one is last, and none is lost. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { madeAt, makeKeys } from '../../src/cli/keys';
import { rotated, rotateKeys } from '../../src/cli/rotate-keys';

test('a staged and then promoted key is in use, before those that were', () => {
  const staged = rotated(['b', 'a'], 'c', 'stage');
  expect(staged).toEqual(['b', 'a', 'c']);
  expect(rotated(staged, 'unused', 'promote')).toEqual(['c', 'b', 'a']);
});

test('keys that are rotated at once are those that are rotated step by step', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (keys, fresh) => {
      expect(rotated(rotated(keys, fresh, 'stage'), 'unused', 'promote')).toEqual(rotated(keys, fresh, 'at once'));
    }),
  );
});

test('a key’s id tells when it was made, to the second', async () => {
  const now = new Date('2026-11-21T09:44:31.500Z');
  const { encryption_key, sealing_private_jwks } = await makeKeys(now);
  const [id = ''] = encryption_key.split(':');
  expect(id).toMatch(/^20261121T094431Z-[0-9a-f]{6}$/);
  expect(sealing_private_jwks.keys).toEqual([expect.objectContaining({ kid: id })]);
  expect(madeAt(id)).toBe(Date.parse('2026-11-21T09:44:31Z'));
  for (const other of ['', 'key-1', '2026-11-21-abcdef']) expect(madeAt(other)).toBeUndefined();
});

describe('sealing keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotate-'));
  const files = {
    PAYMENTS_SEALING_JWKS_FILE: join(folder, 'sealing_jwks'),
    PAYMENTS_SEALING_PUBLIC_JWK_FILE: join(folder, 'sealing_public_jwk'),
  };
  const HOUR = 3_600_000;
  let now = Date.parse('2026-11-21T09:00:00Z');
  beforeAll(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  });
  afterAll(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  const kids = (): string[] =>
    JSON.parse(readFileSync(files.PAYMENTS_SEALING_JWKS_FILE, 'utf8')).keys.map(({ kid }: { kid?: string }) => kid);
  /** Rotates at once, and returns the keys that are left. */
  async function rotate(): Promise<string[]> {
    await rotateKeys({ dropAfter: '24h' }, files);
    return kids();
  }
  /** A file with one key that was in use for a month. */
  async function oldKey(kid?: string): Promise<void> {
    const { sealing_private_jwks, sealing_public_jwk } = await makeKeys(new Date(now - 30 * 24 * HOUR));
    const keys = sealing_private_jwks.keys.map((key) => ({ ...key, ...(kid ? { kid } : {}) }));
    writeFileSync(files.PAYMENTS_SEALING_JWKS_FILE, JSON.stringify({ keys }));
    writeFileSync(files.PAYMENTS_SEALING_PUBLIC_JWK_FILE, JSON.stringify(sealing_public_jwk));
  }

  test('that were in use until now stay for the time that is asked, also where the command runs twice', async () => {
    await oldKey();
    const [old = ''] = kids();
    await rotate();
    expect(await rotate()).toContain(old);
    now += 23 * HOUR;
    expect(await rotate()).toContain(old);
    now += 2 * HOUR;
    const left = await rotate();
    expect(left).not.toContain(old);
    expect(left).toHaveLength(3);
  });

  test('that a rotation which broke off has left beside a whole file are deleted by the next one', async () => {
    await oldKey();
    copyFileSync(files.PAYMENTS_SEALING_JWKS_FILE, `${files.PAYMENTS_SEALING_JWKS_FILE}.before`);
    await rotate();
    expect(readdirSync(folder).filter((name) => name.endsWith('.before'))).toEqual([]);
  });

  test('that only the copy beside the file has are kept, and a person is told', async () => {
    await oldKey();
    const spare = `${files.PAYMENTS_SEALING_JWKS_FILE}.before`;
    copyFileSync(files.PAYMENTS_SEALING_JWKS_FILE, spare);
    // Whoever was on call put a new key into the file that was broken.
    await oldKey();
    await expect(rotateKeys({ dropAfter: '24h' }, files)).rejects.toThrow(/has 1 keys that .* lacks/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.before'))).toHaveLength(1);
    rmSync(spare);
  });

  test('that a rotation which broke off has left beside half a file are kept, and a person is told', async () => {
    await oldKey();
    writeFileSync(`${files.PAYMENTS_SEALING_JWKS_FILE}.before`, 'old private keys');
    writeFileSync(files.PAYMENTS_SEALING_JWKS_FILE, '{"keys":[');
    await expect(rotateKeys({ dropAfter: '24h' }, files)).rejects.toThrow(/broke off .*sealing_jwks\.before/s);
    expect(readFileSync(`${files.PAYMENTS_SEALING_JWKS_FILE}.before`, 'utf8')).toBe('old private keys');
    rmSync(`${files.PAYMENTS_SEALING_JWKS_FILE}.before`);
  });

  test('are rotated by one of two commands at once: callers seal with a key that the worker has', async () => {
    for (let i = 0; i < 10; i += 1) {
      await oldKey();
      const [old] = kids();
      const both = await Promise.allSettled([rotate(), rotate()]);
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(both.find((one) => one.status === 'rejected')?.reason).toMatchObject({ name: 'ConfigError' });
      expect(String(both.find((one) => one.status === 'rejected')?.reason)).toContain('Another keys rotate');
      const { kid } = JSON.parse(readFileSync(files.PAYMENTS_SEALING_PUBLIC_JWK_FILE, 'utf8'));
      expect(kids()).toEqual([kid, old]);
    }
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test('are rotated where a command was killed: its lock counts for a minute', async () => {
    await oldKey();
    const lock = `${files.PAYMENTS_SEALING_JWKS_FILE}.rotating`;
    writeFileSync(lock, '');
    utimesSync(lock, now / 1_000 - 50, now / 1_000 - 50);
    await expect(rotate()).rejects.toThrow(/Another keys rotate/);
    utimesSync(lock, now / 1_000 - 70, now / 1_000 - 70);
    expect(await rotate()).toHaveLength(2);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  test('with an id that tells no time are deleted too', async () => {
    await oldKey('prod-2023');
    const [old] = kids();
    await rotate();
    await rotate();
    now += 25 * HOUR;
    expect(await rotate()).not.toContain(old);
    expect(readFileSync(files.PAYMENTS_SEALING_PUBLIC_JWK_FILE, 'utf8')).not.toMatch(/retired_at|"d"/);
  });
});
