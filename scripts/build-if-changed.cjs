/** Builds lib/ where it is missing, or older than what it is made of: `npm start` again begins at once. */
const { execFileSync } = require('node:child_process');
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
/** In ms since the epoch; 0 where there is no such file. */
const changedAt = (file) => statSync(join(ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
// A folder changes when a file in it comes or goes.
const made = ['src', ...readdirSync(join(ROOT, 'src'), { recursive: true }).map((file) => join('src', file))];
const needed = [...made, 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/finish-build.cjs'];
// The bundles of the workflows are made last.
const isBuilt = changedAt('lib/temporal/workflow-bundles') > Math.max(...needed.map(changedAt));
if (!isBuilt) execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
