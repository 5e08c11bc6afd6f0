/** Programs of examples/typescript and templates/ as Node runs them in a merchant's project: types off, and the packages beside them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFile } from '@swc/core';
import { z } from 'zod';
import { built } from './built';
import { ROOT } from './terminal';

/** Writes the program of examples/typescript into the project's `folder`. Resolves to its path. */
export async function exampleProgram(folder: string, name: string): Promise<string> {
  await built();
  link(folder, 'temporal-payment-gateway', ROOT);
  return withoutTypes(join(ROOT, `examples/typescript/${name}.mts`), join(folder, `${name}.mjs`), 'es6');
}

const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

/** Writes the shop of templates/ on Node into the project's `folder`. Resolves to the path of its server. */
export async function templateProgram(folder: string, framework: string): Promise<string> {
  await built();
  const template = join(ROOT, 'templates', framework);
  const { dependencies } = manifest.parse(JSON.parse(readFileSync(join(template, 'package.json'), 'utf8')));
  link(folder, 'temporal-payment-gateway', ROOT);
  for (const name of Object.keys(dependencies)) link(folder, name, join(ROOT, 'node_modules', name));
  for (const from of [join(ROOT, 'templates/typescript'), template]) {
    const files = readdirSync(from).filter((file) => file.endsWith('.ts'));
    for (const file of files)
      await withoutTypes(join(from, file), join(folder, file.replace('.ts', '.js')), 'commonjs');
  }
  return join(folder, 'server.js');
}

/** A package of the project. */
function link(folder: string, name: string, to: string): void {
  const place = join(folder, 'node_modules', name);
  mkdirSync(join(place, '..'), { recursive: true });
  if (!existsSync(place)) symlinkSync(to, place);
}

async function withoutTypes(file: string, to: string, type: 'es6' | 'commonjs'): Promise<string> {
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' } as const;
  const { code } = await transformFile(file, { jsc, module: { type } });
  writeFileSync(to, code);
  return to;
}
