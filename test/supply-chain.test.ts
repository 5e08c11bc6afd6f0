/** The packages that are shipped, according to the lock: the bill of materials and the licences. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const ROOT = join(__dirname, '..');
const run = (script: string) =>
  execFileSync(process.execPath, [join(ROOT, 'scripts', script)], { cwd: ROOT, encoding: 'utf8' });

const lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.string(), dev: z.boolean(), link: z.boolean() }).partial()),
});

/** `name@version` of each package that is installed without the packages for development. */
function shipped(): string[] {
  const { packages } = lock.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const parts = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  const named = parts.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  return [...new Set(named)].sort();
}

test('the bill of materials is CycloneDX and lists every shipped package and no other', () => {
  const bom = z
    .object({
      bomFormat: z.literal('CycloneDX'),
      metadata: z.object({ component: z.object({ name: z.string() }) }),
      components: z.array(
        z.object({ 'bom-ref': z.string(), purl: z.string(), hashes: z.array(z.unknown()).optional() }),
      ),
    })
    .parse(JSON.parse(run('sbom.cjs')));
  expect(bom.metadata.component.name).toBe('temporal-payment-gateway');
  const listed = bom.components.map((component) => component['bom-ref'].split('|')[0]);
  expect([...new Set(listed)].sort()).toEqual(shipped());
});

test('every shipped package has a licence that allows its use', () => {
  const FREE = /^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense|CC-BY-4\.0|Apache-2\.0 AND MIT)$/;
  // This one has the text of the Unlicense, and no licence in its manifest.
  const UNNAMED = ['unionfs'];
  const others = run('licenses.cjs')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([license = '']) => !FREE.test(license))
    .map(([, name = '']) => name.replace(/@[^@]+$/, ''));
  expect(others.filter((name) => !UNNAMED.includes(name))).toEqual([]);
});

test('the clients for other languages have the package’s version', () => {
  expect(() => execFileSync(process.execPath, ['scripts/client-versions.mjs', '--check'], { cwd: ROOT })).not.toThrow();
});
