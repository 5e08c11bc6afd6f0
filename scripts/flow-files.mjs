/**
 * How many files one opens to follow a flow: what its entries use, and what that uses, through every index to the file that
 * declares it. Types alone are not followed. `npm run flow:files` prints a row for each flow, the size of the core, and its mutable fields;
 * `npm run flow:files -- FLOW` the files of one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

/** Where each flow begins: the workflow, the activities that it waits for, and the webhook that signals it. */
const FLOWS = {
  'PIX paid by notification': ['workflows/payment/workflow.ts', 'activities/create-order.ts', 'webhook/deliver.ts'],
  'lost creation answer': [
    'workflows/payment/creation.ts',
    'activities/create-order.ts',
    'activities/trade-queries.ts',
  ],
  'partial refund': ['workflows/after-sale/workflow.ts', 'activities/make-refund.ts', 'temporal/refund-update.ts'],
  'money after the end': ['workflows/after-sale/workflow.ts', 'workflows/payment/hand-over.ts', 'webhook/deliver.ts'],
};

/** Not of the core: rooms of their own. */
const OTHER_LIFECYCLES = ['account', 'events', 'reconciliation', 'lookup', 'app-attention'];

const sources = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));

const files = sources(SRC);
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

/** Each exported value is declared in one file (test/house.test.ts), so its name says which. */
const declaredIn = new Map(
  files.flatMap((file) => {
    const declared = textOf
      .get(file)
      .matchAll(/^export (?:async |abstract )*(?:function\*?|const|class|enum) (?:\{([^}]*)\}|(\w+))/gm);
    return [...declared].flatMap(([, several, one]) => (one ? [one] : namesIn(several))).map((name) => [name, file]);
  }),
);

/** The last name of each part: `'gateway.policy': loadPolicy`, `a as b`. Types are left out. */
function namesIn(list) {
  return list.split(',').flatMap((part) => (/^\s*type /.test(part) ? [] : (/(\w+)\s*$/.exec(part)?.[1] ?? [])));
}

function usedBy(file) {
  const imports = textOf.get(file).matchAll(/^import \{([^}]*)\} from '(\.[^']*)'/gm);
  return [...imports].flatMap(([, list]) =>
    list.split(',').flatMap((part) => {
      const name = /^\s*(?!type )(\w+)/.exec(part)?.[1];
      return declaredIn.get(name) ?? [];
    }),
  );
}

function filesOf(entries) {
  const found = new Set(entries.map((entry) => join(SRC, entry)));
  for (const file of found) for (const used of usedBy(file)) found.add(used);
  return [...found].map((file) => relative(SRC, file)).sort();
}

/** The fields of classes that are not readonly: what a reader has to keep in mind. */
function mutableFieldsIn(file) {
  const classes = readFileSync(join(SRC, file), 'utf8').match(/^(?:export )?(?:abstract )?class [\s\S]*?^}/gm) ?? [];
  return classes.flatMap((text) =>
    [
      ...text.matchAll(/^ {2}(?:private |protected )?(?!readonly |static )(\w+)(?:\??: [^(\n]*|(?: = [^\n]*))[;{]$/gm),
    ].map(([, name]) => name),
  );
}

const linesOf = (files) =>
  files.reduce((sum, file) => sum + readFileSync(join(SRC, file), 'utf8').split('\n').length - 1, 0);

const [asked] = process.argv.slice(2);
if (asked !== undefined) {
  const flow = Object.keys(FLOWS).find((name) => name.startsWith(asked));
  if (flow === undefined) throw new Error(`There is no flow ${asked}. There are: ${Object.keys(FLOWS).join(', ')}.`);
  process.stdout.write(`${filesOf(FLOWS[flow]).join('\n')}\n`);
} else {
  process.stdout.write('| flow | files to open | of them workflows/ | lines |\n|---|---|---|---|\n');
  for (const [flow, entries] of Object.entries(FLOWS)) {
    const files = filesOf(entries);
    const ours = files.filter((file) => file.startsWith('workflows/'));
    process.stdout.write(`| ${flow} | ${files.length} | ${ours.length} | ${linesOf(files)} |\n`);
  }
  const core = sources(join(SRC, 'workflows'))
    .map((file) => relative(SRC, file))
    .filter((file) => !OTHER_LIFECYCLES.some((room) => file.startsWith(`workflows/${room}/`)));
  process.stdout.write(
    `\nThe core, src/workflows without ${OTHER_LIFECYCLES.join(', ')}: ${core.length} files, ${linesOf(core)} lines.\n`,
  );
  const mutable = core.map((file) => [file, mutableFieldsIn(file)]).filter(([, names]) => names.length > 0);
  const total = mutable.reduce((sum, [, names]) => sum + names.length, 0);
  process.stdout.write(`${total} fields of its classes change:\n`);
  for (const [file, names] of mutable) process.stdout.write(`- ${file}: ${names.join(', ')}\n`);
}
