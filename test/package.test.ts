/**
 * The package as others get it: packed, installed in a folder of its own and used there. The walls of newcomers 5, 12 and 14
 * stood here.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

const SDK = manifest.devDependencies['@temporalio/testing'];
const install = (...packages: string[]) =>
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: folder });

beforeAll(async () => {
  await built();
  // The build is fresh: building again would take lib/ from tests that run beside this one.
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
  });
  tarball = join(folder, JSON.parse(stdout)[0].filename);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await install(tarball);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command as npm has linked it. */
const command = async (name: string, ...args: string[]) =>
  (await run(join(folder, 'node_modules/.bin', name), args, { cwd: folder })).stdout;

test('npm pack builds first: a clone has no lib/', () => {
  expect(manifest.scripts.prepack).toContain('build');
});

test('the command is executable in each build and in the package, so that npx runs it in a clone', async () => {
  expect(statSync(join(ROOT, 'lib/cli/main.js')).mode & 0o111).toBe(0o111);
  const { stdout } = await run('tar', ['-tvf', tarball, 'package/lib/cli/main.js']);
  expect(stdout).toMatch(/^-rwxr-xr-x/);
});

test('both names of the command work, and --version says the package’s', async () => {
  const { stdout } = await run('npx', ['payment-gateway', '--version'], { cwd: folder });
  expect(stdout).toBe(`${manifest.version}\n`);
  expect(await command('temporal-payment-gateway', '--version')).toBe(`${manifest.version}\n`);
  expect(await command('payment-gateway', '--help')).toMatch(/Exit codes: 0 done; 1 .*; 2 .*; 3 /);
});

test('every file that the README links to is in the package', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
});

test('has the workflows bundled for the workers that it starts, and names no folder of the machine that built it', () => {
  const folder = join(installed, 'lib/temporal/workflow-bundles', SDK);
  const bundles = readdirSync(folder);
  expect(bundles.sort()).toEqual(['clear-text.js', 'encrypting.js']);
  for (const bundle of bundles) {
    const [code = '', map = ''] = readFileSync(join(folder, bundle), 'utf8').split('base64,');
    expect(code + Buffer.from(map, 'base64').toString()).not.toContain(ROOT);
  }
});

const SUBPATHS = Object.keys(manifest.exports).filter((path) => path !== './package.json');
const nameOf = (path: string) => join('temporal-payment-gateway', path);
const NAMES = SUBPATHS.map(nameOf);

describe('a backend that only pays', () => {
  test('gets no native code, and every part that it may use loads', async () => {
    expect(readdirSync(join(folder, 'node_modules/@temporalio')).sort()).toEqual([
      'activity',
      'client',
      'common',
      'envconfig',
      'nexus',
      'plugin',
      'proto',
      'workflow',
    ]);
    const light = SUBPATHS.filter((path) => !['.', './testing'].includes(path)).map(nameOf);
    expect(light).toHaveLength(6);
    const lines = light.map((name) => `require('${name}');`);
    await run(process.execPath, ['-e', `${lines.join('')} process.exit(0);`], { cwd: folder });
  });

  test('takes no more of the disk than the README says, and 15 MB of heap, of which 9 are Temporal’s client', async () => {
    const [, said = ''] =
      /only pays needs no more, and no native code: (\d+) MB/.exec(
        readFileSync(join(installed, 'README.md'), 'utf8'),
      ) ?? [];
    const { stdout: disk } = await run('du', ['-sm', join(folder, 'node_modules')]);
    expect(Number.parseInt(disk, 10)).toBeLessThanOrEqual(Number(said));
    const script = `const heap = () => { gc(); return process.memoryUsage().heapUsed / 2 ** 20; };
      const before = heap(); require('temporal-payment-gateway/client'); console.log(heap() - before); process.exit(0);`;
    const { stdout: heap } = await run(process.execPath, ['--expose-gc', '-e', script], { cwd: folder });
    expect(Number(heap)).toBeLessThan(17);
  });

  test.each([
    ['temporal-payment-gateway', 'A worker needs @temporalio/worker, ', '@temporalio/worker@1.24.0'],
    [
      'temporal-payment-gateway/testing',
      'temporal-payment-gateway/testing needs @temporalio/worker and @temporalio/testing, ',
      '@temporalio/worker@1.24.0 @temporalio/testing@1.24.0',
    ],
  ])('is told how to install what %s needs', async (name, says, packages) => {
    const refused = run(process.execPath, ['-e', `require('${name}')`], { cwd: folder });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining(`TemporalSdkError: ${says}`) });
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining(`npm install ${packages}\n`) });
  });

  test('is told so in one sentence by the command line, too', async () => {
    const bin = join(installed, 'lib/cli/main.js');
    await expect(run(process.execPath, [bin, 'worker'], { cwd: folder })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^A worker needs @temporalio\/worker, .*: npm install @temporalio\/worker@[\d.]+\n$/,
      ),
    });
  });
});

describe('payment-gateway init', () => {
  test('writes a program that the compiler accepts, and overwrites nothing', async () => {
    const shop = join(folder, 'shop');
    mkdirSync(shop);
    const bin = join(installed, 'lib/cli/main.js');
    const { stdout } = await run(process.execPath, [bin, 'init'], { cwd: shop });
    expect(stdout).toMatch(
      /Wrote temporal-payment-gateway-\S+\.tgz, merchant\.mts, tsconfig\.json, package\.json, \.gitignore\.\nNext, .*:\n {2}npx payment-gateway dev/,
    );
    expect(JSON.parse(readFileSync(join(shop, 'package.json'), 'utf8'))).toMatchObject({
      scripts: { start: expect.stringContaining('merchant.mts') },
      dependencies: { 'temporal-payment-gateway': expect.stringMatching(/^file:.*\.tgz$/) },
    });
    expect(readFileSync(join(shop, '.gitignore'), 'utf8')).toContain('.payments/');
    await run(join(ROOT, 'node_modules/.bin/tsc'), ['--singleThreaded', '-p', '.'], { cwd: shop });

    writeFileSync(join(shop, 'merchant.mts'), '// mine');
    await expect(run(process.execPath, [bin, 'init'], { cwd: shop })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('merchant.mts, tsconfig.json in . would be overwritten'),
    });
    expect(readFileSync(join(shop, 'merchant.mts'), 'utf8')).toBe('// mine');
  });
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
    const dev = terminal(bin, 'dev');
    const [command] = await dev.sees(/Once, for some .*:\n {2}(npm .*) …/);
    await dev.sees(/Ctrl-C ends everything/);
    expect(command).toBe(`npm install @temporalio/worker@${SDK}`);
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

  test('dev installs the worker, runs, and the program of init pays the first order on it', async () => {
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

describe('with the worker and the test tools of the SDK', () => {
  beforeAll(() => install(`@temporalio/worker@${SDK}`, `@temporalio/testing@${SDK}`));

  test.each([
    [
      'CommonJS',
      'cjs',
      NAMES.map((name) => `if (!Object.keys(require('${name}')).length) throw new Error('${name}');`),
    ],
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

  const WAYS = [
    ['nodenext', 'nodenext', 'cts'],
    ['nodenext', 'nodenext', 'mts'],
    ['esnext', 'bundler', 'ts'],
  ] as const;
  const placeOf = (resolution: string, extension: string) => `types-${resolution}-${extension}`;
  /** What the compiler says of all programs. One process reads the types of the package once for all. */
  let said = '';
  beforeAll(async () => {
    const places = WAYS.map(([module, moduleResolution, extension]) => {
      const place = join(folder, placeOf(moduleResolution, extension));
      mkdirSync(place);
      writeFileSync(join(place, `program.${extension}`), PROGRAM);
      const compilerOptions = {
        ...{ module, moduleResolution, target: 'es2022', strict: true, exactOptionalPropertyTypes: true, noEmit: true },
        ...{ skipLibCheck: true, types: ['node'] },
      };
      writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*'] }));
      return place;
    });
    const compiled = run(join(ROOT, 'node_modules/.bin/tsc'), ['--build', '--singleThreaded', '--verbose', ...places], {
      cwd: folder,
    });
    ({ stdout: said } = await compiled.catch((error) => error));
  });

  test.each(WAYS)(
    'the types are found and strict with module %s, resolution %s, in a .%s file',
    (_, resolution, extension) => {
      const place = placeOf(resolution, extension);
      expect(said).toContain(`Building project '${place}/tsconfig.json'`);
      expect(said.split('\n').filter((line) => line.startsWith(`${place}/`))).toEqual([]);
    },
  );

  test('publint and Are The Types Wrong find nothing to mend, for any way to import it', async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/package-lint.mjs'), tarball, installed]);
    expect(JSON.parse(stdout)).toEqual({ publint: [], types: [] });
  });
});

test('the folder of the package is found from the command that runs', () => {
  expect(dirname(require.resolve('temporal-payment-gateway/package.json', { paths: [folder] }))).toBe(installed);
});
