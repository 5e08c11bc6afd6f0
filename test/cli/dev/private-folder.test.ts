/** The folder of a stack is its owner's alone, also where it was there before. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../src/cli/dev/private-folder';

const parent = mkdtempSync(join(tmpdir(), 'private-folder-'));
afterAll(() => rmSync(parent, { recursive: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;
let folders = 0;
/** A folder that everybody may read, with these files that everybody may read. */
function openFolder(...files: string[]): string {
  folders += 1;
  const folder = join(parent, `of-${folders}`);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  for (const file of files) {
    writeFileSync(join(folder, file), '');
    chmodSync(join(folder, file), 0o644);
  }
  return folder;
}

test('a folder that is not there is made for its owner alone', async () => {
  const folder = join(parent, 'new', 'stack');
  await makePrivateFolder(folder);
  expect(modeOf(folder)).toBe(0o700);
});

test('a folder that others may read becomes private, with every file of a stack in it', async () => {
  const files = ['stack.json', 'dev.env', 'simulator.json', 'temporal.sqlite', 'temporal.sqlite-wal'];
  const folder = openFolder(...files);
  await makePrivateFolder(folder);
  expect([folder, ...files.map((file) => join(folder, file))].map(modeOf)).toEqual([0o700, ...files.map(() => 0o600)]);
});

test('in a folder that holds other files, only those of the stack become private', async () => {
  const folder = openFolder('stack.json', 'package.json');
  await makePrivateFolder(folder);
  expect([folder, join(folder, 'stack.json'), join(folder, 'package.json')].map(modeOf)).toEqual([0o755, 0o600, 0o644]);
});
