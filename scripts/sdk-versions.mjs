// Installs the packed package beside the lowest and the highest version of Temporal's SDK that package.json takes, and uses it.
// Says what it weighs, and what a merchant is told whose SDK is older. `node scripts/sdk-versions.mjs 1.23.0` tries one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyShop, packInto, root, useAll } from './packed.mjs';

const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const range = peerDependencies['@temporalio/client'];
const folder = mkdtempSync(join(tmpdir(), 'sdk-versions-'));

/** The oldest and the latest version of a range that the registry has. */
function ends() {
  const said = execFileSync('npm', ['view', `@temporalio/client@${range}`, 'version', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const versions = [JSON.parse(said.toString())].flat();
  return [...new Set([versions[0], versions.at(-1)])];
}

/** What is installed: megabytes on the disk, and packages. */
function weight({ cwd, run }) {
  const [mb] = run('du', '-sm', join(cwd, 'node_modules')).split('\t');
  const lock = JSON.parse(readFileSync(join(cwd, 'node_modules/.package-lock.json'), 'utf8'));
  return `${mb} MB, ${Object.keys(lock.packages).length} packages`;
}

/** Throws where a package of the SDK has another version. `plugin` and `envconfig` pass no objects to the others. */
function requireOnly(version, { cwd }) {
  const sdk = join(cwd, 'node_modules/@temporalio');
  for (const name of readdirSync(sdk).filter((one) => !['plugin', 'envconfig'].includes(one))) {
    const { version: found } = JSON.parse(readFileSync(join(sdk, name, 'package.json'), 'utf8'));
    if (found !== version) throw new Error(`@temporalio/${name} is ${found}, not ${version}`);
  }
}

/** Asks for a part that needs more of the SDK, and runs the command that its refusal names. */
function mend(shop, part) {
  try {
    shop.run('node', '-e', `require('temporal-payment-gateway${part}')`);
  } catch ({ stderr }) {
    const [, packages = ''] = /npm install ((?:@temporalio\/\S+ ?)+)/.exec(stderr) ?? [];
    if (packages === '') throw new Error(`no command that mends it: ${stderr}`);
    shop.install(...packages.trim().split(' '));
    return;
  }
  throw new Error(`temporal-payment-gateway${part} loads without the native core`);
}

function tried(version, tarball) {
  const shop = emptyShop(folder);
  shop.install(tarball, `@temporalio/client@${version}`);
  const payOnly = weight(shop);
  mend(shop, '');
  const withWorker = weight(shop);
  mend(shop, '/testing');
  requireOnly(version, shop);
  const used = useAll(shop);
  console.log(`SDK ${version}: one SDK in the tree, ${used}`);
  console.log(`  on the disk: who only pays ${payOnly}; with @temporalio/worker ${withWorker}`);
}

/** What npm tells a merchant whose SDK is outside the range: one sentence of it. */
function refused(tarball) {
  const shop = emptyShop(folder);
  try {
    shop.install(tarball, '@temporalio/client@1.22.0');
  } catch ({ stderr }) {
    if (String(stderr).includes('ERESOLVE')) return console.log('SDK 1.22.0: npm refuses to install both (ERESOLVE)');
  }
  throw new Error('npm installs the package beside an SDK that it was not made for');
}

try {
  const tarball = packInto(folder);
  console.log(`package.json takes @temporalio/client ${range}`);
  for (const version of process.argv.length > 2 ? process.argv.slice(2) : ends()) tried(version, tarball);
  refused(tarball);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
