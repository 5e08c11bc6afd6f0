/** `npm run verify` on a machine that lacks what npm cannot install. That it passes elsewhere, every run of it shows. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script on a machine of its own: its programs are these, each a line of shell. */
function verifyWith(programs: Record<string, string>) {
  const path = mkdtempSync(join(folder, 'bin-'));
  for (const name of ['bash', 'dirname', 'env', 'sh']) {
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(path, name));
  }
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(path, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  return spawnSync('bash', [join(ROOT, 'scripts/verify.sh')], { env: { PATH: path }, encoding: 'utf8' });
}

test.each([
  ['there is no apt-get', {}],
  ['apt-get needs root and there is no sudo', { 'apt-get': 'exit 0' }],
])('where %s, one sentence names what is missing and nothing else is tried', (_, programs) => {
  const { stdout, stderr, status } = verifyWith({ id: 'echo 1000', ...programs });
  expect(stderr.split('\n')[0]).toMatch(/^The tests need chromium python3 python3-venv: install .*run this again\.$/);
  expect(stdout).toBe('== programs for the tests\n0 passed, 1 failed\n');
  expect(status).toBe(1);
});

test('root has the missing programs installed, and the checks go on', () => {
  const log = join(folder, 'apt-get.log');
  const { stdout } = verifyWith({
    id: 'echo 0',
    'apt-get': `echo "$@" >> ${log}`,
    npm: 'exit 1',
    chromium: '',
  });
  expect(readFileSync(log, 'utf8')).toMatch(/^update .*\ninstall .* python3 python3-venv\n$/);
  expect(stdout).toMatch(/== lint\n1 passed, 1 failed\n$/);
});
