/**
 * What each test file costs: `npm run test:cost [paths] [-- --json FILE]`. Every file runs alone, in its own Jest process,
 * and the ten dearest are shown. The order is by CPU seconds, those of child processes included: unlike the time on the
 * clock, they say what a file takes from the other files, and do not count waiting.
 */
const { spawnSync } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');

const SHOWN = 10;
const JEST = require.resolve('jest/bin/jest', { paths: [process.cwd()] });

const args = process.argv.slice(2);
const json = args.includes('--json') ? args.splice(args.indexOf('--json'), 2)[1] : undefined;

const listed = spawnSync(process.execPath, [JEST, '--listTests', ...args], { encoding: 'utf8' });
const files = listed.stdout.split('\n').filter(Boolean).sort();
if (files.length === 0) throw new Error(`No test file matches ${args.join(' ')}.\n${listed.stderr}`);

const folder = mkdtempSync(join(tmpdir(), 'test-cost-'));
const costs = [];
try {
  for (const file of files) {
    const cost = costOf(file);
    costs.push(cost);
    console.error(
      `${cost.cpu.toFixed(1).padStart(7)} s CPU  ${cost.file}${cost.failed ? `  ${cost.failed} FAILED` : ''}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

costs.sort((a, b) => b.cpu - a.cpu);
const total = (key) => costs.reduce((sum, cost) => sum + cost[key], 0);
console.log('CPU s   wall s  tests  file');
for (const { cpu, wall, tests, file } of [
  ...costs.slice(0, SHOWN),
  { cpu: total('cpu'), wall: total('wall'), tests: total('tests'), file: `all ${costs.length} files` },
])
  console.log(`${cpu.toFixed(1).padStart(6)} ${wall.toFixed(1).padStart(7)} ${String(tests).padStart(6)}  ${file}`);
const report = JSON.stringify(costs, null, 2);
if (json) writeFileSync(json, `${report}\n`);
else console.log(report);
process.exitCode = total('failed') > 0 ? 1 : 0;

/** Runs one file. `cpu` and `wall` are seconds; a file that could not be run counts as one failed test. */
function costOf(file) {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const begun = performance.now();
  // Node cannot tell what its children used, and a shell can: `times` prints the shell's line, then its children's.
  const shell = spawnSync(
    'sh',
    [
      '-c',
      '"$@" >/dev/null 2>&1; times',
      'sh',
      process.execPath,
      JEST,
      '--ci',
      '--runInBand',
      '--json',
      `--outputFile=${report}`,
      '--runTestsByPath',
      file,
    ],
    { encoding: 'utf8' },
  );
  const wall = (performance.now() - begun) / 1000;
  const children = shell.stdout.trim().split('\n').at(-1);
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, min, s]) => sum + Number(min) * 60 + Number(s),
    0,
  );
  const { tests, failed } = countsOf(report);
  return { file: relative(process.cwd(), file), cpu: round(cpu), wall: round(wall), tests, failed };
}

function countsOf(report) {
  try {
    const { numTotalTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
    return { tests: numTotalTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { tests: 0, failed: 1 };
  }
}

function round(seconds) {
  return Math.round(seconds * 10) / 10;
}
