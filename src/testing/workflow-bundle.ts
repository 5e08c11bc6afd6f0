/** Our workflows as one bundle, made once for all workers and simulations of a process, or of a whole test run. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflows } from '../temporal/workflow-bundle';

/** The environment variable that names a folder in which the processes of one test run share their bundles. */
const BUNDLE_FOLDER = 'KEPT_TEST_BUNDLES';

const bundles = new Map<string | undefined, Promise<{ code: string }>>();

/** `failureConverterPath`: a worker that encrypts has a failure converter in its bundle. */
export function workflowBundle(failureConverterPath?: string): Promise<{ code: string }> {
  const bundled = bundles.get(failureConverterPath) ?? foundOrMade(failureConverterPath);
  bundles.set(failureConverterPath, bundled);
  return bundled;
}

async function foundOrMade(failureConverterPath?: string): Promise<{ code: string }> {
  const folder = process.env[BUNDLE_FOLDER];
  if (!folder) return bundleWorkflows(failureConverterPath);
  const name = createHash('sha256').update(`${failureConverterPath}`).digest('hex');
  return { code: await madeOnce(folder, name, async () => (await bundleWorkflows(failureConverterPath)).code) };
}

/** The first process that asks makes it, and the others wait: several files begin at once, and each one would make its own. */
async function madeOnce(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const file = join(folder, `${name}.js`);
  const maker = join(folder, `${name}.making`);
  const folderWatch = watch(folder);
  try {
    for (;;) {
      const changed = once(folderWatch, 'change');
      const found = await read(file);
      if (found !== undefined) return found;
      const isFirst = await mkdir(maker).then(
        () => true,
        () => false,
      );
      // Another one may have ended between the two looks.
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
