/** The built package in lib/, as `npm start` makes it before it runs it. */
import { execFile } from 'node:child_process';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './terminal';

export const LIB = join(ROOT, 'lib');

/**
 * Builds lib/ where it is missing or older than what it is made of. Suites that run at the same moment may both find it
 * so: each builds aside and puts its lib in place in one step, unless another was faster.
 */
export async function built(): Promise<void> {
  if (await isBuilt()) return;
  // Beside lib/: the bundles of the workflows leave out the folder that the build is in.
  const fresh = join(ROOT, `.lib-fresh-${process.pid}`);
  const old = join(ROOT, `.lib-old-${process.pid}`);
  const run = promisify(execFile);
  await run('npx', ['tsc', '--singleThreaded', '-p', 'tsconfig.build.json', '--outDir', fresh], { cwd: ROOT });
  await run('node', ['scripts/finish-build.cjs', fresh], { cwd: ROOT });
  if (!(await isBuilt())) {
    await rename(LIB, old).catch(() => undefined);
    await rename(fresh, LIB);
  }
  for (const left of [fresh, old]) await rm(left, { recursive: true, force: true });
}

/** Whether lib/ is younger than all that it is made of. */
export async function isBuilt(): Promise<boolean> {
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true })).map((file) => join('src', file));
  const times = await Promise.all(['src', ...sources, 'tsconfig.json', 'tsconfig.build.json'].map(changedAt));
  return (await changedAt('lib/cli/main.js')) > Math.max(...times);
}

/** In ms since the epoch; 0 where there is no such file. */
function changedAt(file: string): Promise<number> {
  return stat(join(ROOT, file)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
