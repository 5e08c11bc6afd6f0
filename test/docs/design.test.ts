/** docs/design.md has the pictures that the tables of the code make. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { built } from '../harness/built';
import { ROOT } from '../harness/terminal';

test('the pictures of docs/design.md are what npm run docs:design draws', async () => {
  await built();
  const script = join(ROOT, 'scripts/design-pictures.cjs');
  expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
});
