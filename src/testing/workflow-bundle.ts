/** Our workflows as one bundle: that of the build, or one for all workers and simulations of a process, or of a whole test run. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const found = await readFile(file, 'utf8').catch(() => undefined);
  if (found !== undefined) return { code: found };
  const { code } = await bundleWorkflows(failureConverterPath);
  // In one step: another process may be reading.
  const written = join(folder, randomUUID());
  await writeFile(written, code);
  await rename(written, file);
  return { code };
}
