/** What the README shows is what there is. Its programs are run by test/real-server/start.test.ts. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../harness/terminal';
import { DOCUMENTS, read } from './markdown';

const README = read('README.md');

test('every program of the README, the merchant’s guide and the page on Nexus is the example file that it names, to the letter', () => {
  const shown = [
    ...`${README}\n${read('docs/nexus.md')}\n${read('docs/merchants.md')}`.matchAll(
      /<!-- ((?:examples|templates)\/\S+) -->\n```ts\n(.*?)```/gs,
    ),
  ];
  expect(shown).toHaveLength(4);
  for (const [, file = '', code] of shown) expect(code).toBe(read(file));
});

test('an example imports only what its reader has installed: what came with this package may not be found', () => {
  const examples = readdirSync(join(ROOT, 'examples/typescript')).filter((file) => /\.m?ts$/.test(file));
  expect(examples.length).toBeGreaterThan(10);
  for (const file of examples) {
    const [, framework = 'none'] = /^webhook-(\w+)/.exec(file) ?? [];
    const names = [...read(`examples/typescript/${file}`).matchAll(/ from '([^'.][^']*)'/g)].map(
      ([, name = '']) => name,
    );
    const others = names.filter((name) => !/^(node:|@temporalio\/|temporal-payment-gateway)/.test(name));
    expect([file, others.filter((name) => name !== framework)]).toEqual([file, []]);
  }
});

test('every npm script that a document names exists', () => {
  // A template's README names the scripts of its own package.json.
  const documents = DOCUMENTS.filter((document) => !document.startsWith('templates/'))
    .map(read)
    .join('\n');
  const named = [...documents.matchAll(/npm (?:run )?(start|test|(?<=run )[a-z][\w:]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
});

test('the table of CONTRIBUTING.md names every npm script for people, and no other', () => {
  // npm start and npm pack build by themselves.
  const scripts = Object.keys(manifest.scripts).filter((name) => !['prestart', 'prepack'].includes(name));
  const rows = [...read('CONTRIBUTING.md').matchAll(/^\| (`.*?) \|/gm)].map(([, names = '']) => names);
  const named = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  expect(named.sort()).toEqual(scripts.sort());
});

test('docs/dependencies.md gives a reason for each dependency, and for no other', () => {
  const items = read('docs/dependencies.md').matchAll(/^- ([^:]*):/gm);
  const named = [...items].flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  // Types follow the package that they describe, and the compiler of tests the runner that it serves.
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.devDependencies })
    .filter((name) => !name.startsWith('@types/') && name !== '@swc/core')
    // The list writes @temporalio/ once in front of several.
    .map((name) => (named.includes(name) ? name : name.replace('@temporalio/', '')));
  expect(named.sort()).toEqual(needed.sort());
});
