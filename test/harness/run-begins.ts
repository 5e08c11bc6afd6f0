/** Jest's global setup: makes the folder in which test files share the bundled workflows, so that a run bundles once. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function runBegins(): void {
  process.env.KEPT_TEST_BUNDLES = mkdtempSync(join(tmpdir(), 'workflow-bundles-'));
}
