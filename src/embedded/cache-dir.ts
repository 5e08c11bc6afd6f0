import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The user's cache folder for this package, by the XDG convention: `$XDG_CACHE_HOME` or `~/.cache`, and our name below it.
 * It is shared by all clones and projects of one user, so that a second one downloads nothing.
 *
 * @param env where `XDG_CACHE_HOME` is read; a relative value is ignored, as the convention asks
 */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const configured = env.XDG_CACHE_HOME;
  const base = configured && isAbsolute(configured) ? configured : join(homedir(), '.cache');
  return join(base, 'temporal-payment-gateway');
}
