/** Our workflows as one bundle, made once for all workers and simulations of a process, or of a whole test run. */
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
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
  const file = join(folder, `${name}.js`);
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found !== undefined) return { code: found };
  const { code } = await bundleWorkflows(failureConverterPath);
  // In one step: another process may be reading.
  const written = join(folder, randomUUID());
  await writeFile(written, code);
  await rename(written, file);
  return { code };
}
