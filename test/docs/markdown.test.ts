/** The form of every Markdown file, and that what they name is there. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../harness/terminal';
import { anchorsOf, DOCUMENTS, read } from './markdown';

const LONGEST_LINE = 200;

test('every document is looked at', () => {
  expect(DOCUMENTS).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'docs/contract.md']));
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = read(document);
  const lines = text.split('\n');

  test('has no line that is too long', () => {
    expect(lines.filter((line) => line.length > LONGEST_LINE)).toEqual([]);
  });

  test('has no table that is padded with blanks', () => {
    const rows = lines.filter((line) => line.startsWith('|'));
    expect(rows.filter((row) => /[^|\s] {2,}\||\| {3,}\||\| {2,}[^|\s]|-{4,}/.test(row))).toEqual([]);
  });

  test('has only links that lead somewhere', () => {
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      return !existsSync(join(ROOT, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
    });
    expect(dead).toEqual([]);
  });

  test('names only files that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|docs|examples|scripts|bench|deploy)\/(?!secrets)[\w./-]+)`/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
