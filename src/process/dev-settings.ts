/**
 * The settings that `payment-gateway dev` leaves in `.payments/dev.env` for other programs on this machine. With them, a
 * command in a second terminal and a merchant's program find the stack that runs. One `NAME=value` a line, as a shell
 * takes it: `set -a; . .payments/dev.env`.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './environment';
import { ConfigError } from './user-error';

const FILE = 'dev.env';

/** Each of these variables names a stack. If one is set, the file is not read. */
const NAMES_A_STACK = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'GATEWAY_APP_ID', 'GATEWAY_APPS_FILE'];

/** Writes the settings of a stack and returns the path of the file. */
export async function saveDevSettings(dataDir: string, settings: Record<string, string>): Promise<string> {
  const file = join(dataDir, FILE);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${shellWord(value)}\n`);
  await writePrivately(file, lines.join(''));
  return file;
}

/**
 * The environment, with the settings of the stack in `dataDir` below it; `from` is then the file that was read. Returns
 * the environment alone if it names a stack itself, or if there is no file. Throws ConfigError for a file of another
 * user, or one that others may read or write.
 */
export function withDevSettings(env: Environment, dataDir = '.payments'): { env: Environment; from?: string } {
  const file = join(dataDir, FILE);
  if (NAMES_A_STACK.some((name) => env[name]) || !existsSync(file)) return { env };
  const saved = readOwn(file)
    .split('\n')
    .flatMap((line) =>
      line.includes('=') ? [[line.slice(0, line.indexOf('=')), unquoted(line.slice(line.indexOf('=') + 1))]] : [],
    );
  return { env: { ...Object.fromEntries(saved), ...env }, from: file };
}

/** The value for a shell: quoted if a character of it means something to the shell. */
export function shellWord(value: string): string {
  return /^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", QUOTE)}'`;
}

/** The value that {@link shellWord} wrote. */
function unquoted(word: string): string {
  return /^'.*'$/.test(word) ? word.slice(1, -1).replaceAll(QUOTE, "'") : word;
}

/** A quote within quotes: the quotes end, an escaped quote follows, and they begin again. */
const QUOTE = "'\\''";

/**
 * The text of a file that this user owns: somebody else's file could name their Temporal and their sealing key. The owner is checked on the
 * opened file, so that another file of the same name cannot be read instead. Throws ConfigError.
 */
function readOwn(file: string): string {
  let opened: number;
  try {
    // The flag is not there on Windows, which has no such links.
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // A link, or a file that this user may not read.
    throw notOwn(file);
  }
  try {
    const { uid, mode } = fstatSync(opened);
    // Systems without users have no modes either.
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o7777) !== 0o600)) throw notOwn(file);
    return readFileSync(opened, 'utf8');
  } finally {
    closeSync(opened);
  }
}

const notOwn = (file: string) =>
  new ConfigError(
    `${file} is not read: it must be a file of yours with mode 600, as npx payment-gateway dev makes it. Run that here, or set TEMPORAL_ADDRESS and the other settings.`,
  );

/** Writes a file that only its owner may read. It is replaced in one step: nobody sees half of it. */
export async function writePrivately(path: string, text: string): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  // A file that is there already would keep its mode, and a link would be followed.
  await rm(`${path}.new`, { force: true });
  await writeFile(`${path}.new`, text, { mode: 0o600, flag: 'wx' });
  await rename(`${path}.new`, path);
}
