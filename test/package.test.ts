/**
 * The package as others get it: packed, installed in a folder of its own and used there. The walls of newcomers 5, 12 and 14
 * stood here.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformFile } from '@swc/core';
import manifest from '../package.json';
import { built } from './harness/built';
import { JsonProgram, pythonWith } from './harness/python';
import { ROOT, Terminal } from './harness/terminal';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'package-'));
const installed = join(folder, 'node_modules/temporal-payment-gateway');
let tarball = '';

beforeAll(async () => {
  await built();
  // The build is fresh: building again would take lib/ from tests that run beside this one.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  });
  tarball = join(folder, JSON.parse(stdout)[0].filename);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const command = async (...args: string[]) => (await run('npx', args, { cwd: folder })).stdout;

test('npm pack builds first: a clone has no lib/', () => {
  expect(manifest.scripts.prepack).toContain('build');
});

test('both names of the command work, and --version says the package’s', async () => {
  expect(await command('payment-gateway', '--version')).toBe(`${manifest.version}\n`);
  expect(await command('temporal-payment-gateway', '--version')).toBe(`${manifest.version}\n`);
  expect(await command('payment-gateway', '--help')).toMatch(/Exit codes: 0 done; 1 .*; 2 .*; 3 /);
});

test('every file that the README links to is in the package', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
});

const SUBPATHS = Object.keys(manifest.exports).filter((path) => path !== './package.json');
const NAMES = SUBPATHS.map((path) => join('temporal-payment-gateway', path));

test.each([
  ['CommonJS', 'cjs', NAMES.map((name) => `if (!Object.keys(require('${name}')).length) throw new Error('${name}');`)],
  ['ES modules', 'mjs', NAMES.map((name, i) => `import * as m${i} from '${name}'; if (!m${i}) throw new Error();`)],
])('every subpath loads in %s', async (_, extension, lines) => {
  const file = join(folder, `load.${extension}`);
  writeFileSync(file, `${lines.join('\n')}\nprocess.exit(0);\n`);
  await run(process.execPath, [file], { cwd: folder });
});

test('named imports of ES modules find what the README’s program takes', async () => {
  const file = join(folder, 'named.mjs');
  writeFileSync(
    file,
    "import { connectPayments } from 'temporal-payment-gateway/client'; console.log(typeof connectPayments);",
  );
  expect((await run(process.execPath, [file], { cwd: folder })).stdout).toBe('function\n');
});

/** A merchant's program that uses the types of each subpath. */
const PROGRAM = [
  ...NAMES.map((name, i) => `import type * as m${i} from '${name}';`),
  `export type All = [${NAMES.map((_, i) => `typeof m${i}`).join(', ')}];`,
  "import { connectPayments, isPaymentFailure } from 'temporal-payment-gateway/client';",
  'export async function paid(): Promise<string> {',
  '  const { payments } = await connectPayments();',
  "  const order = { out_trade_no: '1', order_currency: 'BRL', order_amount: '1.00', subject: 's', buyer_id: 'b' };",
  '  try {',
  "    const data = await payments.pay({ ...order, method: 'PIX' });",
  "    return data.complete ? data.qr_code : (data.pay_url ?? '');",
  '  } catch (error) {',
  "    return isPaymentFailure(error) && error.type === 'OverRefund' ? (error.left ?? '') : 'no';",
  '  }',
  '}',
].join('\n');

test.each([
  ['node16', 'node16', 'cts'],
  ['node16', 'node16', 'mts'],
  ['nodenext', 'nodenext', 'cts'],
  ['nodenext', 'nodenext', 'mts'],
  ['esnext', 'bundler', 'ts'],
])(
  'the types are found and strict with module %s, resolution %s, in a .%s file',
  async (module, moduleResolution, extension) => {
    const place = join(folder, `types-${moduleResolution}-${extension}`);
    mkdirSync(place);
    writeFileSync(join(place, `program.${extension}`), PROGRAM);
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true },
      ...{ skipLibCheck: true, types: ['node'] },
    };
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
    const said = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', place], { cwd: place }).catch((error) => error);
    expect(said.stdout).toBe('');
  },
);

test('publint and Are The Types Wrong find nothing to mend, for any way to import it', async () => {
  const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/package-lint.mjs'), tarball, installed]);
  expect(JSON.parse(stdout)).toEqual({ publint: [], types: [] });
});

describe('from an empty folder with the package alone', () => {
  const shop = join(folder, 'newcomer');
  const open: Terminal[] = [];
  const terminal = (program: string, ...args: string[]) => {
    const opened = new Terminal({ cwd: shop, env: {}, program }, ...args);
    open.push(opened);
    return opened;
  };
  const bin = join(installed, 'lib/cli/main.js');

  beforeAll(async () => {
    mkdirSync(shop);
    await terminal(bin, 'init').ended;
    await terminal(bin, 'init', '--language', 'python').ended;
    await terminal(bin, 'dev').sees(/Ctrl-C ends everything/);
  });

  afterAll(async () => {
    for (const one of open.reverse()) await one.interrupt();
  });

  /** What the buyer does on the page that the program prints. */
  async function pay(number: string): Promise<void> {
    const [, gateway = ''] =
      /^GATEWAY_BASE_URL=(.*)$/m.exec(readFileSync(join(shop, '.payments/dev.env'), 'utf8')) ?? [];
    expect((await fetch(`${gateway}/simulator/trades/${number}/pay`, { method: 'POST' })).status).toBe(200);
  }

  test('dev runs, and the program of init pays the first order on it', async () => {
    // As Node from 22.18 on and tsx before it do: types off, nothing else.
    const { code } = await transformFile(join(shop, 'merchant.mts'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    writeFileSync(join(shop, 'merchant.mjs'), code);
    const merchant = terminal(join(shop, 'merchant.mjs'));
    await merchant.sees(/The buyer pays here: http/);
    await pay('order-1');
    expect(await merchant.ended).toBe(0);
    expect(merchant.printed).toMatch(/\nPaid: deliver the tickets\.\n$/);
  });

  test('the Python program of init pays too', async () => {
    const python = await pythonWith(join(shop, 'requirements.txt'));
    const merchant = new JsonProgram('sh', ['-c', `cd ${shop} && exec ${python} merchant.py order.json --wait`], {
      PATH: process.env.PATH,
    });
    expect(await merchant.next()).toMatchObject({ payment_data: { qr_code: expect.any(String) } });
    await pay(JSON.parse(readFileSync(join(shop, 'order.json'), 'utf8')).request.out_trade_no);
    expect(await merchant.end()).toMatchObject({ code: 0 });
  });
});

describe('payment-gateway init', () => {
  test('writes a program that the compiler accepts, and overwrites nothing', async () => {
    const shop = join(folder, 'shop');
    mkdirSync(shop);
    const bin = join(installed, 'lib/cli/main.js');
    const { stdout } = await run(process.execPath, [bin, 'init'], { cwd: shop });
    expect(stdout).toMatch(/Wrote merchant\.mts, tsconfig\.json\. Next:\n {2}npx payment-gateway dev/);
    expect(JSON.parse(readFileSync(join(shop, 'package.json'), 'utf8'))).toMatchObject({
      scripts: { start: expect.stringContaining('merchant.mts') },
    });
    expect(readFileSync(join(shop, '.gitignore'), 'utf8')).toContain('.payments/');
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: shop });

    writeFileSync(join(shop, 'merchant.mts'), '// mine');
    await expect(run(process.execPath, [bin, 'init'], { cwd: shop })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('merchant.mts, tsconfig.json in . would be overwritten'),
    });
    expect(readFileSync(join(shop, 'merchant.mts'), 'utf8')).toBe('// mine');
  });
});

test('the folder of the package is found from the command that runs', () => {
  expect(dirname(require.resolve('temporal-payment-gateway/package.json', { paths: [folder] }))).toBe(installed);
});
