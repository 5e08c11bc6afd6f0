/**
 * The built command line, with no stack running: what it prints, and its exit codes. Of each family of commands some are started
 * as a person does; where only the words and the code matter, one process runs them all.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeKeys } from '../../src/cli/keys';
import { loadConfig } from '../../src/process/settings';
import { built } from '../harness/built';
import { busyTemporal } from '../harness/busy-temporal';
import { Commands, started } from '../harness/commands';
import { ROOT, Terminal } from '../harness/terminal';

beforeAll(built);

const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
const commands = new Commands(folder);
afterAll(async () => {
  await commands.end();
  rmSync(folder, { recursive: true });
});

/** A port on which nobody may listen: Temporal is not there. */
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
const NO_KEYS = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };
const APP = {
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_do_not_tell',
};

type Env = Record<string, string>;
/** In the process that runs them all. */
const run = (args: string[], env: Env = {}) => commands.run(env, ...args);
/** In a process of its own. */
const start = (args: string[], env: Env = {}) => started(folder, env, ...args);
/** A process can install the native runtime of workers only once, and a worker does so as soon as its settings can be read. */
const howOf = (command: string) => (command === 'worker' ? start : run);

/** A command that ends with code 2 and a sentence: no stack, no key, nothing on standard output. */
async function refused(args: string[], env: Env = {}, how = run): Promise<string> {
  const { code, output, printed } = await how(args, env);
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(printed).not.toMatch(/^ +at /m);
  expect(printed).not.toContain('sk_do_not_tell');
  return printed;
}

describe('help', () => {
  /** The commands that a help lists, but for help itself. */
  const listedIn = (output: string) =>
    [...output.matchAll(/^ {2}([a-z][a-z-]*)\b.* {2}\S/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');

  test('--help ends well, and says nothing to standard error', async () => {
    const { code, output, printed } = await start(['--help']);
    expect({ code, printed }).toEqual({ code: 0, printed: output });
  });

  test('of every command, also within a group, prints its usage, examples and exit codes, and does nothing else', async () => {
    const commands = listedIn((await run(['--help'])).output);
    expect(commands).toHaveLength(29);
    const groups = ['accounts', 'deploy', 'keys'];
    for (const group of groups)
      commands.push(...listedIn((await run([group, '--help'])).output).map((name) => `${group} ${name}`));
    expect(commands).toHaveLength(29 + 13);
    for (const command of commands) {
      const { code, output } = await run([...command.split(' '), '--help']);
      expect([command, code]).toEqual([command, 0]);
      expect(output).toContain(`Usage: payment-gateway ${command}`);
      expect(output).toMatch(new RegExp(`^Examples:\n  payment-gateway ${command}`, 'm'));
      expect(output).toMatch(/^Exit codes: 0 done; 1 .*; 2 .*; 3 /m);
      for (const [, file = ''] of output.matchAll(/(examples\/\S+\.json)/g))
        expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    }
  });
});

test.each([
  ['worker', ['GATEWAY_APP_ID', 'WEBHOOK_PUBLIC_URL', 'PAYMENTS_TASK_QUEUE=payments'], 'CODEC_SERVER_TOKEN'],
  ['webhook', ['GATEWAY_APP_ID', 'WEBHOOK_PORT=8480', 'PAYMENTS_TASK_QUEUE=payments'], 'CODEC_SERVER_TOKEN'],
  ['codec-server', ['CODEC_SERVER_TOKEN', 'PAYMENTS_ENCRYPTION_KEYS'], 'GATEWAY_APP_ID'],
  ['simulator', ['GATEWAY_APP_ID', 'SIMULATOR_PORT'], 'CODEC_SERVER_TOKEN'],
])('%s --help names the settings that it reads, with their defaults, and no others', async (command, own, others) => {
  const { output } = await run([command, '--help']);
  for (const name of own) expect(output).toContain(`    ${name}`);
  expect(output).not.toContain(others);
});

describe('wrong usage ends with code 2 and says what is wrong', () => {
  test.each([
    ['no command', [], 'Usage: payment-gateway'],
    ['an unknown command', ['refundd'], "unknown command 'refundd'"],
    ['an unknown option', ['pay', 'order.json', '--fast'], "unknown option '--fast'"],
    ['no order to pay', ['pay'], "missing required argument 'order'"],
    ['keys without new', ['keys'], 'Usage: payment-gateway keys'],
    ['accounts without a verb', ['accounts'], 'Usage: payment-gateway accounts'],
    ['unknown command of keys', ['keys', 'old'], "unknown command 'old'"],
    ['too much', ['setup', 'everything'], 'too many arguments'],
    ['a decision without a name', ['resolve', 'order-1', '--reason', 'paid'], "required option '--by <name>'"],
    ['a recheck of nothing', ['recheck'], 'name an order, or choose payments'],
    ['a duration that is none', ['list', '--stuck', 'long'], 'must be a duration such as'],
    ['a reason that there is not', ['explain', 'boredom'], 'There are amount-mismatch,'],
    ['no address of Temporal UI', ['ui'], 'set TEMPORAL_UI_URL'],
  ])('%s', async (_, args, said) => {
    const printed = await refused(args);
    expect(printed).toContain(said);
  });

  test('names the command that lists everything', async () => {
    expect(await refused(['refundd'], {}, start)).toContain('payment-gateway --help');
  });
});

describe('with --json, an error is one line of JSON on standard output', () => {
  test.each([
    ['wrong usage', run, ['recheck', '--json'], 'UserError', 'name an order'],
    ['a missing option', run, ['resolve', 'order-1', '--json'], 'UserError', '--by'],
    ['a wrong value', run, ['list', '--json', '--since', 'once'], 'ConfigError', 'must be a time'],
    ['no Temporal', start, ['show', 'order-1', '--json'], 'TemporalUnreachableError', '127.0.0.1:9'],
  ])('%s', async (_, how, args, type, said) => {
    const { code, output, printed } = await how(args, { ...NO_TEMPORAL, ...NO_KEYS, GATEWAY_APP_ID: 'app-1' });
    expect({ code, printed }).toEqual({ code: 2, printed: output });
    expect(JSON.parse(output)).toEqual({ error: { type, message: expect.stringContaining(said) } });
  });
});

describe('keys new', () => {
  interface Keys {
    encryption_key: string;
    events_secret: string;
    sealing_private_jwks: { keys: Record<string, string>[] };
    sealing_public_jwk: Record<string, string>;
  }
  const newKeys = async (): Promise<Keys> => {
    const { code, output, printed } = await run(['keys', 'new', '--json']);
    expect(code).toBe(0);
    expect(printed).toBe(output);
    return JSON.parse(output);
  };

  test('--json prints the keys under the names of the contract, on one line', async () => {
    const keys = await newKeys();
    expect(Object.keys(keys).sort()).toEqual([
      ...['encryption_key', 'events_secret', 'sealing_private_jwks', 'sealing_public_jwk'],
    ]);
    expect(loadConfig({ PAYMENTS_EVENTS_SECRETS: keys.events_secret }).PAYMENTS_EVENTS_SECRETS).toHaveLength(1);
    const [, id = '', key = ''] = /^([\w-]+):(.+)$/.exec(keys.encryption_key) ?? [];
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    const { d, ...publicPart } = keys.sealing_private_jwks.keys[0] ?? {};
    expect(d).toBeDefined();
    expect(keys.sealing_private_jwks.keys).toHaveLength(1);
    expect(keys.sealing_public_jwk).toEqual({ ...publicPart, kid: id });
    expect(keys.sealing_public_jwk).not.toHaveProperty('d');
  });

  test('without --json prints lines for the settings, and who may have each key', async () => {
    const { code, output } = await start(['keys', 'new']);
    expect(code).toBe(0);
    const settings = Object.fromEntries([...output.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, text]) => [name, text]));
    expect(Object.keys(settings)).toEqual([
      'PAYMENTS_SEALING_JWKS',
      'PAYMENTS_ENCRYPTION_KEYS',
      'PAYMENTS_EVENTS_SECRETS',
      'PAYMENTS_SEALING_PUBLIC_JWK',
    ]);
    expect(loadConfig(settings)).toMatchObject({
      PAYMENTS_ENCRYPTION_KEYS: [{ key: expect.any(Uint8Array) }],
      PAYMENTS_SEALING_JWKS: { keys: [{ kty: 'EC' }] },
      PAYMENTS_SEALING_PUBLIC_JWK: { kty: 'EC' },
    });
    expect(output).toMatch(/^# For workers only/);
  });
});

describe('keys rotate', () => {
  test('changes the keys in the files that the settings name, so that each step can be loaded and the old ones still open', async () => {
    const lastYear = new Date(Date.now() - 365 * 86_400_000);
    const { encryption_key, sealing_private_jwks, sealing_public_jwk } = await makeKeys(lastYear);
    const files = {
      PAYMENTS_ENCRYPTION_KEYS_FILE: join(folder, 'encryption_keys'),
      PAYMENTS_SEALING_JWKS_FILE: join(folder, 'sealing_jwks'),
      PAYMENTS_SEALING_PUBLIC_JWK_FILE: join(folder, 'sealing_public_jwk'),
    };
    writeFileSync(files.PAYMENTS_ENCRYPTION_KEYS_FILE, encryption_key);
    writeFileSync(files.PAYMENTS_SEALING_JWKS_FILE, JSON.stringify(sealing_private_jwks), { mode: 0o640 });
    writeFileSync(files.PAYMENTS_SEALING_PUBLIC_JWK_FILE, JSON.stringify(sealing_public_jwk));
    const { ino } = statSync(files.PAYMENTS_SEALING_JWKS_FILE);
    const [first = ''] = encryption_key.split(':');
    const step = async (how: typeof run, ...options: string[]) => {
      const { code, printed } = await how(['keys', 'rotate', ...options], files);
      expect({ code, printed }).toEqual({ code: 0, printed: expect.any(String) });
      const config = loadConfig(files);
      for (const { key } of config.PAYMENTS_ENCRYPTION_KEYS ?? []) {
        expect(printed).not.toContain(Buffer.from(key).toString('base64'));
      }
      for (const { d = '' } of config.PAYMENTS_SEALING_JWKS?.keys ?? []) expect(printed).not.toContain(d);
      return {
        encryption: config.PAYMENTS_ENCRYPTION_KEYS?.map(({ id }) => id) ?? [],
        sealing: config.PAYMENTS_SEALING_JWKS?.keys.map(({ kid }) => kid) ?? [],
        callers: config.PAYMENTS_SEALING_PUBLIC_JWK,
      };
    };

    const staged = await step(start, '--stage');
    const [, second = ''] = staged.encryption;
    expect(staged).toMatchObject({ encryption: [first, second], sealing: [first, second], callers: { kid: first } });
    const promoted = await step(run, '--promote');
    expect(promoted).toMatchObject({ encryption: [second, first], sealing: [second, first], callers: { kid: second } });
    expect(promoted.callers).not.toHaveProperty('d');
    const before = readFileSync(files.PAYMENTS_ENCRYPTION_KEYS_FILE, 'utf8');
    expect(await refused(['keys', 'rotate', '--promote'], files)).toContain('no staged key');
    expect(await refused(['keys', 'rotate', '--drop-after', 'soon'], files)).toContain(
      '--drop-after soon: must be a duration',
    );
    expect(readFileSync(files.PAYMENTS_ENCRYPTION_KEYS_FILE, 'utf8')).toBe(before);
    const atOnce = await step(run, '--drop-after', '0h');
    expect(atOnce.encryption.slice(1)).toEqual([second, first]);
    // Too old, all of them: but orders sealed to the one that was in use until now are still on their way.
    expect(atOnce.sealing).toEqual([atOnce.encryption[0], second]);
    expect(atOnce.callers).toMatchObject({ kid: atOnce.encryption[0] });
    // A container that has mounted the file goes on seeing it.
    expect(statSync(files.PAYMENTS_SEALING_JWKS_FILE)).toMatchObject({ ino, mode: 0o100640 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.before'))).toEqual([]);
  });

  test.each<[what: string, env: Record<string, string>, options: string[], said: string]>([
    ['no file is named', {}, [], 'Which keys? Set PAYMENTS_ENCRYPTION_KEYS_FILE'],
    ['a file is not there', { PAYMENTS_ENCRYPTION_KEYS_FILE: '/none' }, [], 'cannot be read (ENOENT)'],
    ['both steps are asked for', {}, ['--stage', '--promote'], 'cannot be used with option'],
  ])('is refused with a sentence if %s', async (_, env, options, said) => {
    expect(await refused(['keys', 'rotate', ...options], env)).toContain(said);
  });
});

// What counts as production: test/codec/data-converter.test.ts.
describe('in production without encryption keys', () => {
  const PRODUCTION = { ...APP, ...NO_TEMPORAL, NODE_ENV: 'production', WEBHOOK_PORT: '0' };

  test.each(['worker', 'webhook'])('%s does not start, and names the setting', async (command) => {
    expect(await refused([command], PRODUCTION, howOf(command))).toContain('PAYMENTS_ENCRYPTION_KEYS is not set');
  });

  test.each(['worker', 'webhook'])('%s starts if clear text is allowed explicitly', async (command) => {
    // A process of its own: the log, which goes straight to file descriptor 2, warns of the clear text.
    const printed = await refused([command], { ...PRODUCTION, ...NO_KEYS }, start);
    expect(printed).toContain('PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES is on');
    expect(printed).toContain('Temporal cannot be reached');
  });

  test('setup needs no keys, because it sends no payloads', async () => {
    expect(await refused(['setup'], PRODUCTION)).toContain('Temporal cannot be reached');
  });
});

test('codec-server without keys names the setting', async () => {
  expect(await refused(['codec-server'], {}, start)).toContain('Set PAYMENTS_ENCRYPTION_KEYS');
});

describe('settings that are missing or wrong', () => {
  test.each([
    ['worker', 'GATEWAY_BASE_URL, GATEWAY_APP_ID and GATEWAY_SECRET_KEY'],
    ['webhook', 'GATEWAY_APP_ID and GATEWAY_SECRET_KEY'],
  ])('%s without an app says how to configure one', async (command, names) => {
    expect(await refused([command], {}, howOf(command))).toContain(`no gateway app: set ${names} (or`);
  });

  test.each(['worker', 'webhook', 'simulator'])('%s names every wrong setting', async (command) => {
    const printed = await refused([command], { ...APP, WEBHOOK_PORT: 'http', LOG_LEVEL: 'loud' });
    expect(printed).toMatch(/WEBHOOK_PORT: .*\n.*LOG_LEVEL: /);
  });

  test.each(['worker', 'webhook'])('%s names the address where it could not serve metrics', async (command) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const METRICS_ADDRESS = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    expect(await refused([command], { ...APP, ...NO_TEMPORAL, ...NO_KEYS, METRICS_ADDRESS }, start)).toMatch(
      new RegExp(`METRICS_ADDRESS=${METRICS_ADDRESS} \\(.*in use.*Set another address`),
    );
    taken.close();
  });

  test.each(['worker', 'webhook', 'setup'])('%s without Temporal names the address that it tried', async (command) => {
    // Real starts: each of them has to end by itself.
    const printed = await refused([command], { ...APP, ...NO_TEMPORAL, ...NO_KEYS, WEBHOOK_PORT: '0' }, start);
    expect(printed).toContain('Temporal cannot be reached at 127.0.0.1:9');
    // npm start may be the merchant's own program, as it is in a project that init wrote.
    expect(printed).toContain('Run npx payment-gateway dev in this folder');
    expect(printed).toContain('TEMPORAL_ADDRESS');
  });
});

/** Commands that read Temporal before they do anything, or while they do it. Those of an app say so of their order. */
const WHILE_IT_RESTARTS = [
  ...['list', 'log', 'show o-1', 'story o-1', 'refunds o-1', 'find o-1', 'export', 'keys needed 90d', 'setup'],
  ...['take o-1 --by ana', 'recheck o-1', 'resolve o-1 --outcome CANCEL --by ana --reason r', 'reconcile'],
];
test('while Temporal restarts, every command says so in a sentence, with the address, and that it is not known yet', async () => {
  const temporal = await busyTemporal('INTERNAL');
  try {
    for (const command of WHILE_IT_RESTARTS) {
      const env = { ...APP, ...NO_KEYS, TEMPORAL_ADDRESS: temporal.address };
      const { code, printed } = await run(command.split(' '), env);
      expect([command, code, printed.trim().split('\n').at(-1)]).toEqual([
        ...[command, 3],
        `Temporal cannot be reached at ${temporal.address}, or takes no calls just now (13 INTERNAL: no calls are taken just now). Ask again in a moment. If it stays so, run npx payment-gateway dev in this folder, or set TEMPORAL_ADDRESS.`,
      ]);
      expect(printed).not.toMatch(/^ +at |sk_do_not_tell/m);
    }
  } finally {
    temporal.close();
  }
});

test('dev refuses a stack.json of another kind, and does not quote it', async () => {
  const dataDir = mkdtempSync(join(folder, 'stack-'));
  writeFileSync(join(dataDir, 'stack.json'), '{"secret_key": sk_do_not_tell');
  const { code, printed } = await start(['dev', '--data-dir', dataDir]);
  expect(code).toBe(2);
  expect(printed).toContain('stack.json is not a stack');
  expect(printed).not.toContain('sk_do');
});

describe('simulator', () => {
  const running: Terminal[] = [];
  const FREE = { SIMULATOR_PORT: '0', LOG_LEVEL: 'warn' };
  /** The one without settings: some tests look at it, and the last one ends it. */
  let plain: { command: Terminal; url: string };

  beforeAll(async () => {
    plain = await simulator();
    running.splice(0);
  });
  afterAll(() => plain?.command.kill());

  afterEach(async () => {
    for (const command of running.splice(0)) await command.kill();
  });

  /** Starts it and waits for its address. */
  async function simulator(env: Record<string, string> = {}, ...args: string[]) {
    const command = new Terminal({ cwd: folder, env: { ...FREE, ...env } }, 'simulator', ...args);
    running.push(command);
    const [url = ''] = await command.sees(/Gateway +(http:\S+).*Ctrl-C ends it/s);
    return { command, url };
  }
  /** What an app's query for an order that nobody made is answered: trade-not-exist, or that it does not know the app. */
  async function answerTo(url: string, app_id: string, secret_key: string): Promise<unknown> {
    const response = await fetch(`${url}/trade/query`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${app_id}:${secret_key}`).toString('base64')}` },
      body: JSON.stringify({ app_id, timestamp: '2026-03-02 12:00:00', out_trade_no: 'none' }),
    });
    const { sub_code }: { sub_code: unknown } = JSON.parse(await response.text());
    return sub_code;
  }

  test('runs without settings and prints its addresses, its app and the test key', async () => {
    const { command, url } = plain;
    const [desk = ''] = await command.sees(/Operator's desk +(http\S+)/);
    const [openApi = ''] = await command.sees(/OpenAPI +(http\S+)/);
    const [appId = ''] = await command.sees(/App id +(\S+)/);
    const [key = ''] = await command.sees(/Secret key +(\S+) \(known to everybody/);
    expect((await fetch(desk)).headers.get('content-type')).toMatch(/html/);
    expect(await (await fetch(openApi)).json()).toMatchObject({ openapi: '3.1.0' });
    expect(await answerTo(url, appId, key)).toBe('trade-not-exist');
  });

  test('serves the app of the settings and does not print its key', async () => {
    const { GATEWAY_APP_ID, GATEWAY_SECRET_KEY } = APP;
    const { command, url } = await simulator({ GATEWAY_APP_ID, GATEWAY_SECRET_KEY });
    await command.sees(/App id +app-1\n/);
    expect(command.printed).not.toMatch(/sk_do_not_tell|test-key/);
    expect(await answerTo(url, 'app-1', 'sk_do_not_tell')).toBe('trade-not-exist');
    expect(await answerTo(url, 'test-app', 'test-key')).toBe('invalid-signature');
  });

  test('takes words, numbers, flags and lists by --set', async () => {
    const sets = ['refundTakes=0s', 'accountPool=5', 'magicValues=false', 'notifyStatuses=["SUCCESS"]'];
    const { url } = await simulator({}, ...sets.flatMap((set) => ['--set', set]));
    expect(await (await fetch(`${url}/simulator/settings`)).json()).toMatchObject({
      refundTakes: '0s',
      accountPool: 5,
      magicValues: false,
      notifyStatuses: ['SUCCESS'],
      directStatus: 'field',
    });
  });

  test.each([
    ['refundTakes=soon', 'The setting refundTakes cannot be soon: must be a span'],
    ['accountPool=-1', 'The setting accountPool cannot be -1'],
    ['colour=red', 'There is no setting colour; there are directStatus, '],
    ['refundTakes', 'The setting refundTakes cannot be empty'],
  ])('--set %s is refused with a sentence', async (set, said) => {
    expect(await refused(['simulator', '--set', set], FREE)).toContain(said);
  });

  test('a taken port is named, with the setting for another', async () => {
    const { port } = new URL(plain.url);
    expect(await refused(['simulator'], { SIMULATOR_PORT: port })).toContain(
      `The simulator cannot listen on 127.0.0.1:${port} (EADDRINUSE). Set SIMULATOR_PORT to another port`,
    );
  });

  test('the commands that docs/simulator.md shows create an order and pay it', async () => {
    const { url } = plain;
    const [, commands = ''] =
      /<!-- the simulator alone -->\s+```sh\n(.*?)```/s.exec(readFileSync(join(ROOT, 'docs/simulator.md'), 'utf8')) ??
      [];
    const script = commands.replaceAll('http://127.0.0.1:8470', url).replaceAll('curl ', 'curl -sS ');
    const { stdout } = await promisify(execFile)('sh', ['-ec', script]);
    expect(stdout).toMatch(/"code":"10000".*"trade_status":"PROCESSING".*"trade_status":"SUCCESS"/s);
  });

  test('Ctrl-C ends it well', async () => {
    expect(await plain.command.interrupt()).toBe(0);
  });
});

describe('pay', () => {
  let files = 0;
  const orderFile = (text: string) => {
    files += 1;
    const path = join(folder, `order-${files}.json`);
    writeFileSync(path, text);
    return path;
  };
  const PIX = join(ROOT, 'examples/orders/pix.json');

  test.each<[what: string, file: () => string, said: string]>([
    ['is not there', () => join(folder, 'none.json'), 'cannot be read (ENOENT)'],
    ['is a folder', () => folder, 'cannot be read (EISDIR)'],
    ['is empty', () => orderFile(''), 'is not JSON'],
    ['is not JSON', () => orderFile('out_trade_no: 1'), 'is not JSON'],
    ['holds text', () => orderFile('"order"'), 'holds no JSON object'],
    ['holds null', () => orderFile('null'), 'holds no JSON object'],
    [
      'is of another kind',
      () => orderFile('{"kind":"refund","request":{}}'),
      'the kind "refund"; it is direct or checkout',
    ],
    ['holds an empty request', () => orderFile('{"kind":"checkout","request":{}}'), '  out_trade_no: required'],
    ['holds a request that is none', () => orderFile('{"request":"order"}'), '  (request): '],
    [
      'holds a bare request that is wrong',
      () => orderFile('{"out_trade_no":"1","method":"PIX"}'),
      '  subject: required',
    ],
  ])('a file that %s is refused with a sentence', async (_, file, said) => {
    expect(await refused(['pay', file()], { ...APP, ...NO_TEMPORAL })).toContain(said);
  });

  test('an order without an app is refused, with the settings that name one', async () => {
    expect(await refused(['pay', PIX], {}, start)).toMatch(
      /Which app\? Set GATEWAY_APP_ID, name it \(--app in a command\), or run npx payment-gateway dev in this folder/,
    );
  });

  test('an order without Temporal is refused, with the address that was tried', async () => {
    expect(await refused(['pay', PIX, '--app', 'app-1'], { ...NO_TEMPORAL, ...NO_KEYS })).toContain(
      'cannot be reached at 127.0.0.1:9',
    );
  });
});
