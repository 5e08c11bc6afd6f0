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
  const age = ageOf(options.dropAfter);
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

interface Change {
  /** Absent where the text is only told. */
  file?: string;
  text: string;
  said: string;
}

async function encryptionChange(file: string, fresh: string, step: Step): Promise<Change> {
  const before = (await readFile(file, 'utf8')).split(/[\s,]+/).filter(Boolean);
  const keys = rotated(demandStaged(file, before, step), fresh, step);
  const said = `${file}: ${keys[0]?.split(':')[0]} encrypts, ${keys.length} decrypt.`;
  return { file, text: `${keys.join(',\n')}\n`, said };
}

/** The private keys before the public one: workers must know a key before callers seal with it. */
async function sealingChanges(
  file: string,
  publicFile: string | undefined,
  fresh: Jwk,
  step: Step,
  age: number,
): Promise<Change[]> {
  const before = jwks.parse(JSON.parse(await readFile(file, 'utf8'))).keys;
  const keys = rotated(demandStaged(file, before, step), fresh, step);
  const isTooOld = ({ kid = '' }: Jwk) => Date.now() - (madeAt(kid) ?? Number.NaN) > age;
  // Orders sealed to the key that was in use until now are still on their way.
  const kept = step === 'stage' ? keys : keys.filter((key, i) => i < 2 || !isTooOld(key));
  const said = `${file}: ${kept.length} keys open, ${keys.length - kept.length} deleted.`;
  const privateKeys = { file, text: `${JSON.stringify({ keys: kept })}\n`, said };
  const [first] = kept;
  if (step === 'stage' || !first) return [privateKeys];
  const { d: _private, ...publicPart } = first;
  const text = `${JSON.stringify(publicPart)}\n`;
  if (!publicFile) return [privateKeys, { text, said: `Callers seal with: ${text}` }];
  return [privateKeys, { file: publicFile, text, said: `${publicFile}: callers seal with ${first.kid}.` }];
}

/** A promotion without a staged key would bring an old one back. */
function demandStaged<T>(file: string, keys: T[], step: Step): T[] {
  if (step !== 'promote') return keys;
  const ids = keys.map((key) => (typeof key === 'string' ? key.split(':')[0] : jwk.parse(key).kid) ?? '');
  const times = ids.map((id) => madeAt(id) ?? 0);
  if (keys.length > 1 && times.at(-1) === Math.max(...times)) return keys;
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
