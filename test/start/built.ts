/** The built package in lib/, as `npm start` makes it before it runs it. */
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './terminal';

/** Builds lib/ where it is missing or older than what it is made of. */
export async function built(): Promise<void> {
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true })).map((file) => join('src', file));
  const times = await Promise.all(['src', ...sources, 'tsconfig.json', 'tsconfig.build.json'].map(changedAt));
  if ((await changedAt('lib/cli/main.js')) > Math.max(...times)) return;
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd: ROOT });
}

/** In ms since the epoch; 0 where there is no such file. */
function changedAt(file: string): Promise<number> {
  return stat(join(ROOT, file)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
