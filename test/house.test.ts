/** A reader finds the way in src/: short files, short functions, and each exported name in one place. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';

const SRC = join(__dirname, '..', 'src');
const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 40;

const FUNCTIONS = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'Constructor',
  'FunctionDeclaration',
  'FunctionExpression',
  'GetterProperty',
  'MethodProperty',
  'PrivateMethod',
  'SetterProperty',
]);

interface Source {
  file: string;
  lines: number;
  /** By function, its first line and its number of lines. */
  functions: { line: number; lines: number }[];
  /** The names that are declared and exported here; re-exports do not count. */
  exported: string[];
}

const field = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined;

/** A node of the tree, and all nodes in it. */
function* nodesOf(node: unknown): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  yield node;
  for (const part of Object.values(node)) yield* nodesOf(part);
}

/** The names that a statement declares. */
function declared(statement: unknown): string[] {
  const several = field(statement, 'declarations');
  const declarations = Array.isArray(several) ? several : [statement];
  return declarations.flatMap((one) => {
    const name = field(field(one, 'id') ?? field(one, 'identifier'), 'value');
    return typeof name === 'string' ? [name] : [];
  });
}

function readSource(file: string, text: Buffer): Source {
  const tree = parseSync(text.toString(), { syntax: 'typescript' });
  // The parser counts bytes, from 1.
  const lineAt = (byte: number) =>
    text
      .subarray(0, byte - 1)
      .toString()
      .split('\n').length;
  const functions = [...nodesOf(tree)].flatMap((node) => {
    const span = field(node, 'span');
    const [start, end] = [field(span, 'start'), field(span, 'end')];
    if (!FUNCTIONS.has(String(field(node, 'type'))) || typeof start !== 'number' || typeof end !== 'number') return [];
    return [{ line: lineAt(start), lines: lineAt(end) - lineAt(start) + 1 }];
  });
  const here = new Set(tree.body.flatMap(declared));
  const exported = tree.body.flatMap((item) => {
    if (item.type === 'ExportDeclaration') return declared(item.declaration);
    if (item.type !== 'ExportNamedDeclaration' || item.source) return [];
    return item.specifiers.flatMap((one) => {
      const name = field(field(one, 'orig'), 'value');
      return typeof name === 'string' && here.has(name) ? [name] : [];
    });
  });
  return { file, lines: text.toString().trimEnd().split('\n').length, functions, exported };
}

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readSource(file, readFileSync(join(SRC, file))));

test(`no file has more than ${MAX_FILE_LINES} lines`, () => {
  const long = sources.filter(({ lines }) => lines > MAX_FILE_LINES).map(({ file }) => file);
  expect(long).toEqual([]);
});

test(`no function has more than ${MAX_FUNCTION_LINES} lines`, () => {
  const long = sources.flatMap(({ file, functions }) =>
    functions.filter(({ lines }) => lines > MAX_FUNCTION_LINES).map(({ line }) => ({ file, line })),
  );
  expect(long).toEqual([]);
});

test('each exported name is declared in one file only', () => {
  const places = new Map<string, string[]>();
  for (const { file, exported } of sources) {
    for (const name of new Set(exported)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});

test('a source is read with its lines, the lengths of its functions and what it declares and exports', () => {
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
    '',
  ].join('\n');
  expect(readSource('here.ts', Buffer.from(text))).toEqual({
    file: 'here.ts',
    lines: 12,
    functions: [
      { line: 2, lines: 2 },
      { line: 4, lines: 2 },
      { line: 8, lines: 3 },
    ],
    exported: ['given', 'texts', 'Here', 'Shape'],
  });
});

test('each place that `npm run model:mutations` breaks is still in the code', () => {
  const script = join(SRC, '..', 'scripts', 'model-mutations.cjs');
  expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow();
});

test('modules that all workflows of a worker share keep nothing that changes', () => {
  const shared = sources.filter(({ file }) => /^(workflows|contract|gateway.pure)/.test(file));
  expect(shared.length).toBeGreaterThan(100);
  const changing = shared.filter(({ file }) => /^(export )?(let|var) /m.test(readFileSync(join(SRC, file), 'utf8')));
  expect(changing.map(({ file }) => file)).toEqual([]);
});
