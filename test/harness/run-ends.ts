/** Jest's global teardown: removes what run-begins.ts made. */
import { rmSync } from 'node:fs';

export default function runEnds(): void {
  const folder = process.env.KEPT_TEST_BUNDLES;
  if (folder) rmSync(folder, { recursive: true, force: true });
}
