/**
 * A folder of the cache that takes long to make. It is made beside its place and moved there in one step, because another
 * run on this machine may look for it, make it or use it meanwhile.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { types } from 'node:util';

/** An empty folder beside the place of `folder`, for what will be `folder`. */
export function draftOf(folder: string): string {
  mkdirSync(dirname(folder), { recursive: true });
  return mkdtempSync(`${folder}.new-`);
}

/** Moves the draft to its place. Where another run was faster, its equal folder stays. */
export function keepDraft(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Not `instanceof`: an error of Node's own is of another realm than Jest's Error.
    const code = types.isNativeError(error) && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    discardDraft(draft);
  }
}

/** Removes the draft of what could not be made. */
export function discardDraft(draft: string): void {
  rmSync(draft, { recursive: true, force: true });
}
