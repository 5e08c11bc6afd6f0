/** What the programs of the clients say where a setting is missing: a sentence and the exit code of wrong input, before anything is sent. */
import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { dataConverter } from '../../../src/codec';
import { unreachable } from '../../../src/temporal/connection';
import { eventually } from '../../harness/eventually';
import { exampleProgram } from '../../harness/example-program';
import { goPrograms } from '../../harness/go';
import { javaPrograms } from '../../harness/java';
import { pythonWith } from '../../harness/python';
import { ROOT } from '../../harness/terminal';

const PYTHON = join(ROOT, 'clients/python');
const ORDER = join(ROOT, 'examples/orders/pix.json');
const go = goPrograms();
const java = javaPrograms();
const JAVA = 'options' in java ? java.options : [];

/** Nobody listens on this port: a program that is not refused at once cannot answer. */
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
const CLEAR = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };

const MERCHANTS = ['Python', ...('folder' in go ? ['Go'] : []), ...('options' in java ? ['Java'] : [])];
const RECEIVERS = ['TypeScript', ...MERCHANTS];

/** One that starts to listen would never end: far longer than any has taken to refuse. */
const ENDED_MS = 60_000;

type Program = readonly [file: string, ...args: string[]];
let merchants: Record<string, Program>;
let receivers: Record<string, Program>;
const folder = mkdtempSync(join(tmpdir(), 'settings-'));

beforeAll(async () => {
  const python = await pythonWith(join(PYTHON, 'requirements.txt'));
  const typescript = await exampleProgram(folder, 'events');
  merchants = {
    Python: [python, join(PYTHON, 'examples/merchant.py'), ORDER],
    ...('folder' in go ? { Go: [join(go.folder, 'merchant'), ORDER] } : {}),
    ...('options' in java ? { Java: ['java', ...JAVA, 'Merchant', ORDER] } : {}),
  };
  receivers = {
    TypeScript: [process.execPath, typescript],
    Python: [python, join(PYTHON, 'examples/events.py')],
    ...('folder' in go ? { Go: [join(go.folder, 'events')] } : {}),
    ...('options' in java ? { Java: ['java', ...JAVA, 'Events'] } : {}),
  };
});

afterAll(() => rmSync(folder, { recursive: true }));

if ('missing' in go) test.skip(`Go is left out: ${go.missing}`, () => undefined);
if ('missing' in java) test.skip(`Java is left out: ${java.missing}`, () => undefined);

/** The program with what it needs, elsewhere than in a folder where a stack runs. */
function programOf(program: Program | undefined, env: NodeJS.ProcessEnv) {
  if (program === undefined) throw new Error('There is no such program.');
  const [file, ...args] = program;
  const { PATH, HOME } = process.env;
  const python = { PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1' };
  return { file, args, options: { cwd: folder, env: { PATH, HOME, ...python, ...env } } };
}

function run(program: Program | undefined, env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  const { file, args, options } = programOf(program, env);
  return spawnSync(file, args, { ...options, encoding: 'utf8', timeout: ENDED_MS });
}

function start(program: Program | undefined, env: NodeJS.ProcessEnv): ChildProcess {
  const { file, args, options } = programOf(program, env);
  return spawn(file, args, { ...options, stdio: 'ignore' });
}

/** The exit code of wrong input, and a sentence, on either output. */
function expectRefusal({ status, stdout, stderr }: SpawnSyncReturns<string>, sentence: string): void {
  expect({ status, said: stdout + stderr }).toEqual({ status: 2, said: expect.stringContaining(sentence) });
  expect(stdout + stderr).toContain('ConfigError');
}

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
  expectRefusal(ended, sentenceWithoutKeys());
});

test.each(MERCHANTS)('a merchant in %s whose order file is not there is told so', (language) => {
  const [file = '', ...args] = merchants[language] ?? [];
  const elsewhere = [file, ...args.map((arg) => (arg === ORDER ? 'none.json' : arg))] as const;
  const ended = run(elsewhere, { ...NO_TEMPORAL, ...CLEAR, GATEWAY_APP_ID: 'demo-app' });
  expectRefusal(ended, 'The order file cannot be read');
  expect(ended.stderr).not.toMatch(/^(Traceback|\s+at )/m);
});

test.each(MERCHANTS)('a merchant in %s that may write clear text goes on without keys', (language) => {
  const { status, stdout, stderr } = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, GATEWAY_APP_ID: 'demo-app' });
  expect(status).not.toBe(2);
  expect(stdout + stderr).not.toContain('ConfigError');
});

// Java connects at the first call, which is then pending.
test.each(MERCHANTS.filter((language) => language !== 'Java'))(
  'a merchant in %s that cannot reach Temporal says what TypeScript says, where it connects',
  (language) => {
    const [before = '', after = ''] = unreachable(NO_TEMPORAL.TEMPORAL_ADDRESS, new Error('-')).message.split('-');
    const ended = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, GATEWAY_APP_ID: 'demo-app' });
    expect([ended.status, ended.stderr]).toEqual([3, expect.stringContaining(before)]);
    expect(ended.stderr).toContain(after);
    expect(ended.stderr).not.toContain('Traceback');
  },
);

test.each(MERCHANTS)('a merchant in %s that names no app is told so', (language) => {
  for (const app of [{}, { GATEWAY_APP_ID: '' }]) {
    const ended = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, ...app });
    expectRefusal(ended, 'Which app? Set GATEWAY_APP_ID');
  }
});

const KEY = 'a:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
test.each(MERCHANTS)('a merchant in %s takes no key id twice, and reads files in the place of settings', (language) => {
  const app = { ...NO_TEMPORAL, GATEWAY_APP_ID: 'demo-app' };
  const twice = run(merchants[language], { ...app, PAYMENTS_ENCRYPTION_KEYS: `${KEY},${KEY}` });
  expectRefusal(twice, 'each id once');
  const lost = run(merchants[language], { ...app, ...CLEAR, PAYMENTS_SEALING_PUBLIC_JWK_FILE: 'lost.json' });
  expectRefusal(lost, 'PAYMENTS_SEALING_PUBLIC_JWK_FILE cannot be read');
});

test.each(MERCHANTS)(
  'a merchant in %s speaks to Temporal by TLS, and by the name that its settings say',
  async (language) => {
    const greeted: Buffer[] = [];
    const server = createServer(
      (socket) => void socket.on('data', (data) => greeted.push(data)).on('error', () => undefined),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const tls = { TEMPORAL_TLS: 'true', TEMPORAL_TLS_SERVER_NAME: 'temporal.example' };
    const child = start(merchants[language], {
      ...CLEAR,
      ...tls,
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      GATEWAY_APP_ID: 'demo-app',
    });
    try {
      await eventually('it has sent something', () => greeted.length > 0, ENDED_MS);
      // The first byte of a TLS handshake; the server's name stands in it in clear.
      expect([greeted[0]?.[0], greeted[0]?.includes('temporal.example')]).toEqual([0x16, true]);
    } finally {
      child.kill();
      server.close();
    }
  },
);

test.each(MERCHANTS)('a merchant in %s is told which of Temporal’s settings it cannot use', (language) => {
  const cloud = {
    GATEWAY_APP_ID: 'demo-app',
    TEMPORAL_API_KEY: 'secret',
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'lost.pem',
  };
  const refused = run(merchants[language], { ...NO_TEMPORAL, ...CLEAR, ...cloud });
  expectRefusal(refused, 'Temporal’s own settings (TEMPORAL_…) cannot be used: ');
  expect(refused.stdout + refused.stderr).toContain('lost.pem');
  expect(refused.stdout + refused.stderr).not.toContain('secret');
});

test.each(MERCHANTS)('a merchant in %s reads no settings of a stack that others could have written', (language) => {
  const settings = join(folder, '.payments');
  mkdirSync(settings);
  writeFileSync(join(settings, 'dev.env'), 'GATEWAY_APP_ID=theirs\n', { mode: 0o644 });
  try {
    expectRefusal(run(merchants[language]), 'dev.env is not read: it must be a file of yours with mode 600');
  } finally {
    rmSync(settings, { recursive: true });
  }
});

test.each(RECEIVERS)('a receiver in %s without the secret says where it stands', (language) => {
  const { status, stdout, stderr } = run(receivers[language]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim()).toMatch(/^PAYMENTS_EVENTS_SECRETS is not set\. .*\.payments\/dev\.env\.$/);
});

test.each(RECEIVERS)('a receiver in %s reads a file in the place of its secret', (language) => {
  const { status, stderr } = run(receivers[language], { PAYMENTS_EVENTS_SECRETS_FILE: 'lost' });
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(/PAYMENTS_EVENTS_SECRETS_FILE:? (the file )?cannot be read/),
  ]);
});
