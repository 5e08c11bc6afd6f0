// Installs the packed package in an empty folder under each version of Node, and uses it there. `node scripts/node-versions.mjs 22`
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { emptyShop, packInto, QUIET, root, useAll } from './packed.mjs';

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24'];
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
const { engines, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sdk = devDependencies['@temporalio/testing'];

/** The folder of `node` in this version, from the package registry. */
function nodeOf(version) {
  const place = join(folder, `node-${version}`);
  execFileSync('npm', ['install', '--prefix', place, ...QUIET, `node@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return dirname(join(place, 'node_modules/node/bin/node'));
}

try {
  const tarball = packInto(folder);
  console.log(`package.json asks for Node ${engines.node}`);
  for (const version of versions) {
    const shop = emptyShop(folder, nodeOf(version));
    shop.install(tarball, `@temporalio/worker@${sdk}`, `@temporalio/testing@${sdk}`);
    console.log(`${shop.run('node', '--version').trim()}: installs, ${useAll(shop)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
