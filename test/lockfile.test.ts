/** `npm ci` works on every platform and with every registry. */
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

test('the lock has the binaries of every platform, because npm ci fails everywhere where it lacks one', () => {
  const optional = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(optional.length).toBeGreaterThan(20);
  expect(optional.filter((name) => !names.has(name))).toEqual([]);
});

test('the lock names no registry', () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
