/**
 * What `payment-gateway dev` leaves for other programs on this machine: its settings with their keys, so that `pay` in a
 * second terminal finds the stack that runs, and so do programs in other languages. One `NAME=value` a line, unquoted.
 * Commands read it only where the environment says nothing itself.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Environment = Record<string, string | undefined>;

const FILE = 'dev.env';

/** Variables that name a stack; where one is set, the environment is taken as it is. */
const TELLING = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'GATEWAY_APP_ID', 'GATEWAY_APPS_FILE'];

/** Gives the file that they were written to. */
export async function saveDevSettings(dataDir: string, settings: Record<string, string>): Promise<string> {
  const file = join(dataDir, FILE);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writePrivately(file, lines.join(''));
  return file;
}

/** The environment, or what a stack on this machine left in `dataDir` under it. */
export function withDevSettings(env: Environment, dataDir = '.payments'): { env: Environment; from?: string } {
  const file = join(dataDir, FILE);
  if (TELLING.some((name) => env[name]) || !existsSync(file)) return { env };
  const left = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) =>
      line.includes('=') ? [[line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]] : [],
    );
  return { env: { ...Object.fromEntries(left), ...env }, from: file };
}

/** Writes a file that only its owner may read, whole or not at all. */
export async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
