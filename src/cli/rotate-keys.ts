/**
 * `payment-gateway keys rotate`: replaces keys in the files that the settings name. The first key of each list is in use;
 * the others only open older data. A process that lacks a key which another process uses must wait, so several processes first
 * learn the new keys (`--stage`) and then use them (`--promote`).
 */
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Environment } from '../process/environment';
import { ConfigError, loadConfig } from '../process/settings';
import { madeAt, makeKeys } from './keys';
import { durationOf } from './operator/options';
import { jsonOf } from './read-json';
import { withFilesLocked } from './rotation-lock';

export interface RotateOptions {
  stage?: boolean;
  promote?: boolean;
  /** A duration such as `24h`. */
  dropAfter: string;
}

export type RotationStep = 'at once' | 'stage' | 'promote';

/** A list of keys after a step. The first key is in use; a staged key is the last one. */
export function rotated<T>(keys: readonly T[], fresh: T, step: RotationStep): T[] {
  if (step === 'stage') return [...keys, fresh];
  if (step === 'at once') return [fresh, ...keys];
  return [...keys.slice(-1), ...keys.slice(0, -1)];
}

const FILES = ['PAYMENTS_ENCRYPTION_KEYS', 'PAYMENTS_SEALING_JWKS', 'PAYMENTS_SEALING_PUBLIC_JWK'] as const;
type Files = Partial<Record<(typeof FILES)[number], string>>;

const jwk = z.looseObject({
  kty: z.string(),
  kid: z.string().exactOptional(),
  /** Since when it is not in use. Stored in the file, because the time until it is deleted begins then. */
  retired_at: z.iso.datetime().optional(),
});
type Jwk = z.infer<typeof jwk>;
const jwks = z.object({ keys: z.array(jwk).min(1) });

/** Throws ConfigError if no file is named or one cannot be used. Nothing is changed then. */
export async function rotateKeys(options: RotateOptions, env: Environment): Promise<void> {
  const step: RotationStep = options.stage ? 'stage' : options.promote ? 'promote' : 'at once';
  const files: Files = Object.fromEntries(
    FILES.flatMap((name) => (env[`${name}_FILE`] ? [[name, env[`${name}_FILE`]]] : [])),
  );
  if (!files.PAYMENTS_ENCRYPTION_KEYS && !files.PAYMENTS_SEALING_JWKS) {
    throw new ConfigError(
      'Which keys? Set PAYMENTS_ENCRYPTION_KEYS_FILE, or PAYMENTS_SEALING_JWKS_FILE and PAYMENTS_SEALING_PUBLIC_JWK_FILE.',
    );
  }
  const age = durationOf('--drop-after', options.dropAfter);
  await withFilesLocked(Object.values(files), () => rotateFiles(files, step, age));
}

async function rotateFiles(files: Files, step: RotationStep, age: number): Promise<void> {
  await requireWholeFiles(files);
  const fresh = await makeKeys();
  const { PAYMENTS_ENCRYPTION_KEYS: encryption, PAYMENTS_SEALING_JWKS: sealing } = files;
  const [sealingKey] = jwks.parse(fresh.sealing_private_jwks).keys;
  const changes = [
    ...(encryption ? [await encryptionChange(encryption, fresh.encryption_key, step)] : []),
    ...(sealing && sealingKey
      ? await sealingChanges(sealing, files.PAYMENTS_SEALING_PUBLIC_JWK, sealingKey, step, age)
      : []),
  ];
  for (const { file, text, said } of changes) {
    if (file) await overwrite(file, text);
    process.stdout.write(`${said}\n`);
  }
}

/**
 * Checks before any file is changed that every file can be read. Then the copies that a broken-off rotation has left beside the files, old
 * private keys among them, are of no more use, and are deleted. Throws ConfigError.
 */
async function requireWholeFiles(files: Files): Promise<void> {
  const named = Object.entries(files);
  try {
    loadConfig(Object.fromEntries(named.map(([name, file]) => [`${name}_FILE`, file])));
  } catch (error) {
    const [, file] = named.find(([, name]) => existsSync(spareOf(name))) ?? [];
    if (file === undefined || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      `${error.message}\nThe last rotation broke off while it wrote ${file}: what the file held is in ${spareOf(file)}. Move that back, and rotate again.`,
    );
  }
  for (const [, file] of named) await deleteSpare(file);
}

/** Throws ConfigError if the copy has keys that the file lacks: only these keys may open some data. */
async function deleteSpare(file: string): Promise<void> {
  const spare = spareOf(file);
  if (!existsSync(spare)) return;
  const [old, now] = await Promise.all([spare, file].map(async (path) => keysIn(await readFile(path, 'utf8'))));
  const lacking = old?.filter((key) => !now?.includes(key)) ?? [];
  if (lacking.length === 0) return rm(spare, { force: true });
  throw new ConfigError(
    `${spare} has ${lacking.length} keys that ${file} lacks: a rotation broke off. Put them into ${file}, or delete ${spare} if nothing needs them, and rotate again.`,
  );
}

/** The keys of a file, each as its own text: a list of encryption keys, or of JSON Web Keys without the times of their use. */
function keysIn(text: string): string[] {
  const { success, data } = jwks.safeParse(jsonOf(text));
  if (!success) return text.split(/[\s,]+/).filter(Boolean);
  return data.keys.map(({ retired_at: _when, ...key }) => JSON.stringify(key));
}

/** Where a file's old text is kept while a new one is written. */
const spareOf = (file: string) => `${file}.before`;

interface Change {
  /** Absent if the text is only printed. */
  file?: string;
  text: string;
  said: string;
}

async function encryptionChange(file: string, fresh: string, step: RotationStep): Promise<Change> {
  const before = (await readFile(file, 'utf8')).split(/[\s,]+/).filter(Boolean);
  const keys = rotated(requireStaged(file, before, step), fresh, step);
  const said = `${file}: ${keys[0]?.split(':')[0]} encrypts, ${keys.length} decrypt.`;
  return { file, text: `${keys.join(',\n')}\n`, said };
}

/** Private keys come before the public one, because workers must know a key before callers seal with it. */
async function sealingChanges(
  file: string,
  publicFile: string | undefined,
  fresh: Jwk,
  step: RotationStep,
  age: number,
): Promise<Change[]> {
  const before = jwks.parse(JSON.parse(await readFile(file, 'utf8'))).keys;
  const keys = rotated(requireStaged(file, before, step), fresh, step);
  const now = Date.now();
  const used = keys.map(
    (key, i): Jwk => ({ ...key, retired_at: i === 0 ? undefined : (key.retired_at ?? new Date(now).toISOString()) }),
  );
  const isTooOld = ({ retired_at = '' }: Jwk) => now - Date.parse(retired_at) > age;
  // Orders that were sealed with the previous key may still be on their way.
  const kept = step === 'stage' ? keys : used.filter((key, i) => i < 2 || !isTooOld(key));
  const said = `${file}: ${kept.length} keys open, ${keys.length - kept.length} deleted.`;
  const privateKeys = { file, text: `${JSON.stringify({ keys: kept })}\n`, said };
  const [first] = kept;
  if (step === 'stage' || !first) return [privateKeys];
  const { d: _private, retired_at: _never, ...publicPart } = first;
  const text = `${JSON.stringify(publicPart)}\n`;
  if (!publicFile) return [privateKeys, { text, said: `Callers seal with: ${text}` }];
  return [privateKeys, { file: publicFile, text, said: `${publicFile}: callers seal with ${first.kid}.` }];
}

/** Without a staged key, a promotion would bring back an old key. */
function requireStaged<T>(file: string, keys: T[], step: RotationStep): T[] {
  if (step !== 'promote') return keys;
  const ids = keys.map((key) => (typeof key === 'string' ? key.split(':')[0] : jwk.parse(key).kid) ?? '');
  const times = ids.map((id) => madeAt(id) ?? 0);
  if (keys.length > 1 && times.at(-1) === Math.max(...times)) return keys;
  throw new ConfigError(`${file} has no staged key: its last one is not its newest. Run keys rotate --stage first.`);
}

/**
 * Writes into the existing file, which keeps its owner and mode: a container that has mounted the file would not see a new one in its place.
 * Until the new text is on the disk, the old text is kept beside it.
 */
async function overwrite(file: string, text: string): Promise<void> {
  const spare = spareOf(file);
  await writeFile(spare, await readFile(file), { mode: 0o600, flush: true });
  const handle = await open(file, 'r+');
  try {
    await handle.truncate(0);
    await handle.write(text, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rm(spare, { force: true });
}
