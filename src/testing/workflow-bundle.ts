/**
 * Our workflows as one bundle: that of the build, or one for all workers and simulations of a process, or of a whole test
 * run.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { builtBundle, bundleWorkflows } from '../temporal/workflow-bundle';
import { BUNDLE_FOLDER, keptBundle } from './kept-bundle';

const bundles = new Map<string | undefined, Promise<{ code: string }>>();

/** `failureConverterPath`: a worker that encrypts has a failure converter in its bundle. */
export function workflowBundle(failureConverterPath?: string): Promise<{ code: string }> {
  const bundled = bundles.get(failureConverterPath) ?? foundOrMade(failureConverterPath);
  bundles.set(failureConverterPath, bundled);
  return bundled;
}

async function foundOrMade(failureConverterPath?: string): Promise<{ code: string }> {
  const built = builtBundle(failureConverterPath);
  if (built) return { code: await readFile(built.codePath, 'utf8') };
  const folder = process.env[BUNDLE_FOLDER];
  if (!folder) return bundleWorkflows(failureConverterPath);
  const file = keptBundle(folder, failureConverterPath);
  return { code: await madeOnce(file, async () => (await bundleWorkflows(failureConverterPath)).code) };
}

/** The first process that asks makes the bundle, and the others wait: several test files begin at once, and each would make its own. */
async function madeOnce(file: string, make: () => Promise<string>): Promise<string> {
  const maker = `${file}.making`;
  const folderWatch = watch(dirname(file));
  try {
    for (;;) {
      const changed = once(folderWatch, 'change');
      const found = await read(file);
      if (found !== undefined) return found;
      const isFirst = await mkdir(maker).then(
        () => true,
        () => false,
      );
      // Another process may have finished between the two looks.
      if (isFirst) return await readOrWrite(file, make).finally(() => rmdir(maker));
      await changed;
    }
  } finally {
    folderWatch.close();
  }
}

const read = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);

async function readOrWrite(file: string, make: () => Promise<string>): Promise<string> {
  const found = await read(file);
  if (found !== undefined) return found;
  const code = await make();
  // In one step: another process may be reading.
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, code);
  await rename(written, file);
  return code;
}
