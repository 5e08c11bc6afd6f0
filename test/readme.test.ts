/** What the README shows is what there is. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import manifest from '../package.json';

const read = (file: string) => readFileSync(join(__dirname, '..', file), 'utf8');
const README = read('README.md');

test('the merchant’s code is the example’s, which is type-checked', () => {
  const [, file = '', code] = /<!-- (\S+) -->\s+```ts\n(.*?)```/s.exec(README) ?? [];
  expect(code).toBe(read(file));
});

test('each dependency has its reason', () => {
  const table = README.slice(README.indexOf('## Dependencies'), README.indexOf('## Work on it'));
  const named = [...table.matchAll(/`(@?[\w./-]+)`/g)].map(([, name = '']) => name);
  // Types follow the package that they describe, and the compiler of tests the runner that it serves.
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
    (name) => !name.startsWith('@types/') && name !== '@swc/core',
  );
  const missing = needed.filter((name) => !named.includes(name) && !named.includes(name.replace('@temporalio/', '')));
  expect(missing).toEqual([]);
});

test('links inside the repository lead somewhere', () => {
  const links = [...README.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) expect(() => read(link)).not.toThrow();
});

test.each(['SECURITY.md', 'docs/faults.md'])('%s names a test in each row that promises something', (document) => {
  const rows = read(document)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const named = rows.map((row) => [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file));
  expect(named.length).toBeGreaterThan(5);
  for (const [i, files] of named.entries()) {
    if (!rows[i]?.includes('**nothing of ours**')) expect([rows[i], files.length]).not.toEqual([rows[i], 0]);
    for (const file of files) expect(() => read(file)).not.toThrow();
  }
});

test('links in the documents lead somewhere', () => {
  for (const document of [
    'SECURITY.md',
    'docs/keys.md',
    'docs/docker.md',
    'docs/assumptions.md',
    'docs/operations.md',
  ]) {
    const links = [...read(document).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    for (const link of links) expect(() => read(join(dirname(document), link))).not.toThrow();
  }
});
