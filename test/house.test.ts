/** A reader finds the way in src/: each exported name in one place, and none without a use. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const SRC = join(__dirname, '..', 'src');

interface Source {
  file: string;
  /** The names that are declared and exported here; re-exports do not count. */
  exported: string[];
  /** Of these, the values: constants, functions and classes. */
  values: string[];
}

const field = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined;

/** The names that a statement declares. */
function declared(statement: unknown): string[] {
  const several = field(statement, 'declarations');
  const declarations = Array.isArray(several) ? several : [statement];
  return declarations.flatMap((one) => namesIn(field(one, 'id') ?? field(one, 'identifier')));
}

/** The names that a pattern binds: `a` of `a`, `a` and `b` of `{ a, key: [b] }`. */
function namesIn(pattern: unknown): string[] {
  switch (field(pattern, 'type')) {
    case 'Identifier':
      return [String(field(pattern, 'value'))];
    case 'ObjectPattern':
      return listIn(pattern, 'properties').flatMap(namesIn);
    case 'ArrayPattern':
      return listIn(pattern, 'elements').flatMap(namesIn);
    case 'KeyValuePatternProperty':
      return namesIn(field(pattern, 'value'));
    case 'AssignmentPatternProperty':
      return namesIn(field(pattern, 'key'));
    case 'AssignmentPattern':
      return namesIn(field(pattern, 'left'));
    case 'RestElement':
      return namesIn(field(pattern, 'argument'));
    default:
      return [];
  }
}

function listIn(node: unknown, name: string): unknown[] {
  const list = field(node, name);
  return Array.isArray(list) ? list : [];
}

const VALUES = new Set(['VariableDeclaration', 'FunctionDeclaration', 'ClassDeclaration']);

function readSource(file: string, text: Buffer): Source {
  const tree = parseSync(text.toString(), { syntax: 'typescript' });
  const here = new Set(tree.body.flatMap(declared));
  const exported = tree.body.flatMap((item) => {
    if (item.type === 'ExportDeclaration') return declared(item.declaration);
    if (item.type !== 'ExportNamedDeclaration' || item.source) return [];
    return item.specifiers.flatMap((one) => {
      const name = field(field(one, 'orig'), 'value');
      return typeof name === 'string' && here.has(name) ? [name] : [];
    });
  });
  const values = tree.body.flatMap((item) =>
    item.type === 'ExportDeclaration' && VALUES.has(item.declaration.type) ? declared(item.declaration) : [],
  );
  return { file, exported, values };
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readSource(file, readFileSync(join(SRC, file))));

test('each exported name is declared in one file only', () => {
  const places = new Map<string, string[]>();
  for (const { file, exported } of sources) {
    for (const name of new Set(exported)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});

/** A file without its comments and its texts in single quotes: what they name is not used. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|'[^'\n]*'/gm, '');

test('each exported value is named in the code of another file, or is part of what a whole room exports', () => {
  const root = join(SRC, '..');
  const files = ['src', 'test', 'bench', 'scripts', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|cjs|mjs)$/.test(file))
      .map((file) => join(folder, file)),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const filesByWord = new Map<string, number>();
  for (const text of texts.values()) {
    for (const word of new Set(codeOf(text).match(/[\w$]+/g))) filesByWord.set(word, (filesByWord.get(word) ?? 0) + 1);
  }
  const exportedWhole = new Set(
    [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/^export \* from '(.*)';$/gm)].map(([, path = '']) => join(file, '..', `${path}.ts`)),
    ),
  );
  const unused = sources
    .filter(({ file }) => !exportedWhole.has(join('src', file)))
    .flatMap(({ file, values }) => values.map((name) => ({ file, name })))
    .filter(({ name }) => filesByWord.get(name) === 1);
  expect(unused).toEqual([]);
});

test('a test title says what holds, and names no finding, issue or bare number', () => {
  const root = join(SRC, '..', 'test');
  const named = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => readFileSync(join(root, file), 'utf8').match(TITLE_WITH_A_NUMBER) ?? []);
  expect(named).toEqual([]);
});

const TITLE_WITH_A_NUMBER =
  /\b(test|it|describe)(\.each[^(]*\([^)]*\))?\(\s*['`"](\d+[a-z]?: |\(|finding \d|issue \d).*/gi;

test('a source is read with what it declares and exports', () => {
  const text = [
    "export { theirs } from './theirs';",
    'const given = () =>',
    '  1;',
    "const texts = { 'ñ': 1, read() {",
    '} };',
    'export { given, texts as named };',
    'export class Here {',
    '  async run(): Promise<void> {',
    '    await 1;',
    '  }',
    '}',
    'export type Shape = number;',
    'export const { key: named, list: [first, ...rest], last = 1 } = texts;',
    '',
  ].join('\n');
  expect(readSource('here.ts', Buffer.from(text))).toEqual({
    file: 'here.ts',
    exported: ['given', 'texts', 'Here', 'Shape', 'named', 'first', 'rest', 'last'],
    values: ['Here', 'named', 'first', 'rest', 'last'],
  });
});

test('modules that all workflows of a worker share keep nothing that changes', () => {
  const shared = sources.filter(({ file }) => /^(workflows|contract|gateway.pure)/.test(file));
  expect(shared.length).toBeGreaterThan(100);
  const changing = shared.filter(({ file }) => /^(export )?(let|var) /m.test(readFileSync(join(SRC, file), 'utf8')));
  expect(changing.map(({ file }) => file)).toEqual([]);
});
