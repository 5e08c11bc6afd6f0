/** What the programs of examples/ say where a setting is missing: a sentence and the exit code of wrong input, before anything is sent. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { dataConverter } from '../../../src/codec';
import { goPrograms } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { pythonWith } from '../../harness/python';
import { ROOT } from '../../harness/terminal';

const PYTHON = join(ROOT, 'examples/python');
const ORDER = join(ROOT, 'examples/orders/pix.json');
const go = goPrograms();
const java = javaPrograms();
const JAVA = 'options' in java ? java.options : [];

const TYPESCRIPT = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } } as const;

/** Nobody listens on this port: a program that is not refused at once cannot answer. */
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
const CLEAR = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };

const MERCHANTS = ['Python', ...('folder' in go ? ['Go'] : []), ...('options' in java ? ['Java'] : [])];
const RECEIVERS = ['TypeScript', ...MERCHANTS];

type Program = readonly [file: string, ...args: string[]];
let merchants: Record<string, Program>;
let receivers: Record<string, Program>;
/** Within the repository, so that Node finds the packages. */
const folder = mkdtempSync(join(ROOT, 'node_modules/.receiver-'));

beforeAll(async () => {
  const python = await pythonWith(join(PYTHON, 'requirements.txt'));
  const typescript = join(folder, 'events.mjs');
  writeFileSync(typescript, transformFileSync(join(ROOT, 'examples/typescript/events.mts'), TYPESCRIPT).code);
  merchants = {
    Python: [python, join(PYTHON, 'merchant.py'), ORDER],
    ...('folder' in go ? { Go: [join(go.folder, 'merchant'), 'state', 'order-1'] } : {}),
    ...('options' in java ? { Java: ['java', ...JAVA, 'payments.Merchant', 'state', 'order-1'] } : {}),
  };
  receivers = {
    TypeScript: [process.execPath, typescript],
    Python: [python, join(PYTHON, 'events.py')],
    ...('folder' in go ? { Go: [join(go.folder, 'events')] } : {}),
    ...('options' in java ? { Java: ['java', ...JAVA, 'payments.Events'] } : {}),
  };
});

afterAll(() => rmSync(folder, { recursive: true }));

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);
if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);

function run(program: Program | undefined, env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  if (program === undefined) throw new Error('There is no such program.');
  const [file, ...args] = program;
  const { PATH, HOME } = process.env;
  return spawnSync(file, args, { env: { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ...env }, encoding: 'utf8' });
}

/** The failure that a merchant printed as JSON, on either output. */
function refusalOf({ status, stdout, stderr }: SpawnSyncReturns<string>): unknown {
  return { status, ...JSON.parse(stdout || stderr) };
}

const refusal = (message: string) => ({ status: 2, error: 'ConfigError', message: expect.stringContaining(message) });

function sentenceWithoutKeys(): string {
  try {
    dataConverter({
      PAYMENTS_ENCRYPTION_KEYS: undefined,
      PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: false,
      PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: false,
    });
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('TypeScript needs no keys.');
}

test.each(MERCHANTS)('a merchant in %s without keys sends nothing and says what TypeScript says', (language) => {
  const ended = run(merchants[language], { ...NO_TEMPORAL, GATEWAY_APP_ID: 'demo-app' });
  expect(refusalOf(ended)).toMatchObject(refusal(sentenceWithoutKeys()));
});

test.each(MERCHANTS)('a merchant in %s that may write clear text goes on without keys', (language) => {
  const { status, stdout, stderr } = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, GATEWAY_APP_ID: 'demo-app' });
  expect(status).not.toBe(2);
  expect(stdout + stderr).not.toContain('ConfigError');
});

test.each(MERCHANTS)('a merchant in %s that names no app is told so', (language) => {
  for (const app of [{}, { GATEWAY_APP_ID: '' }]) {
    const ended = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, ...app });
    expect(refusalOf(ended)).toMatchObject(refusal('Which app? Set GATEWAY_APP_ID'));
  }
});

test.each(RECEIVERS)('a receiver in %s without the secret says where it stands', (language) => {
  const { status, stdout, stderr } = run(receivers[language]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim()).toMatch(/^PAYMENTS_EVENTS_SECRETS is not set\. .*\.payments\/dev\.env\.$/);
});

('folder' in go ? test : test.skip)('Go’s merchant says how it is used', () => {
  const merchant = merchants.Go?.[0] ?? '';
  const used = run([merchant]);
  expect(used.status).toBe(2);
  for (const task of ['recheck', 'wallet-token', 'installments', 'create-account', 'cancel-account'])
    expect(used.stderr).toContain(task);
  const env = { ...NO_TEMPORAL, ...CLEAR, GATEWAY_APP_ID: 'demo-app' };
  expect(run([merchant, 'sell'], env)).toMatchObject({ stderr: expect.stringContaining('no task "sell"') });
});
