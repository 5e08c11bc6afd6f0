/**
 * Temporal's SDK beside this package. Its packages are our peers, so that a merchant has one SDK and not two; those with native
 * code are optional, so that a backend which only pays has none. If the installed packages differ, the errors here say what to install.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../process/user-error';

/** Temporal's SDK is not there as this package needs it. The message has the command that mends it. */
class TemporalSdkError extends UserError {
  override readonly name = 'TemporalSdkError';
}

/** The packages between which a caller passes objects; only a worker needs the others. */
const CALLERS = ['client', 'common', 'proto'] as const;
const WORKERS = ['activity', 'nexus', 'workflow', 'worker', 'testing'] as const;
type SdkPackage = (typeof CALLERS | typeof WORKERS)[number];

/** How to repair the installed packages: a command, and which of them are missing. */
export interface Mending {
  command: string;
  missing: SdkPackage[];
}

/** Undefined if nothing is wrong. The command also brings a worker's other packages to the same version. */
export function mendingFor(packages: readonly SdkPackage[], from?: string): Mending | undefined {
  const missing = packages.filter((name) => versionOf(name, from) === undefined);
  const wrong = [...missing, ...otherVersions([...CALLERS, ...WORKERS], from)];
  return wrong.length === 0 ? undefined : { missing, command: installCommand(wrong, from) };
}

/**
 * Throws TemporalSdkError if a package is missing, before its import would fail with a stack of Node's, or has another version
 * than the rest. `what` needs them: a subject, such as "A worker".
 */
export function requirePackages(what: string, packages: readonly SdkPackage[], from?: string): void {
  const mending = mendingFor(packages, from);
  if (mending === undefined) return;
  if (mending.missing.length === 0) throw twoVersions([...CALLERS, ...WORKERS], from);
  const names = mending.missing.map((name) => `@temporalio/${name}`).join(' and ');
  throw new TemporalSdkError(
    `${what} needs ${names}, which is not installed. A backend that only pays does without, and imports temporal-payment-gateway/client. Install it: ${mending.command}`,
  );
}

/** Throws TemporalSdkError if the packages that a caller uses have different versions: they pass objects to each other. */
export function requireOneSdk(from?: string): void {
  if (otherVersions(CALLERS, from).length > 0) throw twoVersions(CALLERS, from);
}

function twoVersions(packages: readonly SdkPackage[], from?: string): TemporalSdkError {
  const others = otherVersions(packages, from);
  const found = others.map((name) => `@temporalio/${name} is ${versionOf(name, from)}`).join(', ');
  return new TemporalSdkError(
    `Temporal's SDK is here in two versions: @temporalio/client is ${versionOf('client', from)}, and ${found}. Give them one: ${installCommand(others, from)}`,
  );
}

function otherVersions(packages: readonly SdkPackage[], from?: string): SdkPackage[] {
  const wanted = versionOf('client', from);
  return packages.filter((name) => wanted !== undefined && ![undefined, wanted].includes(versionOf(name, from)));
}

function installCommand(packages: readonly SdkPackage[], from?: string): string {
  const version = versionOf('client', from) ?? 'latest';
  return ['npm', 'install', ...packages.map((name) => `@temporalio/${name}@${version}`)].join(' ');
}

/** The version of a package as Node would find it from `from`; undefined if there is none, as in a bundle. */
function versionOf(name: SdkPackage, from = folderOfThis()): string | undefined {
  for (let folder = from; folder !== undefined; folder = dirname(folder) === folder ? undefined : dirname(folder)) {
    const file = join(folder, 'node_modules/@temporalio', name, 'package.json');
    // Not by require.resolve: Node would remember as missing a package that is installed a moment later.
    if (existsSync(file))
      return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  }
  return undefined;
}

/** A bundle as an ES module has no such folder. */
function folderOfThis(): string | undefined {
  return typeof __dirname === 'string' ? __dirname : undefined;
}
