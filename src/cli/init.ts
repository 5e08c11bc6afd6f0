/** `payment-gateway init`: writes a small merchant's project, which pays on the stack that `payment-gateway dev` runs. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../process/user-error';
import { packageFolder, packageVersion } from './package';
import { say } from './print';

interface InitOptions {
  language: keyof typeof PROJECTS;
}

/** By language: the files and folders of the package that the project gets, and how its program is run. */
const PROJECTS = {
  typescript: {
    files: { 'merchant.mts': 'examples/typescript/merchant.mts', 'tsconfig.json': 'examples/typescript/tsconfig.json' },
    steps: ['npx payment-gateway dev   # leave it running', 'npm start                 # in a second terminal'],
  },
  python: {
    files: {
      'merchant.py': 'clients/python/examples/merchant.py',
      'requirements.txt': 'clients/python/requirements.txt',
      payment_gateway: 'clients/python/payment_gateway',
      'order.json': 'examples/orders/pix.json',
    },
    steps: [
      'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
      'npx payment-gateway dev   # leave it running',
      '.venv/bin/python merchant.py order.json --wait   # in a second terminal',
    ],
  },
} as const;

/** What a repository should not keep: packages, and the settings and keys of the stack. */
const IGNORED = ['node_modules/', '.payments/', '.venv/', '__pycache__/'];

/** Node runs TypeScript by itself from this version on; before that, tsx does. */
const RUNS_TYPESCRIPT = [22, 18] as const;

/** Writes the project's files into `folder`. Throws ConfigError if one is there already: nothing is ever overwritten. */
export async function init(folder: string, { language }: InitOptions): Promise<void> {
  const { files, steps } = PROJECTS[language];
  const taken = [...Object.keys(files)].filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new ConfigError(
      `${taken.join(', ')} in ${folder} would be overwritten: move it away, or choose another folder.`,
    );
  }
  for (const [file, source] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(packageFolder(), source), join(folder, file), { recursive: true, filter: isSource });
  }
  const written: string[] = Object.keys(files);
  const isNew = language === 'typescript' && (await addManifest(folder));
  if (language === 'typescript') written.push('package.json');
  if (!existsSync(join(folder, '.gitignore'))) {
    await writeFile(join(folder, '.gitignore'), IGNORED.map((line) => `${line}\n`).join(''));
    written.push('.gitignore');
  }
  const into = folder === '.' ? [] : [`cd ${folder}`];
  const install = isNew ? ['npm install'] : [];
  say(`Wrote ${written.join(', ')}. Next:\n${[...into, ...install, ...steps].map((step) => `  ${step}`).join('\n')}`);
}

/** What Python makes of a package is not the package. */
const isSource = (path: string) => !path.endsWith('__pycache__');

const texts = z.record(z.string(), z.string()).optional();
const manifest = z.looseObject({ scripts: texts, dependencies: texts, devDependencies: texts });

/** Adds the script `start` and this package to package.json, where it lacks them. Whether the package was missing. */
async function addManifest(folder: string): Promise<boolean> {
  const file = join(folder, 'package.json');
  const before = existsSync(file) ? manifest.parse(JSON.parse(await readFile(file, 'utf8'))) : { private: true };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > RUNS_TYPESCRIPT[0] || (major === RUNS_TYPESCRIPT[0] && minor >= RUNS_TYPESCRIPT[1]);
  const start = isNew ? 'node merchant.mts' : 'npx --yes tsx merchant.mts';
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest.parse(before);
  const isMissing = dependencies[NAME] === undefined && devDependencies[NAME] === undefined;
  const needed = isMissing ? { dependencies: { ...dependencies, [NAME]: await sourceFor(folder) } } : {};
  await writeFile(file, `${JSON.stringify({ ...before, scripts: { start, ...scripts }, ...needed }, null, 2)}\n`);
  return isMissing;
}

const NAME = 'temporal-payment-gateway';

/** Where npm takes this package from for a project in `folder`: from where it is installed from, or from the clone that runs now. */
async function sourceFor(folder: string): Promise<string> {
  const here = packageFolder();
  const installedIn = join(here, '../..');
  const fileFrom = (path: string) => `file:${relative(resolve(folder), path)}`;
  if (basename(join(here, '..')) !== 'node_modules') return fileFrom(here);
  const file = join(installedIn, 'package.json');
  const { dependencies, devDependencies } = existsSync(file)
    ? manifest.parse(JSON.parse(await readFile(file, 'utf8')))
    : {};
  const from = dependencies?.[NAME] ?? devDependencies?.[NAME] ?? packageVersion();
  return from.startsWith('file:') ? fileFrom(join(installedIn, from.slice('file:'.length))) : from;
}
