/** Documents that say what holds name the tests that hold it, and these exist. */
import { read } from './markdown';

/** The items of a document's lists, each in one line. */
const itemsOf = (document: string) =>
  read(document)
    .split(/\n(?=- |#|\n)/)
    .filter((item) => item.startsWith('- '))
    .map((item) => item.replace(/\s+/g, ' '));

test('every attack of docs/threat-model.md that something stops names a test file that exists', () => {
  const attacks = itemsOf('docs/threat-model.md').filter((item) => item.startsWith('- **'));
  expect(attacks.length).toBeGreaterThan(25);
  for (const item of attacks.filter((one) => !/\*\*nothing of ours\*\*/i.test(one))) {
    const files = [...item.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file);
    expect([item, files.length > 0]).toEqual([item, true]);
    for (const file of files) expect(() => read(file)).not.toThrow();
  }
});

describe('docs/promises.md', () => {
  const page = read('docs/promises.md');
  const sections = page.split(/^## /m).slice(1);
  const targets = new Map([...page.matchAll(/^\[(.+)\]: \.\.\/(.+)$/gm)].map(([, name, file = '']) => [name, file]));
  const namedIn = (text: string) => [...text.matchAll(/(?<!^)\[([^\]]+)\](?![(:])/gm)].map(([, name]) => name);

  test('has the ten promises, and then the fault model', () => {
    const numbers = sections.slice(0, 10).map((section) => Number.parseInt(section, 10));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(sections[10]).toMatch(/^The fault model\n/);
  });

  test.each(sections.slice(0, 10).map((section) => [section.split('\n')[0], section]))(
    'names tests for %s',
    (_, section) => {
      expect(namedIn(section ?? '').filter((name) => targets.has(name)).length).toBeGreaterThan(1);
    },
  );

  const rows = page.split('\n').filter((line) => /^\| (?!---)/.test(line) && !/\| tests \|$/.test(line));
  test.each(rows)('names tests in the row %s', (row) => {
    expect(rows.length).toBeGreaterThan(30);
    expect(namedIn(row).filter((name) => targets.has(name)).length).toBeGreaterThan(0);
  });

  test('names only tests that it says the files of, and these exist', () => {
    expect(namedIn(page).filter((name) => !targets.has(name))).toEqual([]);
    for (const file of targets.values()) expect(() => read(file)).not.toThrow();
  });
});
