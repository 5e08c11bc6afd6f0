/** The command line as it is shipped: what it says and with which code it ends, with nothing running beside it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config';
import { open, seal } from '../../src/gateway';
import { built } from '../start/built';
import { ROOT, Terminal } from '../start/terminal';

beforeAll(built);

const folder = mkdtempSync(join(tmpdir(), 'command-line-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A port on which nobody may listen: Temporal is not there. */
const NO_TEMPORAL = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
const APP = {
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_do_not_tell',
};

interface Ended {
  code: number | null;
  output: string;
  printed: string;
}

async function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const command = new Terminal({ cwd: folder, env }, ...args);
  const code = await command.ended;
  return { code, output: command.output, printed: command.printed };
}

/** A command that ends with code 2 and a sentence: no stack, no key, nothing on standard output. */
async function refused(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, output, printed } = await run(args, env);
  expect({ code, output }).toEqual({ code: 2, output: '' });
  expect(printed).not.toMatch(/^ +at /m);
  expect(printed).not.toContain('sk_do_not_tell');
  return printed;
}

const COMMANDS = ['dev', 'pay', 'accounts', 'worker', 'webhook', 'simulator', 'setup', 'keys'];

describe('help', () => {
  test('--help lists every command and ends well', async () => {
    const { code, output, printed } = await run(['--help']);
    expect(code).toBe(0);
    expect(printed).toBe(output);
    expect([...output.matchAll(/^ {2}([a-z]+)\b.* {2}\S/gm)].map(([, name]) => name)).toEqual([...COMMANDS, 'help']);
  });

  test.each(COMMANDS)('%s --help tells of it and does nothing else', async (command) => {
    const { code, output } = await run([command, '--help']);
    expect(code).toBe(0);
    expect(output).toContain(`Usage: payment-gateway ${command}`);
  });
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
  ])('%s', async (_, args, said) => {
    const printed = await refused(args);
    expect(printed).toContain(said);
  });

  test('and where to find out more', async () => {
    expect(await refused(['refundd'])).toContain('payment-gateway --help');
  });
});

describe('keys new', () => {
  interface Keys {
    encryption_key: string;
    sealing_private_jwks: { keys: Record<string, string>[] };
    sealing_public_jwk: Record<string, string>;
  }
  const newKeys = async (): Promise<Keys> => {
    const { code, output, printed } = await run(['keys', 'new', '--json']);
    expect(code).toBe(0);
    expect(printed).toBe(output);
    return JSON.parse(output);
  };

  test('--json prints the three keys under the names of the contract, on one line', async () => {
    const keys = await newKeys();
    expect(Object.keys(keys).sort()).toEqual(['encryption_key', 'sealing_private_jwks', 'sealing_public_jwk']);
    const [, id = '', key = ''] = /^([\w-]+):(.+)$/.exec(keys.encryption_key) ?? [];
    expect(Buffer.from(key, 'base64')).toHaveLength(32);
    const { d, ...publicPart } = keys.sealing_private_jwks.keys[0] ?? {};
    expect(d).toBeDefined();
    expect(keys.sealing_private_jwks.keys).toHaveLength(1);
    expect(keys.sealing_public_jwk).toEqual({ ...publicPart, kid: id });
    expect(keys.sealing_public_jwk).not.toHaveProperty('d');
  });

  test('what the public key seals the private ones open, by way of the settings', async () => {
    const { sealing_private_jwks, sealing_public_jwk } = await newKeys();
    const { PAYMENTS_SEALING_JWKS: set, PAYMENTS_SEALING_PUBLIC_JWK: key } = loadConfig({
      PAYMENTS_SEALING_JWKS: JSON.stringify(sealing_private_jwks),
      PAYMENTS_SEALING_PUBLIC_JWK: JSON.stringify(sealing_public_jwk),
    });
    const order = { app_id: 'app-1', out_trade_no: 'order-1' };
    if (!set || !key) throw new Error('The settings lack the keys.');
    expect(await open(await seal('4821', key, order), set.keys, order)).toBe('4821');
  });

  test('are fresh each time, and stored nowhere', async () => {
    const [one, other] = [await newKeys(), await newKeys()];
    expect(one.encryption_key).not.toBe(other.encryption_key);
    expect(one.sealing_public_jwk.x).not.toBe(other.sealing_public_jwk.x);
    expect(one.sealing_public_jwk.kid).not.toBe(other.sealing_public_jwk.kid);
    expect(one.sealing_private_jwks.keys[0]?.d).not.toBe(other.sealing_private_jwks.keys[0]?.d);
  });

  test('without --json prints lines for the settings, saying who may have which', async () => {
    const { code, output } = await run(['keys', 'new']);
    expect(code).toBe(0);
    const settings = Object.fromEntries([...output.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name, text]) => [name, text]));
    expect(Object.keys(settings)).toEqual([
      'PAYMENTS_SEALING_JWKS',
      'PAYMENTS_ENCRYPTION_KEYS',
      'PAYMENTS_SEALING_PUBLIC_JWK',
    ]);
    const { PAYMENTS_ENCRYPTION_KEYS: _notYet, ...sealing } = settings;
    expect(loadConfig(sealing)).toMatchObject({
      PAYMENTS_SEALING_JWKS: { keys: [{ kty: 'EC' }] },
      PAYMENTS_SEALING_PUBLIC_JWK: { kty: 'EC' },
    });
    expect(output).toMatch(/^# For workers only/);
  });
});

describe('settings that are missing or wrong', () => {
  test.each(['worker', 'webhook', 'simulator'])('%s without an app says how to name one', async (command) => {
    expect(await refused([command])).toContain('no gateway app: set GATEWAY_BASE_URL, GATEWAY_APP_ID and');
  });

  test.each(['worker', 'webhook', 'simulator'])('%s names every wrong one', async (command) => {
    const printed = await refused([command], { ...APP, WEBHOOK_PORT: 'http', LOG_LEVEL: 'loud' });
    expect(printed).toMatch(/WEBHOOK_PORT: .*\n.*LOG_LEVEL: /);
  });

  test.each(['worker', 'webhook', 'setup'])('%s without Temporal says where it looked', async (command) => {
    const printed = await refused([command], { ...APP, ...NO_TEMPORAL, WEBHOOK_PORT: '0' });
    expect(printed).toContain('Temporal cannot be reached at 127.0.0.1:9');
    expect(printed).toContain('TEMPORAL_ADDRESS');
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
  ])('a file that %s', async (_, file, said) => {
    expect(await refused(['pay', file()], { ...APP, ...NO_TEMPORAL })).toContain(said);
  });

  test('an order without an app to pay it', async () => {
    expect(await refused(['pay', PIX])).toMatch(/Which app pays\? Set GATEWAY_APP_ID, use --app, or run npm start/);
  });

  test('an order without Temporal', async () => {
    expect(await refused(['pay', PIX, '--app', 'app-1'], NO_TEMPORAL)).toContain('cannot be reached at 127.0.0.1:9');
  });
});
