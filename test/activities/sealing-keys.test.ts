/** A worker's sealing keys follow their file without a restart: new keys open, deleted keys do not. */
import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sealingKeys } from '../../src/activities';
import { newSealingKeys, open, seal } from '../../src/gateway';
import { loadConfig } from '../../src/process/settings';

const folder = mkdtempSync(join(tmpdir(), 'sealing-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'sealing_jwks');
const ORDER = { app_id: 'app-1', out_trade_no: 'order-1' };

/** The ids of the keys that an activity gets. */
const ids = (keys: ReturnType<typeof sealingKeys>): Promise<(string | undefined)[]> =>
  new MockActivityEnvironment().run(async () => keys().map(({ kid }) => kid));

test('changed keys count at once, and a deleted key opens nothing', async () => {
  const [one, two] = [await newSealingKeys('one'), await newSealingKeys('two')];
  const write = (...sets: (typeof one)[]) =>
    writeFileSync(file, JSON.stringify({ keys: sets.flatMap(({ privateJwks }) => privateJwks.keys) }));
  write(one);
  const keys = sealingKeys(loadConfig({ PAYMENTS_SEALING_JWKS_FILE: file }));
  const sealed = await seal('4821', one.publicJwk, ORDER);
  expect(await ids(keys)).toEqual(['one']);
  expect(await open(sealed, keys(), ORDER)).toBe('4821');

  write(two, one);
  expect(await ids(keys)).toEqual(['two', 'one']);
  expect(await open(sealed, keys(), ORDER)).toBe('4821');
  write(two);
  expect(await ids(keys)).toEqual(['two']);
  await expect(open(sealed, keys(), ORDER)).rejects.toThrow('is not among the worker');
});

test('a replaced file counts, and an unusable file leaves the keys unchanged', async () => {
  const [one, two] = [await newSealingKeys('one'), await newSealingKeys('two')];
  writeFileSync(file, JSON.stringify(one.privateJwks));
  const keys = sealingKeys(loadConfig({ PAYMENTS_SEALING_JWKS_FILE: file }));
  for (const broken of ['', '{"keys":[', '{"keys":[]}']) {
    writeFileSync(file, broken);
    expect(await ids(keys)).toEqual(['one']);
  }
  writeFileSync(`${file}.new`, JSON.stringify(two.privateJwks));
  renameSync(`${file}.new`, file);
  expect(await ids(keys)).toEqual(['two']);
  unlinkSync(file);
  expect(await ids(keys)).toEqual(['two']);
});

test('keys that are not from a file stay, and without keys there are none', async () => {
  const { privateJwks } = await newSealingKeys('one');
  expect(await ids(sealingKeys(loadConfig({ PAYMENTS_SEALING_JWKS: JSON.stringify(privateJwks) })))).toEqual(['one']);
  expect(await ids(sealingKeys(loadConfig({})))).toEqual([]);
});
