/**
 * The last step of the build. Bundles the workflows for the workers that this package starts, and makes its commands executable: tsc
 * writes them without that, and npx makes them so only where it links them first. Takes the folder of the build.
 */
const { chmodSync } = require('node:fs');
const { relative, resolve } = require('node:path');
const { bin } = require('../package.json');

const folder = resolve(process.argv[2] ?? 'lib');
const { buildBundles } = require(resolve(folder, 'temporal/workflow-bundle'));
buildBundles();
for (const command of new Set(Object.values(bin))) chmodSync(resolve(folder, relative('lib', command)), 0o755);
