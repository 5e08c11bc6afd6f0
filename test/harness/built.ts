/** The built package in lib/, as `npm start` makes it before it runs it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './terminal';

export const LIB = join(ROOT, 'lib');

const buildIfChanged = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['scripts/build-if-changed.cjs', ...args], { cwd: ROOT });

/** Builds lib/ where it is missing or older than what it is made of. */
export async function built(): Promise<void> {
  await buildIfChanged();
}

/** Whether lib/ is younger than all that it is made of. */
export const isBuilt = (): Promise<boolean> =>
  buildIfChanged('--check').then(
    () => true,
    () => false,
  );
