/**
 * `payment-gateway keys rotate`: new keys in place of old ones, in the files that the settings name. In each list the first
 * key is the one in use, and the others only open what was made before. A key that one process uses and another does not
 * know yet makes the other wait, so that a fleet learns new keys (`--stage`) before it uses them (`--promote`).
 */
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../config';
import { madeAt, makeKeys } from './keys';

export interface RotateOptions {
  stage?: boolean;
  promote?: boolean;
  /** A duration such as `24h`. */
  dropAfter: string;
}

export type Step = 'at once' | 'stage' | 'promote';

/** A list of keys after a step: the first is in use. A staged key is the last one. */
export function rotated<T>(keys: readonly T[], fresh: T, step: Step): T[] {
  if (step === 'stage') return [...keys, fresh];
  if (step === 'at once') return [fresh, ...keys];
  return [...keys.slice(-1), ...keys.slice(0, -1)];
}

const FILES = ['PAYMENTS_ENCRYPTION_KEYS', 'PAYMENTS_SEALING_JWKS', 'PAYMENTS_SEALING_PUBLIC_JWK'] as const;
type Files = Partial<Record<(typeof FILES)[number], string>>;

const jwk = z.looseObject({ kty: z.string(), kid: z.string().exactOptional() });
type Jwk = z.infer<typeof jwk>;
const jwks = z.object({ keys: z.array(jwk).min(1) });

/** Throws ConfigError where no file is named, or one cannot be used; nothing is changed then. */
export async function rotateKeys(options: RotateOptions, env: Record<string, string | undefined>): Promise<void> {
  const step: Step = options.stage ? 'stage' : options.promote ? 'promote' : 'at once';
  const files: Files = Object.fromEntries(
    FILES.flatMap((name) => (env[`${name}_FILE`] ? [[name, env[`${name}_FILE`]]] : [])),
  );
  if (!files.PAYMENTS_ENCRYPTION_KEYS && !files.PAYMENTS_SEALING_JWKS) {
    throw new ConfigError(
      'Which keys? Set PAYMENTS_ENCRYPTION_KEYS_FILE, or PAYMENTS_SEALING_JWKS_FILE and PAYMENTS_SEALING_PUBLIC_JWK_FILE.',
    );
  }
  // Whatever is wrong with any of them is told before one is touched.
  loadConfig(Object.fromEntries(Object.entries(files).map(([name, file]) => [`${name}_FILE`, file])));
  const fresh = await makeKeys();
  const { PAYMENTS_ENCRYPTION_KEYS: encryption, PAYMENTS_SEALING_JWKS: sealing } = files;
  if (encryption) await rotateEncryption(encryption, fresh.encryption_key, step);
  if (sealing) {
    const [key] = jwks.parse(fresh.sealing_private_jwks).keys;
    if (key) await rotateSealing(sealing, files.PAYMENTS_SEALING_PUBLIC_JWK, key, step, ageOf(options.dropAfter));
  }
}

async function rotateEncryption(file: string, fresh: string, step: Step): Promise<void> {
  const before = (await readFile(file, 'utf8')).split(/[\s,]+/).filter(Boolean);
  const keys = rotated(demandStaged(file, before, step), fresh, step);
  await overwrite(file, `${keys.join(',\n')}\n`);
  say(`${file}: ${keys[0]?.split(':')[0]} encrypts, ${keys.length} decrypt.`);
}

async function rotateSealing(file: string, publicFile: string | undefined, fresh: Jwk, step: Step, age: number) {
  const before = jwks.parse(JSON.parse(await readFile(file, 'utf8'))).keys;
  const [first, ...others] = rotated(demandStaged(file, before, step), fresh, step);
  if (!first) return;
  const tooOld = ({ kid = '' }: Jwk) => step !== 'stage' && Date.now() - (madeAt(kid) ?? Number.NaN) > age;
  const kept = [first, ...others.filter((key) => !tooOld(key))];
  await overwrite(file, `${JSON.stringify({ keys: kept })}\n`);
  say(`${file}: ${kept.length} keys open, ${others.length + 1 - kept.length} deleted.`);
  if (step === 'stage') return;
  const { d: _private, ...publicPart } = first;
  if (publicFile) await overwrite(publicFile, `${JSON.stringify(publicPart)}\n`);
  say(
    publicFile ? `${publicFile}: callers seal with ${first.kid}.` : `Callers seal with: ${JSON.stringify(publicPart)}`,
  );
}

/** A promotion without a staged key would bring an old one back. */
function demandStaged<T>(file: string, keys: T[], step: Step): T[] {
  if (step !== 'promote') return keys;
  const ids = keys.map((key) => (typeof key === 'string' ? key.split(':')[0] : jwk.parse(key).kid) ?? '');
  const times = ids.map((id) => madeAt(id) ?? 0);
  const newest = times.indexOf(Math.max(...times));
  if (keys.length > 1 && newest === keys.length - 1) return keys;
  throw new ConfigError(`${file} has no staged key: its last one is not its newest. Run keys rotate --stage first.`);
}

function ageOf(text: string): number {
  const [, count, unit] = /^(\d+)([hd])$/.exec(text) ?? [];
  if (count && unit) return Number(count) * (unit === 'h' ? 3_600_000 : 86_400_000);
  throw new ConfigError('--drop-after must be a time such as 24h or 7d.');
}

/**
 * Writes into the file that is there, which keeps its owner and mode: a container that has mounted it goes on seeing it,
 * which it would not if another took its place. Until the new text is on the disk, the old one stands beside it.
 */
async function overwrite(file: string, text: string): Promise<void> {
  const spare = `${file}.before`;
  if (existsSync(file)) await writeFile(spare, await readFile(file), { mode: 0o600, flush: true });
  const handle = await open(file, existsSync(file) ? 'r+' : 'w', 0o600);
  try {
    await handle.truncate(0);
    await handle.write(text, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rm(spare, { force: true });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
