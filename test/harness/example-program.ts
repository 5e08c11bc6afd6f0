/** A program of examples/typescript as Node runs it in a merchant's project: types off, and the package beside it. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFile } from '@swc/core';
import { built } from './built';
import { ROOT } from './terminal';

/** Writes the program into the project's `folder`. Resolves to its path. */
export async function exampleProgram(folder: string, name: string): Promise<string> {
  await built();
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' } as const;
  const { code } = await transformFile(join(ROOT, `examples/typescript/${name}.mts`), { jsc });
  const packages = join(folder, 'node_modules');
  mkdirSync(packages, { recursive: true });
  if (!existsSync(join(packages, 'temporal-payment-gateway')))
    symlinkSync(ROOT, join(packages, 'temporal-payment-gateway'));
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, code);
  return file;
}
