/** Go for tests: the programs of clients/go, built once for each state of their sources, and kept. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '../../src/cli/dev/temporal';
import { discardDraft, draftOf, keepDraft } from './kept-folder';
import { ROOT } from './terminal';

/** The module. */
export const GO_FOLDER = join(ROOT, 'clients/go');

/** A compiler that does not optimize takes two thirds of the CPU: Temporal's SDK for Go is 60 s of it on a machine that has built nothing. */
export const QUICK_GO = ['-gcflags=all=-N -l'];

/** Modules come over the network, and a slow line is no failure. */
const BUILD_MS = 10 * 60_000;

export type GoPrograms = { folder: string } | { missing: string };

/** The folder with the built programs, or in a sentence why there are none: no Go, or its modules are not within reach. */
export function goPrograms(env: NodeJS.ProcessEnv = process.env): GoPrograms {
  const version = spawnSync('go', ['version'], { encoding: 'utf8' });
  if (version.status !== 0) return { missing: 'Go is not installed, and these programs need it' };
  const hash = createHash('sha256').update(version.stdout);
  for (const file of readdirSync(GO_FOLDER, { recursive: true, encoding: 'utf8' }).sort()) {
    if (statSync(join(GO_FOLDER, file)).isFile()) hash.update(file).update(readFileSync(join(GO_FOLDER, file)));
  }
  const folder = join(defaultCacheDir(env), 'go', hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return { folder };
  const got = spawnSync('go', ['mod', 'download'], { cwd: GO_FOLDER, encoding: 'utf8', timeout: BUILD_MS });
  if (got.status !== 0) return { missing: `Go’s modules cannot be had: ${got.stderr.split('\n')[0]}` };
  const draft = draftOf(folder);
  const { status, stderr } = goBuild('-ldflags=-s -w', '-o', draft, './...');
  if (status !== 0) {
    discardDraft(draft);
    // What does not compile fails the tests.
    throw new Error(`The programs in Go do not compile:\n${stderr}`);
  }
  keepDraft(draft, folder);
  return { folder };
}

/** Builds with the options of all tests, so that each finds what another has compiled. */
export function goBuild(...args: string[]): SpawnSyncReturns<string> {
  const options = { cwd: GO_FOLDER, encoding: 'utf8', timeout: BUILD_MS } as const;
  return spawnSync('go', ['build', ...QUICK_GO, ...args], options);
}
