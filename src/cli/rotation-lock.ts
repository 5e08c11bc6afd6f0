/** Two rotations at once would each write the files, and keys that something was sealed or encrypted with would be lost. */
import { open, rename, rm, stat } from 'node:fs/promises';
import { types } from 'node:util';
import { ConfigError } from '../process/user-error';

/** A rotation takes less than a second. An older lock was left by a killed rotation. In ms. */
const ABANDONED_AFTER_MS = 60_000;

/** Runs `act` while no other rotation changes the files. Throws ConfigError, and changes nothing, if another rotation does. */
export async function withFilesLocked(files: readonly string[], act: () => Promise<void>): Promise<void> {
  const locks: string[] = [];
  try {
    for (const file of files) locks.push(await lock(file));
    await act();
  } finally {
    for (const held of locks) await rm(held, { force: true });
  }
}

async function lock(file: string): Promise<string> {
  const path = `${file}.rotating`;
  try {
    return await create(path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    if (Date.now() - (await stat(path)).mtimeMs <= ABANDONED_AFTER_MS) throw rotating(file, path);
  }
  // If several processes find the lock abandoned, only one can rename it.
  await rename(path, `${path}.${process.pid}`).catch(() => Promise.reject(rotating(file, path)));
  await rm(`${path}.${process.pid}`, { force: true });
  return create(path).catch(() => Promise.reject(rotating(file, path)));
}

/** Only if the file does not exist yet, and not through a link. */
async function create(path: string): Promise<string> {
  await (await open(path, 'wx', 0o600)).close();
  return path;
}

function rotating(file: string, path: string): ConfigError {
  return new ConfigError(
    `Another keys rotate is changing ${file} (${path} is there). Nothing was done now. Look at what the other one has printed, and rotate again only if that is still needed.`,
  );
}

const isCode = (error: unknown, code: string) => types.isNativeError(error) && 'code' in error && error.code === code;
