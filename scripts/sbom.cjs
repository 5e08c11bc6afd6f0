/**
 * `npm run sbom`: what is shipped, as CycloneDX on standard output, from the lock alone and without a network. npm itself
 * makes the list of everything; its `--omit dev` also leaves out what development and we ourselves both use, so that the
 * packages for development alone are taken out here.
 */
const { execFileSync } = require('node:child_process');

const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] };
const list = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline'];
const bom = JSON.parse(execFileSync('npm', list, options));

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
const left = new Set(bom.components.filter(isForDevelopment).map((component) => component['bom-ref']));
const { name, version } = require('../package.json');

bom.components = bom.components.filter((component) => !left.has(component['bom-ref']));
bom.dependencies = bom.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((dependency) => !left.has(dependency)) }));
// npm takes the folder's name, which is anybody's.
Object.assign(bom.metadata.component, { name, version });
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
