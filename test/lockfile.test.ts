/** `npm ci` works on every platform and with every registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  engines?: { node?: string };
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

/** The lowest major version in a range of Node's. */
const lowestMajor = (range: string) =>
  Math.min(...range.split('||').map((alternative) => Number(/\d+/.exec(alternative)?.[0] ?? 0)));

test('every package that users get runs on the oldest Node that we take, so that npm warns of none', () => {
  const oldest = lowestMajor(packages['']?.engines?.node ?? '');
  expect(oldest).toBeGreaterThan(0);
  const tooNew = Object.entries(packages).filter(
    ([, { dev, engines }]) => dev !== true && lowestMajor(engines?.node ?? '0') > oldest,
  );
  expect(tooNew.map(([path]) => path)).toEqual([]);
});
