/** A package that was installed alone has no worker. `dev` fetches it once, as it fetches Temporal's server, and says so. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../process/package';
import { UserError } from '../../process/user-error';
import { mendingFor } from '../../temporal/sdk';
import { say } from '../print';
import { childEnvironment } from './temporal/child-environment';
import { runCommand } from './temporal/run-command';

/** Enough for a hundred megabytes over a slow line, but not endless. In ms. */
const INSTALL_MS = 10 * 60_000;

/** Installs the SDK's worker where npm installed this package, if it is missing. Throws UserError if npm fails. */
export async function ensureWorker(): Promise<void> {
  const mending = mendingFor(['worker']);
  const folder = join(packageFolder(), '../..');
  // Other package managers have another folder structure: there worker.ts says what to install.
  const isNpms = existsSync(join(folder, 'node_modules/.package-lock.json'));
  if (mending === undefined || mending.missing.length === 0 || !isNpms) return;
  const { command } = mending;
  say(`A worker needs the native core of Temporal's SDK. Once, for some 210 MB on the disk:\n  ${command} …`);
  const env = childEnvironment(process.env, /^npm_config_/i);
  const [npm = '', ...args] = [...command.split(' '), '--prefix', folder, '--no-audit', '--no-fund'];
  const { ok, problem } = await runCommand(npm, args, { env, timeoutMs: INSTALL_MS });
  if (!ok) throw new UserError(`npm could not install it in ${folder} (${problem}). Run it there yourself: ${command}`);
}
