/** `payment-gateway init --template`: what it writes. `npm run test:templates` installs and runs all of it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import ours from '../../package.json';
import { init } from '../../src/cli/init';
import { TEMPLATES } from '../../src/cli/projects';
import { GO_FOLDER, goPrograms, QUICK_GO } from '../harness/go';
import { ROOT } from '../harness/terminal';

const TEMPLATE_NAMES = ['express', 'fastify', 'next', 'python', 'go'] as const;
const ON_NODE = ['express', 'fastify', 'next'] as const;
const TARBALL = `temporal-payment-gateway-${ours.version}.tgz`;

const folder = mkdtempSync(join(tmpdir(), 'init-'));
afterAll(() => rmSync(folder, { recursive: true }));

const texts = z.record(z.string(), z.string());
const manifest = z.looseObject({ scripts: texts, dependencies: texts, devDependencies: texts });
const manifestIn = (place: string) => manifest.parse(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')));
const filesIn = (place: string) => readdirSync(place).filter((name) => name !== '.gitignore');

let said = '';
beforeEach(() => {
  said = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(() => jest.restoreAllMocks());

/** A shop on Node whose folder has this package already: nothing is packed for it. */
function withPackage(name: string, more: object = {}): string {
  const place = join(folder, name);
  mkdirSync(place);
  const before = { dependencies: { 'temporal-payment-gateway': 'file:mine.tgz' }, ...more };
  writeFileSync(join(place, 'package.json'), JSON.stringify(before));
  return place;
}

const written = (template: (typeof TEMPLATE_NAMES)[number], place: string) =>
  init(place, { language: 'typescript', template });

test('there is a template for each name that these tests take', () => {
  expect(Object.keys(TEMPLATES)).toEqual(TEMPLATE_NAMES);
});

test.each(TEMPLATE_NAMES)(
  'the template %s comes with a README and a test, says each file that it wrote, and overwrites none',
  async (template) => {
    const place = withPackage(`whole-${template}`);
    await written(template, place);
    const [, list = ''] = /^Wrote (.*)\.$/m.exec(said) ?? [];
    const named = list.split(', ').filter((file) => existsSync(join(place, file)));
    expect(named).toEqual(list.split(', '));
    expect([...new Set(named.map((file) => file.split('/')[0]))].sort()).toEqual(
      expect.arrayContaining([...filesIn(place), '.gitignore'].filter((file) => file !== 'package.json')),
    );
    expect(said).toContain(
      `PAYMENTS_EVENTS_URL=http://127.0.0.1:9000/events npx payment-gateway dev --data-dir ${place}/.payments`,
    );
    expect(readFileSync(join(place, 'README.md'), 'utf8').split('\n').length).toBeLessThan(26);

    writeFileSync(join(place, 'README.md'), 'mine');
    await expect(written(template, place)).rejects.toThrow(/README\.md.* would be overwritten: move it away/);
    expect(readFileSync(join(place, 'README.md'), 'utf8')).toBe('mine');
  },
);

test('a shop on Node is installed with a copy of this package, which no registry has', async () => {
  const place = join(folder, 'My Shop');
  await written('express', place);
  expect(filesIn(place)).toContain(TARBALL);
  expect(manifestIn(place)).toMatchObject({
    name: 'my-shop',
    private: true,
    dependencies: { 'temporal-payment-gateway': `file:${TARBALL}`, express: expect.any(String) },
  });
});

test('a package.json that is there keeps its own, and gets what the template needs beside it', async () => {
  const noTest = 'echo "Error: no test specified" && exit 1';
  const place = withPackage('own', {
    name: 'own',
    scripts: { start: 'mine', test: noTest },
    devDependencies: { typescript: '6.0.0' },
  });
  await written('express', place);
  const { scripts, dependencies, devDependencies } = manifestIn(place);
  expect(scripts).toMatchObject({ start: 'mine', test: 'tsx --test *.test.ts' });
  expect(dependencies).toMatchObject({ 'temporal-payment-gateway': 'file:mine.tgz', express: expect.any(String) });
  expect(devDependencies.typescript).toBe('6.0.0');
  expect(filesIn(place)).not.toContain(TARBALL);
});

test.each(ON_NODE)(
  'the template %s has the versions that this package is tested with, and the scripts that its README names',
  (template) => {
    const place = join(ROOT, 'templates', template);
    const { scripts, dependencies, devDependencies } = manifestIn(place);
    const tested: Record<string, string> = { ...ours.devDependencies, ...ours.dependencies };
    const sdk = ours.devDependencies['@temporalio/testing'];
    const differs = Object.entries({ ...dependencies, ...devDependencies }).filter(([name, version]) => {
      const wanted = name.startsWith('@temporalio/') ? sdk : tested[name];
      return wanted !== undefined && wanted !== version;
    });
    expect(differs).toEqual([]);
    const readme = readFileSync(join(place, 'README.md'), 'utf8');
    const named = [...readme.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  },
);

/** The packages that a program imports. */
const importedBy = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|^import) '((?:@[\w-]+\/)?[\w-]+)(?:\/[^']*)?'/gm)].map(
    ([, name = '']) => name,
  );

test.each(ON_NODE)(
  'the template %s imports only what its package.json names: what came with others may not be there',
  (template) => {
    const { dependencies, devDependencies } = manifestIn(join(ROOT, 'templates', template));
    const installed = [...Object.keys({ ...dependencies, ...devDependencies }), 'temporal-payment-gateway'];
    const files = [template, 'typescript'].flatMap((name) =>
      readdirSync(join(ROOT, 'templates', name), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.m?tsx?$/.test(file) && !file.startsWith('node_modules'))
        .map((file) => join(ROOT, 'templates', name, file)),
    );
    const imported = files.flatMap(importedBy);
    expect(imported).toContain('temporal-payment-gateway');
    expect(imported.filter((name) => !installed.includes(name))).toEqual([]);
  },
);

test('the shop in Python compiles, and is installed with the client beside it', async () => {
  const place = join(folder, 'python');
  await written('python', place);
  for (const file of ['shop.py', 'test_shop.py']) {
    const check = "import sys; compile(sys.stdin.read(), 'shop.py', 'exec')";
    const input = readFileSync(join(place, file), 'utf8');
    expect(spawnSync('python3', ['-c', check], { input, encoding: 'utf8' }).stderr).toBe('');
  }
  expect(readFileSync(join(place, 'requirements.txt'), 'utf8')).toContain('./payment-gateway\n');
  expect(filesIn(join(place, 'payment-gateway')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'payment_gateway',
    'pyproject.toml',
  ]);
});

('folder' in goPrograms() ? test : test.skip)('the shop in Go compiles with the client beside it', async () => {
  const place = join(folder, 'shop-in-go');
  await written('go', place);
  // What `go mod tidy` would find: the modules of the client, which are here.
  cpSync(join(GO_FOLDER, 'go.sum'), join(place, 'go.sum'));
  const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod -buildvcs=false' };
  const options = { cwd: place, env, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('go', ['build', ...QUICK_GO, '-o', '/dev/null', '.'], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
