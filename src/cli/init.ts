/** `payment-gateway init`: writes a small merchant's project, which pays on the stack that `payment-gateway dev` runs. */
import { existsSync, statSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { shellWord } from '../process/dev-settings';
import { packageFolder, packageVersion } from '../process/package';
import { ConfigError, UserError } from '../process/user-error';
import { childEnvironment } from './dev/temporal/child-environment';
import { runCommand } from './dev/temporal/run-command';
import { say } from './print';
import { CLIENT_FOLDER, type ProjectChoice, projectOf } from './projects';

/** What a repository should not contain: packages, build output, and the settings and keys of the stack. */
const IGNORED = [
  ...['node_modules/', '.payments/', '.next/', 'next-env.d.ts', '*.tsbuildinfo'],
  ...['.venv/', '__pycache__/', '*.egg-info/', 'build/'],
];

/** Writes the project's files into `folder`. Throws ConfigError if one is there already: nothing is ever overwritten. */
export async function init(folder: string, choice: ProjectChoice): Promise<void> {
  const { folders, files: others, scripts, dependencies, events, steps } = projectOf(choice);
  const found = await Promise.all(folders.map(filesIn));
  const { [MANIFEST]: template, ...files }: Record<string, string> = Object.assign({}, ...found, others);
  const needed = template === undefined ? { scripts, dependencies } : await readManifest(inPackage(template));
  const packed = await packedFor(folder, needed);

  const written = [...(packed ? [packed] : []), ...Object.keys(files)];
  const taken = written.filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new ConfigError(
      `${taken.join(', ')} in ${folder} would be overwritten: move it away, or choose another folder.`,
    );
  }
  await mkdir(folder, { recursive: true });
  // Packing comes first, because it may fail: then no file exists yet that a second attempt would find.
  if (packed) await pack(folder);
  for (const [file, source] of Object.entries(files)) await write(join(folder, file), inPackage(source));
  if (template !== undefined || scripts !== undefined) {
    await addToManifest(join(folder, MANIFEST), { name: nameOf(folder), packed, needed });
    written.push(MANIFEST);
  }
  if (!existsSync(join(folder, '.gitignore'))) {
    await writeFile(join(folder, '.gitignore'), IGNORED.map((line) => `${line}\n`).join(''));
    written.push('.gitignore');
  }
  const heard = events ? `PAYMENTS_EVENTS_URL=${events} ` : '';
  const [into, dataDir] =
    folder === '.' ? ['', ''] : [`cd ${shellWord(folder)} && `, ` --data-dir ${shellWord(join(folder, '.payments'))}`];
  say(
    [
      `Wrote ${written.join(', ')}.`,
      'Next, here, and leave it running:',
      `  ${heard}npx payment-gateway dev${dataDir}`,
      'In a second terminal:',
      `  ${into}${steps.join(' && ')}`,
    ].join('\n'),
  );
}

const MANIFEST = 'package.json';
const inPackage = (path: string) => join(packageFolder(), path);

/** The files of a folder of the package, by their paths in the project. */
async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(inPackage(folder), { recursive: true });
  const files = names.filter((name) => isSource(name) && statSync(inPackage(join(folder, name))).isFile());
  return Object.fromEntries(files.sort().map((name) => [name, join(folder, name)]));
}

/** Files that Python generates are not part of the package. */
const isSource = (path: string) => !path.includes('__pycache__');

/** Copies a folder unchanged. A template's file names its client by its place in this package. */
async function write(path: string, source: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (statSync(source).isDirectory()) return cp(source, path, { recursive: true, filter: isSource });
  const text = await readFile(source, 'utf8');
  await writeFile(path, text.replace(/\.\.\/\.\.\/clients\/\w+/g, `./${CLIENT_FOLDER}`));
}

/** The project's name for npm: the folder's. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-');
  return name.replace(/^-+|-+$/g, '') || 'shop';
}

const texts = z.record(z.string(), z.string());
const manifest = z.looseObject({
  scripts: texts.optional(),
  dependencies: texts.optional(),
  devDependencies: texts.optional(),
});
type Manifest = z.output<typeof manifest>;

const readManifest = async (file: string): Promise<Manifest> =>
  manifest.parse(JSON.parse(await readFile(file, 'utf8')));

/** The file of this package from which the project installs it; undefined if it needs none, or has the package already. */
async function packedFor(folder: string, { dependencies }: Manifest): Promise<string | undefined> {
  const file = join(folder, MANIFEST);
  const own = existsSync(file) ? await readManifest(file) : {};
  const isKnown = [own.dependencies, own.devDependencies].some((all) => all?.[PACKAGE] !== undefined);
  return dependencies === undefined || isKnown ? undefined : `${PACKAGE}-${packageVersion()}.tgz`;
}

const PACKAGE = 'temporal-payment-gateway';
const PACK_MS = 180_000;

/** Packs this package into the project: no registry has it, and somebody else may publish another under its name. */
async function pack(folder: string): Promise<void> {
  const env = childEnvironment(process.env, /^npm_config_/i);
  // The package is built already: without its scripts, npm packs it as it is.
  const args = ['pack', packageFolder(), '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { ok, problem } = await runCommand('npm', args, { env, timeoutMs: PACK_MS });
  if (!ok) throw new UserError(`npm could not pack ${packageFolder()} into ${folder} (${problem}).`);
}

/** The script `test` that `npm init` writes: it counts as none. */
const NO_TEST = 'echo "Error: no test specified" && exit 1';

/** Adds what the project needs to its package.json; existing entries stay. */
async function addToManifest(file: string, { name, packed, needed }: NewManifest): Promise<void> {
  const { scripts: own = {}, ...before }: Manifest = existsSync(file)
    ? await readManifest(file)
    : { name, private: true };
  const { test, ...scripts } = own;
  const kept: Manifest = { ...before, scripts: test === undefined || test === NO_TEST ? scripts : own };
  const wanted: Manifest = packed
    ? { ...needed, dependencies: { [PACKAGE]: `file:${packed}`, ...needed.dependencies } }
    : needed;
  const parts = ['scripts', 'dependencies', 'devDependencies'] as const;
  const added = parts.flatMap((part) => (wanted[part] ? [[part, { ...wanted[part], ...kept[part] }]] : []));
  await writeFile(file, `${JSON.stringify({ ...kept, ...Object.fromEntries(added) }, null, 2)}\n`);
}

interface NewManifest {
  name: string;
  packed: string | undefined;
  needed: Manifest;
}
