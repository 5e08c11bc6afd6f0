/**
 * The house: which room may import which. Biome enforces it (`overrides` in biome.json); these tests lint files that
 * break each rule, so that a rule that stops working is noticed.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { workflowBundle } from '../src/testing/workflow-bundle';

const ROOT = join(__dirname, '..');

/** By room, what it may import of the other rooms. testing/ and the files beside the rooms may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  contract: ['gateway/pure'],
  gateway: [],
  workflows: ['contract', 'gateway/pure'],
  calls: ['contract', 'workflows'],
  activities: ['contract', 'gateway', 'process', 'temporal'],
  client: ['codec', 'contract', 'gateway', 'process', 'temporal'],
  nexus: ['client', 'contract', 'gateway', 'process'],
  webhook: ['contract', 'gateway', 'process', 'temporal'],
  codec: ['contract', 'process'],
  temporal: ['codec', 'contract', 'process'],
  process: ['contract', 'gateway'],
  simulator: [],
  cli: ['client', 'codec', 'contract', 'gateway', 'process', 'simulator', 'temporal', 'webhook', 'worker'],
};
const ROOMS = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

const report = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      location: z.object({ path: z.string(), start: z.object({ line: z.number() }) }),
    }),
  ),
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rooms-'));
  const {
    vcs: _vcs,
    $schema: _schema,
    files: _files,
    ...rules
  } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  write('biome.json', JSON.stringify({ root: true, ...rules }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** The lines of the files of a folder that break a rule. */
async function broken(rule: string, path: string): Promise<string[]> {
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', path];
  const said = await new Promise<string>((done) => {
    execFile(join(ROOT, 'node_modules/.bin/biome'), args, { cwd: folder }, (_error, stdout) => done(stdout));
  });
  const { diagnostics } = report.parse(JSON.parse(said));
  return diagnostics
    .filter(({ category }) => category.endsWith(rule))
    .map(({ location }) => readFileSync(join(folder, location.path), 'utf8').split('\n')[location.start.line - 1] ?? '')
    .sort();
}

const importOf = (from: string) => `import '${from}';`;

describe.each(Object.entries(MAY_IMPORT))('%s/', (room, may) => {
  const others = ROOMS.filter((other) => other !== room).map((other) => `../${other}`);
  const all = [
    ...others,
    '../plugin',
    '../worker',
    '../index',
    ...(room === 'gateway' ? [] : ['../gateway/pure/money', '../gateway/client']),
  ];
  const isAllowed = (path: string) => may.some((one) => `${path}/`.startsWith(`../${one}/`));

  test(`imports ${may.join(', ') || 'no other room'}, and every other import of a room is refused`, async () => {
    write(`src/${room}/probe.ts`, all.map(importOf).join('\n'));
    const refused = all.filter((path) => !isAllowed(path));
    expect(await broken('noRestrictedImports', `src/${room}/probe.ts`)).toEqual(refused.map(importOf).sort());
  });

  test('is held to the same in its folders', async () => {
    const deeper = all.filter((path) => !isAllowed(path)).map((path) => `../${path}/inside`);
    write(`src/${room}/folder/probe.ts`, deeper.map(importOf).join('\n'));
    expect(await broken('noRestrictedImports', `src/${room}/folder/probe.ts`)).toEqual(deeper.map(importOf).sort());
  });
});

/** The rooms that single files name besides those of their own room. */
const NAMES_TOO: Readonly<Record<string, readonly string[]>> = {
  'contract/gateway.ts': ['gateway'],
  // By path only: the bundler reads it, and no code of the room runs it.
  'temporal/workflow-bundle.ts': ['workflows'],
};

/** Every way to name another file: an import or export, of types alone, at run time, or as a path. */
const SPECIFIER = /(?:\bfrom|\bimport|\bimport\(|\brequire\(|\brequire\.resolve\()\s*'([^']+)'/g;

/** What a file of `src/` names of other rooms and may not, by its text. */
function strangersIn(file: string, text: string): string[] {
  const [room = ''] = file.split('/');
  const may = [room, ...(MAY_IMPORT[room] ?? []), ...(NAMES_TOO[file] ?? [])];
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(SPECIFIER)].flatMap(([, specifier = '']) => {
    const isOurs = /^(\.|temporal-payment-gateway(?!\/package\.json))/.test(specifier);
    const named = specifier.startsWith('.') ? join(dirname(file), specifier).replace(/\.js$/, '') : specifier;
    return !isOurs || may.some((one) => `${named}/`.startsWith(`${one}/`)) ? [] : [specifier];
  });
}

describe('however a file names another, it names no room that its own may not import', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const ofRooms = files.filter((file) => file.endsWith('.ts') && Object.hasOwn(MAY_IMPORT, file.split('/')[0] ?? ''));

  test('in all files of the house', () => {
    const strangers = ofRooms.flatMap((file) =>
      strangersIn(file, readFileSync(join(ROOT, 'src', file), 'utf8')).map((named) => `${file}: ${named}`),
    );
    expect(strangers).toEqual([]);
  });

  test.each([
    "import '../../merchant-workflows';",
    "import './../../testing/x';",
    "import '../../../src/testing/x';",
    "type T = import('../../testing/x').X;",
    "const x = require('../../testing/x');",
    "const path = require.resolve('../../workflows');",
    "import { sign } from 'temporal-payment-gateway/testing';",
    "export * from '../../../../testing';",
  ])('%s is noticed', (text) => expect(strangersIn('simulator/pages/probe.ts', text)).toHaveLength(1));
});

test.each(['workflows/shared', 'calls'])(
  'sandbox code in %s imports no package but those that the sandbox has',
  async (folder) => {
    const refused = ['zod', 'undici', 'node:fs', 'big.js', '@temporalio/client', 'pino'];
    const text = ['@temporalio/workflow', '@temporalio/common', ...refused].map(importOf).join('\n');
    write(`src/${folder}/packages.ts`, text);
    expect(await broken('noRestrictedImports', `src/${folder}/packages.ts`)).toEqual(refused.map(importOf).sort());
  },
);

test('of gateway/ outside pure/, contract/gateway.ts alone imports, and only the files whose types workflows handle', async () => {
  const named = ['banks', 'errors', 'installments', 'query', 'response', 'virtual-accounts', 'wallet-token'].map(
    (file) => `../gateway/${file}`,
  );
  const text = [...named, '../gateway/client', '../gateway', 'zod'].map(importOf).join('\n');
  write('src/contract/gateway.ts', text);
  write('src/contract/payment.ts', text);
  expect(await broken('noRestrictedImports', 'src/contract/gateway.ts')).toEqual(
    ['../gateway', '../gateway/client', 'zod'].map(importOf).sort(),
  );
  expect(await broken('noRestrictedImports', 'src/contract/payment.ts')).toEqual(text.split('\n').sort());
});

test('what is pure in gateway/ imports nothing that is not', async () => {
  write('src/gateway/pure/probe.ts', ['./money', 'big.js', '../client', 'zod', 'node:fs'].map(importOf).join('\n'));
  expect(await broken('noRestrictedImports', 'src/gateway/pure')).toEqual(
    ['../client', 'node:fs', 'zod'].map(importOf).sort(),
  );
});

test('a cycle of imports is refused, of types alone as well', async () => {
  write('src/simulator/one.ts', "import type { Two } from './two';\nexport interface One { two: Two }\n");
  write('src/simulator/two.ts', "import type { One } from './one';\nexport interface Two { one: One }\n");
  expect(await broken('noImportCycles', 'src/simulator')).toHaveLength(2);
});

test('each room says in its index.ts what it is for', () => {
  const without = ROOMS.filter(
    (room) => !/^\/\*\*\n \* \w+\/: /.test(readFileSync(join(ROOT, 'src', room, 'index.ts'), 'utf8')),
  );
  expect(without).toEqual([]);
});

test('a workflow bundle holds contract/, gateway/pure/, workflows/ and what the SDK needs: no zod, no undici, no module of Node', async () => {
  const { code } = await workflowBundle();
  const files = [...code.matchAll(/^ {2}!\*\*\* (\S+) \*\*\*!$/gm)].map(([, file]) => file ?? '');
  const origins = files.map((file) => {
    const [, name] =
      /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ??
      /\/(?:src|lib|\.lib-fresh-\d+)\/((?:gateway\/)?[^/]+)\//.exec(file) ??
      [];
    return name ?? file;
  });
  const ours = ['contract', 'gateway/pure', 'workflows'];
  const ofTheSdk = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];
  expect([...new Set(origins)].sort()).toEqual([...ours, ...ofTheSdk, 'big.js'].sort());
});

test('the house has no room that these rules do not know', () => {
  expect(ROOMS.filter((room) => room !== 'testing').sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});
