/** The documents of the repository as text. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/terminal';

/** A file of the repository, by its path from the root. */
export const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Every Markdown file that the repository keeps, by its path from the root. */
export const DOCUMENTS = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
