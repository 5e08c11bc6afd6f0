/** `payment-gateway init`: writes a small merchant's project, which pays on the stack that `payment-gateway dev` runs. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../process/user-error';
import { packageFolder } from './package';
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
  if (language === 'typescript') {
    await addStart(join(folder, 'package.json'));
    written.push('package.json');
  }
  if (!existsSync(join(folder, '.gitignore'))) {
    await writeFile(join(folder, '.gitignore'), IGNORED.map((line) => `${line}\n`).join(''));
    written.push('.gitignore');
  }
  const into = folder === '.' ? [] : [`cd ${folder}`];
  say(`Wrote ${written.join(', ')}. Next:\n${[...into, ...steps].map((step) => `  ${step}`).join('\n')}`);
}

/** What Python makes of a package is not the package. */
const isSource = (path: string) => !path.endsWith('__pycache__');

const manifest = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() });

/** Adds the script `start` where there is none. */
async function addStart(file: string): Promise<void> {
  const before = existsSync(file) ? manifest.parse(JSON.parse(await readFile(file, 'utf8'))) : { private: true };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isNew = major > RUNS_TYPESCRIPT[0] || (major === RUNS_TYPESCRIPT[0] && minor >= RUNS_TYPESCRIPT[1]);
  const start = isNew ? 'node merchant.mts' : 'npx --yes tsx merchant.mts';
  const { scripts = {} } = manifest.parse(before);
  await writeFile(file, `${JSON.stringify({ ...before, scripts: { start, ...scripts } }, null, 2)}\n`);
}
