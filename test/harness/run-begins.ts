/**
 * Jest's global setup: makes the folder in which test files share the bundled workflows, so that a run bundles once, or not at
 * all: the bundles of a build that is younger than src/ are those of the same code.
 */
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '@temporalio/worker/package.json';
import { BUNDLE_FOLDER, keptBundle } from '../../src/testing/kept-bundle';
import { isBuilt, LIB } from './built';

export default async function runBegins(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-bundles-'));
  process.env[BUNDLE_FOLDER] = folder;
  if (!(await isBuilt())) return;
  const encrypting = require.resolve('../../src/codec/failure-converter');
  for (const [name, failureConverterPath] of [
    ['clear-text.js', undefined],
    ['encrypting.js', encrypting],
  ] as const) {
    const built = join(LIB, 'temporal/workflow-bundles', version, name);
    if (existsSync(built)) copyFileSync(built, keptBundle(folder, failureConverterPath));
  }
}
