/** The folder of a stack holds keys and buyers' data: only its owner may read it, even if it existed before. */
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that the parts of a stack keep in it, SQLite's own beside the database among them. */
const OURS = /^(?:stack\.json|dev\.env|simulator\.json|temporal\.sqlite)(?:[-.].*)?$/;

/**
 * Makes the folder, or the one that is there private (0700), and our files in it (0600). A folder that holds other files too
 * keeps its mode: it is somebody's project.
 */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = await readdir(folder, { withFileTypes: true });
  const isOurs = (entry: (typeof entries)[number]) => entry.isFile() && OURS.test(entry.name);
  if (entries.every(isOurs)) await chmod(folder, 0o700);
  await Promise.all(entries.filter(isOurs).map(({ name }) => chmod(join(folder, name), 0o600)));
}
