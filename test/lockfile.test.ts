/** `npm ci` works on every platform, from whatever registry a machine uses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}
const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(__dirname, '../package-lock.json'), 'utf8'),
);
const names = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));

test('the lock knows the binaries of every platform: one that it lacks makes npm ci fail everywhere', () => {
  const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(optional.length).toBeGreaterThan(20);
  expect(optional.filter((name) => !names.has(name))).toEqual([]);
});

test('the lock names no registry', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
