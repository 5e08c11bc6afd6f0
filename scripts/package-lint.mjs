// What is wrong with the package for those who import it: node scripts/package-lint.mjs TARBALL INSTALLED. Prints JSON.
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const [tarball, installed] = process.argv.slice(2);
// What npm installed is what it packed: to pack that again would say nothing more.
const { messages, pkg } = await publint({ pkgDir: installed, strict: true, pack: false });
/** It takes the names of `export type *` for values, which no program can use as such. */
const isTypeOnly = ({ kind, typesFileName = '' }) =>
  kind === 'NamedExports' && typesFileName.endsWith('lib/merchant-workflows.d.ts');
const packed = createPackageFromTarballData(readFileSync(tarball));
const folders = new Set(packed.listFiles().flatMap(foldersAbove));
// Its own answer looks through every file, and it is asked for each folder above each import: a quarter of the time.
packed.directoryExists = (path) => folders.has(path.replace(/\/$/, ''));
const { types, problems = [] } = await checkPackage(packed);
console.log(
  JSON.stringify({
    publint: messages.map((message) => formatMessage(message, pkg)),
    // Resolution as before Node 12 knows no subpaths, and no supported Node resolves so.
    types: types
      ? problems.filter((one) => one.resolutionKind !== 'node10' && !isTypeOnly(one))
      : 'the package has none',
  }),
);

function foldersAbove(file) {
  const names = file.split('/');
  return names.map((_, i) => names.slice(0, i).join('/'));
}
