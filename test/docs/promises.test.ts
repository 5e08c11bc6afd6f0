/** Documents that say what holds name the tests that hold it: the files exist, and so do the tests in them. */
import { read } from './markdown';

/** The items of a document's lists, each in one line. */
const itemsOf = (document: string) =>
  read(document)
    .split(/\n(?=- |#|\n)/)
    .filter((item) => item.startsWith('- '))
    .map((item) => item.replace(/\s+/g, ' '));

const filesIn = (item: string) => [...item.matchAll(/`(test\/[\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file);

test.each([
  ['SECURITY.md', '- **'],
  ['docs/faults.md', '- **'],
])('every item of %s that promises something names a test file that exists', (document, start) => {
  const promising = itemsOf(document).filter((item) => item.startsWith(start) && !item.includes('**Nothing of ours**'));
  expect(promising.length).toBeGreaterThan(15);
  for (const item of promising) {
    expect([item, filesIn(item).length > 0]).toEqual([item, true]);
    for (const file of filesIn(item)) expect(() => read(file)).not.toThrow();
  }
});

describe('docs/promises.md', () => {
  const sections = read('docs/promises.md').split(/^## /m).slice(1);

  test('has the ten promises', () => {
    const numbers = sections.map((section) => Number.parseInt(section, 10));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  const named = sections.flatMap((section) =>
    section
      .split(/\n(?=- |\n)/)
      .filter((item) => item.startsWith('- '))
      .map((item) => item.replace(/\s+/g, ' '))
      .map((item) => ({ item, file: filesIn(item)[0] ?? '', titles: titlesIn(item) })),
  );

  test.each(sections.map((section) => [section.split('\n')[0], section]))('names tests for %s', (_, section) => {
    expect(filesIn(section ?? '').length).toBeGreaterThan(1);
  });

  test.each(named)('names tests that exist: $item', ({ file, titles }) => {
    const source = read(file);
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.filter((title) => !source.includes(title))).toEqual([]);
  });
});

/** What stands in quotation marks. */
function titlesIn(item: string): string[] {
  return [...item.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title);
}
