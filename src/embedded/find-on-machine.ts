import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Answer, Search } from './binaries';
import { checkBinary } from './binary-kinds';

/** The user said where it is. A path that does not work is an error at once: to use another one would be a silent surprise. */
export async function fromEnvironmentVariable({ kind, env }: Search): Promise<Answer> {
  const path = env[kind.variable];
  if (!path) return { said: 'not set' };
  const checked = await checkBinary(kind, path, env);
  return 'version' in checked ? { path, version: checked.version } : { said: checked.problem, final: true };
}

/** The user has installed it. */
export async function fromPath({ kind, env }: Search): Promise<Answer> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, kind.file);
    if (!(await isExecutable(path))) continue;
    const checked = await checkBinary(kind, path, env);
    return 'version' in checked ? { path, version: checked.version } : { said: checked.problem };
  }
  return { said: `no ${kind.file} on it` };
}

/** An earlier run has downloaded it. */
export async function fromCache({ kind, env, cached }: Search): Promise<Answer> {
  if (!(await isExecutable(cached))) return { said: `nothing at ${cached}` };
  const checked = await checkBinary(kind, cached, env);
  return 'version' in checked ? { path: cached, version: checked.version } : { said: checked.problem };
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
