/** Gives the clients the version of package.json. `npm version` runs it; with --check it says where another one stands, and fails. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Where a client's version stands. Go's is a tag: `clients/go/v1.2.3`. */
const PLACES = {
  'clients/python/pyproject.toml': /(?<=^version = ")[^"]+/m,
  'clients/java/pom.xml': /(?<=<artifactId>payments-client<\/artifactId>\s+<version>)[^<]+/,
  'clients/java/README.md': /(?<=payments-client:)[^`]+/,
};

const others = Object.entries(PLACES).filter(
  ([file, place]) => place.exec(readFileSync(file, 'utf8'))?.[0] !== version,
);
if (process.argv.includes('--check')) {
  if (others.length > 0) console.error(`Not of version ${version}: ${others.map(([file]) => file).join(', ')}`);
  process.exit(others.length > 0 ? 1 : 0);
}
for (const [file, place] of others) writeFileSync(file, readFileSync(file, 'utf8').replace(place, version));
if (others.length > 0) execFileSync('git', ['add', ...others.map(([file]) => file)]);
