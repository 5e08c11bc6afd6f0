/**
 * Every block of code in the documents: what can run is run elsewhere (readme.test.ts, real-server/start.test.ts,
 * simulator/readme.test.ts), and everything is compiled here, or its commands are looked up.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json';
import { built } from '../harness/built';
import { goBuild, goPrograms } from '../harness/go';
import { javaPrograms } from '../harness/java';
import { ROOT } from '../harness/terminal';
import { DOCUMENTS, read } from './markdown';

const blocks = DOCUMENTS.flatMap((document) =>
  [...read(document).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    document,
    language,
    code,
  })),
);
const inLanguage = (wanted: string) => blocks.filter(({ language }) => language === wanted);

const folder = mkdtempSync(join(tmpdir(), 'blocks-'));
beforeAll(async () => {
  await built();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every block has a language that is looked at here, or is JSON, YAML or Mermaid, which other tests read', () => {
  const known = ['ts', 'sh', 'py', 'go', 'java', 'json', 'yaml', 'mermaid'];
  expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  for (const language of known) expect([language, inLanguage(language).length > 0]).toEqual([language, true]);
});

test('who is told to run TypeScript with node is told how an older Node that we support does it', () => {
  const examples = readdirSync(join(ROOT, 'examples/typescript')).map((file) => `examples/typescript/${file}`);
  const told = [...DOCUMENTS, ...examples].filter((file) => /\bnode [^\n]*\.m?ts\b/.test(read(file)));
  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((file) => !read(file).includes('npx --yes tsx'))).toEqual([]);
});

/** What the text around a block of TypeScript says is there. */
const AROUND = [
  "import { Client, type Connection } from '@temporalio/client';",
  "import type { Config } from 'temporal-payment-gateway';",
  "import * as all from 'temporal-payment-gateway';",
  'declare const connection: Connection;',
  'declare const config: Config;',
  'declare const shop: { take(id: string, order: string | null, what: string | null): Promise<void> };',
];

test('every block of TypeScript compiles, strictly, against the package', () => {
  const files = inLanguage('ts').map(({ document, code }, at) => {
    const imports = code.includes('PaymentGatewayPlugin }') ? [] : ['const { PaymentGatewayPlugin } = all;'];
    const file = `${at}-${document.replaceAll('/', '-')}.mts`;
    const around = code.startsWith('import') && !code.includes('new Client(') ? [] : [...AROUND, ...imports];
    writeFileSync(join(folder, file), [...around, code, 'export {};'].join('\n'));
    return file;
  });
  expect(files.length).toBeGreaterThan(5);
  const compilerOptions = {
    ...{ rootDir: '/', noEmit: true, module: 'nodenext', moduleResolution: 'nodenext', noUnusedLocals: false },
    ...{ typeRoots: [join(ROOT, 'node_modules/@types')], types: ['node'] },
    paths: {
      'temporal-payment-gateway': [join(ROOT, 'lib/index.d.ts')],
      'temporal-payment-gateway/workflows': [join(ROOT, 'lib/merchant-workflows.d.ts')],
      'temporal-payment-gateway/*': [join(ROOT, 'lib/*/index.d.ts')],
    },
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.mts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync('npx', ['tsc', '--singleThreaded', '-p', folder], { cwd: ROOT, encoding: 'utf8' });
  expect(stdout).toBe('');
});

test('every block of Python compiles', () => {
  for (const { code } of inLanguage('py')) {
    const check = "import sys; compile(sys.stdin.read(), 'README.md', 'exec')";
    expect(spawnSync('python3', ['-c', check], { input: code, encoding: 'utf8' }).stderr).toBe('');
  }
});

('folder' in goPrograms() ? test : test.skip)('every block of Go compiles in its module', () => {
  const overlay: Record<string, string> = {};
  for (const [at, { code }] of inLanguage('go').entries()) {
    const imports = ['context', 'errors', 'fmt', 'temporal-payment-gateway/clients/go/payments'].map(
      (name) => `"${name}"`,
    );
    const file = join(folder, `${at}.go`);
    writeFileSync(file, `package readme\n\nimport (\n${imports.join('\n')}\n)\n\nvar _ = sell\n\n${code}`);
    overlay[join(ROOT, 'clients/go/readme', `${at}.go`)] = file;
  }
  const list = join(folder, 'overlay.json');
  writeFileSync(list, JSON.stringify({ Replace: overlay }));
  const { status, stderr } = goBuild('-overlay', list, './readme');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

const java = javaPrograms();
('options' in java ? test : test.skip)('every block of Java compiles against its client', () => {
  const imports = ['payments.*', 'payments.Answers.*', 'payments.Orders.*'].map((name) => `import ${name};`);
  const files = inLanguage('java').map(({ code }, at) => {
    const file = join(folder, `Block${at}.java`);
    writeFileSync(file, `${imports.join('\n')}\nfinal class Block${at} {\n${code}}\n`);
    return file;
  });
  const { status, stderr } = spawnSync(
    'javac',
    ['-cp', 'classpath' in java ? java.classpath : '', '-d', folder, ...files],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

describe('blocks for the shell', () => {
  const lines = inLanguage('sh').flatMap(({ document, code }) =>
    code.split('\n').map((line) => [document, line] as const),
  );

  test('name commands of payment-gateway that there are', () => {
    const help = execFileSync(process.execPath, [join(ROOT, 'lib/cli/main.js'), '--help'], { encoding: 'utf8' });
    const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name);
    const named = lines.flatMap(([document, line]) =>
      [...line.matchAll(/(?:^|\s)payment-gateway ([a-z-]+)/g)].map(([, name]) => [document, name]),
    );
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter(([, name]) => !commands.includes(name))).toEqual([]);
  });

  test('name npm scripts that there are, and files that are in the repository', () => {
    // A template's README names the scripts of its own package.json.
    const ours = lines.filter(([document]) => !document.startsWith('templates/'));
    const scripts = ours.flatMap(([, line]) => [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name));
    expect(scripts.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
    const files = lines.flatMap(([, line]) => [
      ...line.matchAll(/\b((?:clients|examples|deploy|scripts)\/(?!\S*\.venv)[\w./-]+\.\w+)/g),
    ]);
    expect(files.length).toBeGreaterThan(2);
    expect(files.map(([, file = '']) => file).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
