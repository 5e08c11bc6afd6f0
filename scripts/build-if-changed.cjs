/**
 * Builds lib/ where it is missing, or older than what it is made of: `npm start` again begins at once, and tests build once.
 * `--check` builds nothing, and ends with 1 where it would have. Two that build at the same moment each do so aside, and put their lib
 * in place in one step, unless the other was faster.
 */
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, renameSync, rmSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
/** In ms since the epoch; 0 where there is no such file. */
const changedAt = (file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

function isBuilt() {
  // A folder changes when a file in it comes or goes.
  const made = ['src', ...readdirSync(join(ROOT, 'src'), { recursive: true }).map((file) => join('src', file))];
  const needed = [...made, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/finish-build.cjs'];
  // The bundles of the workflows are made last.
  return changedAt('lib/temporal/workflow-bundles') > Math.max(...needed.map(changedAt));
}

function build() {
  // Beside lib/: the bundles of the workflows leave out the folder that the build is in.
  const [lib, fresh, old] = ['lib', `.lib-fresh-${process.pid}`, `.lib-old-${process.pid}`].map((name) =>
    join(ROOT, name),
  );
  const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  try {
    run('npx', 'tsc', '--singleThreaded', '-p', 'tsconfig.build.json', '--outDir', fresh);
    run(process.execPath, 'scripts/finish-build.cjs', fresh);
    if (isBuilt()) return;
    if (existsSync(lib)) renameSync(lib, old);
    renameSync(fresh, lib);
  } finally {
    for (const left of [fresh, old]) rmSync(left, { recursive: true, force: true });
  }
}

const isCheck = process.argv.includes('--check');
if (!isBuilt()) {
  if (isCheck) process.exitCode = 1;
  else build();
}
