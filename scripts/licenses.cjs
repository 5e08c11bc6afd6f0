/** `npm run licenses`: the licence of each package that is shipped, one a line, as the installed packages name it. */
const { execFileSync } = require('node:child_process');

const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] };
const packages = JSON.parse(execFileSync('npm', ['query', '.prod:not(:root)', '--offline'], options));
const lines = packages.map(({ name, version, license }) => `${license ?? 'none named'}\t${name}@${version}`);
process.stdout.write(`${[...new Set(lines)].sort().join('\n')}\n`);
