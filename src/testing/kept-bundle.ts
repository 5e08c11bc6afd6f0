/** Where the processes of one test run keep the bundles that they share. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The environment variable that names their folder. */
export const BUNDLE_FOLDER = 'KEPT_TEST_BUNDLES';

export function keptBundle(folder: string, failureConverterPath?: string): string {
  return join(folder, `${createHash('sha256').update(`${failureConverterPath}`).digest('hex')}.js`);
}
