/** `npm run verify` on a machine that lacks what npm cannot install. That it passes elsewhere, every run of it shows. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (program: string) => execFileSync('which', [program], { encoding: 'utf8' }).trim();

/** Runs the script on a machine of its own: its programs are these, each a line of shell, and its apt is nobody else's. */
function verifyWith(programs: Record<string, string>) {
  const path = mkdtempSync(join(folder, 'bin-'));
  for (const name of ['bash', 'dirname', 'env', 'sh']) symlinkSync(pathOf(name), join(path, name));
  const flock = `[ "$3" = /var/lib/apt ] && shift 3 && exec ${pathOf('flock')} ${folder} "$@"`;
  for (const [name, line] of Object.entries({ flock, ...programs })) {
    writeFileSync(join(path, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  return new Promise<{ stdout: string; stderr: string; status: number | null }>((ended) => {
    const child = execFile('bash', [join(ROOT, 'scripts/verify.sh')], { env: { PATH: path } }, (_, stdout, stderr) =>
      ended({ stdout, stderr, status: child.exitCode }),
    );
  });
}

test.each([
  ['there is no apt-get', {}],
  ['apt-get needs root and there is no sudo', { 'apt-get': 'exit 0' }],
])('where %s, one sentence names what is missing and nothing else is tried', async (_, programs) => {
  const { stdout, stderr, status } = await verifyWith({ id: 'echo 1000', ...programs });
  expect(stderr.split('\n')[0]).toMatch(/^The tests need chromium python3 python3-venv: install .*run this again\.$/);
  expect(stdout).toBe('== programs for the tests\n0 passed, 1 failed\n');
  expect(status).toBe(1);
});

test('root has the missing programs installed, and the checks go on', async () => {
  const log = join(folder, 'apt-get.log');
  const { stdout } = await verifyWith({
    id: 'echo 0',
    'apt-get': `echo "$@" >> ${log}`,
    npm: 'exit 1',
    chromium: '',
  });
  expect(readFileSync(log, 'utf8')).toMatch(/^update .*\ninstall .* python3 python3-venv\n$/);
  expect(stdout).toMatch(/== lint\n1 passed, 1 failed\n$/);
});

test('two runs on one machine install one after the other, though apt refuses the second of two at once', async () => {
  const lock = join(folder, 'apt-lock');
  const installs = {
    id: 'echo 0',
    // Long enough that the other run comes meanwhile.
    'apt-get': `${pathOf('mkdir')} ${lock} || exit 100; ${pathOf('sleep')} 0.3; ${pathOf('rmdir')} ${lock}`,
    npm: 'exit 1',
  };
  const runs = await Promise.all([verifyWith(installs), verifyWith(installs)]);
  for (const { stdout } of runs) expect(stdout).toMatch(/== lint\n1 passed, 1 failed\n$/);
});

/** Jest's report of so many tests. */
const reportOf = (numPassedTests: number, numFailedTests: number) =>
  JSON.stringify({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites: 0 });

test.each([
  ['all tests of both parts pass', reportOf(4, 0), 0, '12 passed, 0 failed'],
  ['a test of the second part fails', reportOf(3, 1), 1, '11 passed, 1 failed'],
  ['the second part breaks off without a report', '', 1, '5 passed, 1 failed'],
])('where %s, the last line counts the steps and the tests of both', async (_, second, code, said) => {
  const real = (name: string) => `exec ${pathOf(name)} "$@"`;
  const report = `file=\${*##*--outputFile=}; file=\${file%% *}`;
  const others = second === '' ? `exit ${code}` : `echo '${second}' > "$file"; exit ${code}`;
  const { stdout } = await verifyWith({
    ...{ chromium: '', python3: '', mktemp: real('mktemp'), rm: real('rm'), cat: real('cat'), nice: real('nice') },
    node: `exec ${process.execPath} "$@"`,
    npm: [
      'case "$*" in *--outputFile=*) ;; *) exit 0 ;; esac',
      report,
      `case "$file" in *simulated.json) echo '${reportOf(3, 0)}' > "$file" ;; *) ${others} ;; esac`,
    ].join('\n'),
  });
  expect(stdout.trim().split('\n').at(-1)).toBe(said);
});
