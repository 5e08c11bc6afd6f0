import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draftOf, keepDraft } from './kept-folder';

const cache = mkdtempSync(join(tmpdir(), 'kept-folder-'));
afterAll(() => rmSync(cache, { recursive: true }));

test('where two runs make the same folder, the first one to end keeps its own and the second one uses it', () => {
  const folder = join(cache, 'programs');
  const [first, second] = [draftOf(folder), draftOf(folder)];
  for (const draft of [first, second]) writeFileSync(join(draft, 'program'), draft);
  expect(existsSync(folder)).toBe(false);
  keepDraft(first, folder);
  keepDraft(second, folder);
  expect(readFileSync(join(folder, 'program'), 'utf8')).toBe(first);
  expect(readdirSync(cache)).toEqual(['programs']);
});

test('a draft that cannot be moved for another reason is an error', () => {
  expect(() => keepDraft(join(cache, 'none'), join(cache, 'other'))).toThrow('ENOENT');
});
