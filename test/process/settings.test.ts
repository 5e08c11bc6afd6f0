/** Every setting: its default, the values that it takes, and the words in which others are refused. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Config,
  ConfigError,
  loadConfig,
  requireApps,
  requireGateways,
  SETTING_NAMES,
  warnOfRisks,
} from '../../src/process/settings';

const folder = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** A file that holds this. */
function file(text: string): string {
  files += 1;
  const path = join(folder, `setting-${files}`);
  writeFileSync(path, text);
  return path;
}

type Environment = Parameters<typeof loadConfig>[0];

/** The words in which these settings are refused. */
function refusal(env: Environment, use: (config: Config) => unknown = () => undefined): string {
  try {
    use(loadConfig(env));
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof ConfigError ? error.message : '';
  }
  throw new Error('These settings were taken.');
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('with nothing set', () => {
  test('an empty variable counts as not set', () => {
    expect(loadConfig(Object.fromEntries(SETTING_NAMES.map((name) => [name, ''])))).toEqual(loadConfig({}));
  });

  test('requireGateways without an app says how to name one', () => {
    const said = refusal({}, requireGateways);
    for (const name of ['GATEWAY_BASE_URL', 'GATEWAY_APP_ID', 'GATEWAY_SECRET_KEY', '…_FILE', 'GATEWAY_APPS_FILE']) {
      expect(said).toContain(name);
    }
  });
});

/** A key of this byte, as it is written. */
const base64 = (byte: number, length = 32) => Buffer.alloc(length, byte).toString('base64');

describe('a setting of each kind takes its values', () => {
  const KEY = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'k' };

  test.each<[name: keyof Config, text: string, value: unknown]>([
    ['GATEWAY_BASE_URL', 'https://gateway.example/api/', 'https://gateway.example/api'],
    ['GATEWAY_APP_ID', 'a'.repeat(32), 'a'.repeat(32)],
    ['GATEWAY_TIME_ZONE', 'America/Sao_Paulo', 'America/Sao_Paulo'],
    ['GATEWAY_SIGNATURE_HEADER', 'X-Signature_2', 'X-Signature_2'],
    ['GATEWAY_SIGNATURE_SCHEME', 't-v2', 't-v2'],
    ['GATEWAY_CONNECT_TIMEOUT', '500ms', 500],
    ['GATEWAY_ANSWER_TIMEOUT', '25s', 25_000],
    ['GATEWAY_WALLET_TOKEN_PATH', '/trade/get-paypal-client-token', '/trade/get-paypal-client-token'],
    ['GATEWAY_BANK_LIST_METHODS', 'Khipu, WebPay', ['Khipu', 'WebPay']],
    ['GATEWAY_HTTPS_CHANNELS', 'QR,URL', ['QR', 'URL']],
    ['GATEWAY_METHOD_CURRENCIES', 'PIX:USD, Yape:PEN', ['PIX:USD', 'Yape:PEN']],
    ['GATEWAY_STRICT_FORMATS', 'refuse', 'refuse'],
    ['WEBHOOK_PORT', '0', 0],
    ['WEBHOOK_PUBLIC_URL', 'https://pay.shop.example/', 'https://pay.shop.example'],
    ['WEBHOOK_PUBLIC_URL', 'https://shop.example/payments', 'https://shop.example/payments'],
    ['WEBHOOK_PUBLIC_URL', 'https://shop.example/ipn/payments/v2', 'https://shop.example/ipn/payments/v2'],
    [
      'WEBHOOK_ALLOWED_IPS',
      '203.0.113.0/24, 2001:db8::/32,198.51.100.7',
      ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
    ],
    ['WEBHOOK_LIMIT_PER_ADDRESS', '100', 100],
    ['METRICS_ADDRESS', '127.0.0.1:9464', '127.0.0.1:9464'],
    ['METRICS_ADDRESS', '[::1]:9464', '[::1]:9464'],
    ['WORKER_WORKFLOW_SLOTS', '2', 2],
    ['WORKER_CACHED_WORKFLOWS', '0', 0],
    ['WEBHOOK_STOP_DELAY', '0s', 0],
    ['PAYMENTS_POLL_SCHEDULE', '500ms, 1s,2m', [500, 1_000, 2 * MINUTE]],
    ['PAYMENTS_SETTLING', '1ms', 1],
    ['PAYMENTS_GRACE', '3d', 72 * HOUR],
    ['PAYMENTS_CONFIRM_BY_QUERY', 'false', false],
    ['PAYMENTS_LATE', 'accept', 'accept'],
    ['PAYMENTS_ENCRYPTION_KEYS', `k.1:${base64(1)}`, [{ id: 'k.1', key: Buffer.alloc(32, 1) }]],
    [
      'PAYMENTS_ENCRYPTION_KEYS',
      `new:${base64(2)},\n old:${base64(1)}\n`,
      [
        { id: 'new', key: Buffer.alloc(32, 2) },
        { id: 'old', key: Buffer.alloc(32, 1) },
      ],
    ],
    ['PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT', 'true', true],
    ['PAYMENTS_SEALING_JWKS', JSON.stringify({ keys: [{ ...KEY, d: 'd' }] }), { keys: [{ ...KEY, d: 'd' }] }],
    ['PAYMENTS_SEALING_PUBLIC_JWK', JSON.stringify(KEY), KEY],
    [
      'CODEC_SERVER_UI_ORIGINS',
      'https://ui.example,http://127.0.0.1:8233',
      ['https://ui.example', 'http://127.0.0.1:8233'],
    ],
    ['CODEC_SERVER_TOKEN', 'a'.repeat(32), 'a'.repeat(32)],
    ['CODEC_SERVER_JWKS_URL', 'https://login.example/jwks', 'https://login.example/jwks'],
    ['SIMULATOR_PORT', '65535', 65_535],
    ['SIMULATOR_PUBLIC_URL', 'http://simulator:8470', 'http://simulator:8470'],
    ['SIMULATOR_SPEED', '0.5', 0.5],
    ['LOG_LEVEL', 'debug', 'debug'],
  ])('%s=%s', (name, text, value) => expect(loadConfig({ [name]: text })[name]).toEqual(value));
});

describe('a wrong value', () => {
  test.each([
    ['GATEWAY_BASE_URL', 'gateway.example'],
    ['GATEWAY_BASE_URL', 'ftp://gateway.example'],
    ['GATEWAY_APP_ID', 'a'.repeat(33)],
    ['GATEWAY_TIME_ZONE', 'Brasilia'],
    ['GATEWAY_SIGNATURE_HEADER', 'bad header'],
    ['GATEWAY_SIGNATURE_HEADER', 'Service-Signature:'],
    ['GATEWAY_SIGNATURE_HEADER', 'Señal'],
    ['GATEWAY_SIGNATURE_SCHEME', 'sha256'],
    ['GATEWAY_CONNECT_TIMEOUT', '5'],
    ['GATEWAY_CONNECT_TIMEOUT', '0s'],
    ['GATEWAY_CONNECT_TIMEOUT', '6s'],
    ['GATEWAY_ANSWER_TIMEOUT', '26s'],
    ['GATEWAY_WALLET_TOKEN_PATH', 'https://elsewhere.example/token'],
    ['GATEWAY_METHOD_CURRENCIES', 'PIX:usd'],
    ['GATEWAY_STRICT_FORMATS', 'yes'],
    ['GATEWAY_ANSWER_TIMEOUT', '0ms'],
    ['WEBHOOK_PORT', '65536'],
    ['WEBHOOK_PORT', 'http'],
    ['WEBHOOK_PORT', '84.8'],
    ['WEBHOOK_PUBLIC_URL', '/ipn'],
    ['WEBHOOK_ALLOWED_IPS', '203.0.113.0/33'],
    ['WEBHOOK_ALLOWED_IPS', '0.0.0.0/0'],
    ['WEBHOOK_ALLOWED_IPS', 'gateway.example'],
    ['WEBHOOK_TRUSTED_PROXIES', 'true'],
    ['WEBHOOK_TRUSTED_PROXIES', '::/0'],
    ['WEBHOOK_ACK_TIMEOUT', '31s'],
    ['WEBHOOK_LIMIT_PER_ADDRESS', '0'],
    ['WEBHOOK_LIMIT_OVERALL', '1.5'],
    ['WEBHOOK_LIMIT_ADOPTIONS', 'none'],
    ['WEBHOOK_LIMIT_IN_FLIGHT', '-1'],
    ['WEBHOOK_LIMIT_CONNECTIONS', 'many'],
    ['METRICS_ADDRESS', '8080'],
    ['WORKER_WORKFLOW_SLOTS', '1'],
    ['WORKER_ACTIVITY_SLOTS', '0'],
    ['WORKER_CACHED_WORKFLOWS', '-1'],
    ['METRICS_ADDRESS', 'localhost:9464'],
    ['METRICS_ADDRESS', '::1:9464'],
    ['METRICS_ADDRESS', '127.0.0.1:0'],
    ['METRICS_ADDRESS', '127.0.0.1:65536'],
    ['WEBHOOK_STOP_DELAY', '5'],
    ['PAYMENTS_POLL_SCHEDULE', '1m,30s'],
    ['PAYMENTS_POLL_SCHEDULE', '30s,30s'],
    ['PAYMENTS_POLL_SCHEDULE', '0s,30s'],
    ['PAYMENTS_POLL_SCHEDULE', '15s;30s'],
    ['PAYMENTS_POLL_EVERY', 'hourly'],
    ['PAYMENTS_POLL_EVERY', '0s'],
    ['PAYMENTS_SETTLING', '-5s'],
    ['PAYMENTS_SETTLING', '0s'],
    ['PAYMENTS_PATIENCE', '0s'],
    ['PAYMENTS_GRACE', '1.5d'],
    ['PAYMENTS_CONFIRM_BY_QUERY', 'nope'],
    ['PAYMENTS_LATE', 'return'],
    ['PAYMENTS_ENCRYPTION_KEYS', base64(1)],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1, 31)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1, 33)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1).slice(0, -1)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `:${base64(1)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k 1:${base64(1)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1)};k2:${base64(2)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1)},k2:short`],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1)},k1:${base64(2)}`],
    ['PAYMENTS_ENCRYPTION_KEYS', ' , '],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(0)}`],
    ['GATEWAY_SECRET_KEY', 'short'],
    ['GATEWAY_SECRET_KEY', 'kkkkkkkkkkkk'],
    ['GATEWAY_APP_ID', 'app:1'],
    ['PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES', 'yes'],
    ['CODEC_SERVER_PORT', '70000'],
    ['CODEC_SERVER_UI_ORIGINS', 'https://ui.example/path'],
    ['CODEC_SERVER_UI_ORIGINS', '*'],
    ['CODEC_SERVER_TOKEN', 'too-short-a-token'],
    ['CODEC_SERVER_SUPPORT_TOKEN', `${'a'.repeat(32)} with spaces`],
    ['CODEC_SERVER_JWKS_URL', 'login.example/jwks'],
    ['PAYMENTS_SEALING_JWKS', '{"keys":[{"kty":"EC","d":"private-part"'],
    ['PAYMENTS_SEALING_JWKS', '{"keys":[]}'],
    ['PAYMENTS_SEALING_JWKS', '{"kty":"EC","d":"private-part"}'],
    ['PAYMENTS_SEALING_PUBLIC_JWK', 'not-a-key'],
    ['PAYMENTS_SEALING_PUBLIC_JWK', '["not-a-key"]'],
    ['SIMULATOR_PORT', '-1'],
    ['SIMULATOR_PUBLIC_URL', 'simulator'],
    ['SIMULATOR_SPEED', 'fast'],
    ['SIMULATOR_SPEED', '0'],
    ['CODEC_SERVER_INSECURE_VIEWERS', 'yes'],
    ['SIMULATOR_INSECURE_REMOTE_CONTROL', 'yes'],
    ['LOG_LEVEL', 'loud'],
  ])('%s=%s is refused with the name of the variable and without its value', (name, value) => {
    const said = refusal({ [name]: value });
    expect(said).toMatch(new RegExp(`^  - ${name}(\\.\\w+)*: \\S`, 'm'));
    // Short ones may be part of a word that tells what would be right.
    if (value.length > 3) expect(said).not.toContain(value);
  });

  const OF_EC = { kty: 'EC', crv: 'P-256', x: 'part-x', y: 'part-y' };
  const WRONG_KEYS: [name: string, what: string, value: unknown, says: RegExp][] = [
    ['PAYMENTS_SEALING_PUBLIC_JWK', 'a private key', { ...OF_EC, d: 'part-d' }, /private key.*make new keys/],
    ['PAYMENTS_SEALING_PUBLIC_JWK', 'a set of keys', { keys: [OF_EC] }, /set of keys: give the one public key/],
    ['PAYMENTS_SEALING_PUBLIC_JWK', 'a key without x', { ...OF_EC, x: '' }, /lacks x: .*keys new/],
    ['PAYMENTS_SEALING_PUBLIC_JWK', 'an RSA key', { kty: 'RSA', n: 'part-n' }, /elliptic curve/],
    ['PAYMENTS_SEALING_JWKS', 'a key outside of a set', { ...OF_EC, d: 'part-d' }, /one key: .*\{"keys":\[/],
    ['PAYMENTS_SEALING_JWKS', 'a public key', { keys: [{ ...OF_EC, d: 'd' }, OF_EC] }, /key 2 of 2 is a public key/],
    ['PAYMENTS_SEALING_JWKS', 'an empty set', { keys: [] }, /must be a set of private keys.*keys new/],
  ];
  test.each(WRONG_KEYS)('%s with %s is refused with what to do, and without the key', (name, _what, value, says) => {
    const said = refusal({ [name]: JSON.stringify(value) });
    expect(said).toMatch(new RegExp(`^  - ${name}: .*${says.source}`, 'm'));
    expect(said).not.toContain('part-');
  });

  test.each(['PAYMENTS_SEALING_JWKS', 'PAYMENTS_SEALING_PUBLIC_JWK'])(
    '%s that a shell took the quotes of is refused with where they belong',
    (name) => {
      expect(refusal({ [name]: '{kty:EC,x:part-x}' })).toMatch(new RegExp(`${name}: must be JSON: .*single quotes`));
    },
  );

  test('a schedule of pauses is refused with what its times are', () => {
    expect(refusal({ PAYMENTS_POLL_SCHEDULE: '15s,30s,1m,1m' })).toContain(
      'PAYMENTS_POLL_SCHEDULE: must grow: each time counts from the beginning, and not from the time before it',
    );
  });

  test('WEBHOOK_PUBLIC_URL without its beginning is refused with what an address is', () => {
    const said = refusal({ WEBHOOK_PUBLIC_URL: 'pay.shop.example/hooks' });
    expect(said).toMatch(/WEBHOOK_PUBLIC_URL: must be a whole address that begins with https:\/\//);
    expect(said).not.toContain('shop');
  });

  test.each(['https://shop.example/ipn/shop', 'https://shop.example/payments/ipn/shop/', 'https://shop.example/ipn'])(
    'WEBHOOK_PUBLIC_URL=%s, with the path that each order adds, is refused with where it should end',
    (url) =>
      expect(refusal({ WEBHOOK_PUBLIC_URL: url })).toContain(
        '  - WEBHOOK_PUBLIC_URL: must end before /ipn/{app_id}, which each order adds',
      ),
  );

  test.each([
    ['PAYMENT_LATE', 'PAYMENTS_LATE'],
    ['PAYMENTS_LATER', 'PAYMENTS_LATE'],
    ['PAYMENTS_QUEUE', 'PAYMENTS_OVERDUE'],
    ['GATEWAY_TIMEZONE', 'GATEWAY_TIME_ZONE'],
    ['WEBHOOK_ALLOWED_IP', 'WEBHOOK_ALLOWED_IPS'],
    ['PAYMENTS_ENCRYPTION_KEY_FILE', 'PAYMENTS_ENCRYPTION_KEYS_FILE'],
  ])('%s, which nobody knows, is refused with the nearest one, and without its value', (name, nearest) => {
    const said = refusal({ [name]: 'a-value' });
    expect(said).toContain(`  - ${name}: there is no such setting; do you mean ${nearest}?`);
    expect(said).not.toContain('a-value');
  });

  test('variables of other programs are left alone', () => {
    const others = ['PATH', 'PAYMENTS_SERVICE_HOST', 'PAYMENTS_PORT_8080_TCP', 'WEBHOOK_PUBLISHED_PORT', 'GATEWAY_URL'];
    expect(() => loadConfig(Object.fromEntries(others.map((name) => [name, 'x'])))).not.toThrow();
    expect(() => loadConfig({ PAYMENT_LATE: '' })).not.toThrow();
  });

  const APP = { GATEWAY_APP_ID: 'app-1', GATEWAY_SECRET_KEY: 'sk_single' };
  test.each(['GATEWAY_BASE_URL', 'WEBHOOK_PUBLIC_URL', 'CODEC_SERVER_JWKS_URL', 'PAYMENTS_EVENTS_URL'])(
    '%s without TLS is refused, but on loopback, for names without a dot, and where a flag allows it',
    (name) => {
      for (const host of ['gateway.example.com', '10.0.0.5', '[fd00::1]', '127.evil.example']) {
        expect(refusal({ ...APP, GATEWAY_BASE_URL: 'https://a.b', [name]: `http://${host}` })).toContain(
          `  - ${name}: must begin with https://`,
        );
      }
      for (const host of ['127.0.0.1:8470', '127.1.2.3', 'localhost', '[::1]:80', 'simulator:8470']) {
        expect(() => loadConfig({ [name]: `http://${host}` })).not.toThrow();
      }
      const flagged = { [name]: 'http://gateway.example.com', PAYMENTS_INSECURE_PLAIN_HTTP: 'true' };
      expect(() => loadConfig(flagged)).not.toThrow();
    },
  );

  test('PAYMENTS_EVENTS_URL does not take two addresses with a space between as one', () => {
    const urls = 'https://a.example.com/events https://b.example.com/events';
    expect(refusal({ PAYMENTS_EVENTS_URL: urls })).toContain('  - PAYMENTS_EVENTS_URL: has a space: separate');
  });

  test('PAYMENTS_EVENTS_URL is looked at in each of its addresses', () => {
    const urls = 'https://shop.example/events,http://10.0.0.5/events';
    expect(refusal({ PAYMENTS_EVENTS_URL: urls })).toContain('  - PAYMENTS_EVENTS_URL: must begin with https://');
  });

  test('every wrong setting is named in one refusal', () => {
    const said = refusal({ WEBHOOK_PORT: 'x', LOG_LEVEL: 'x', PAYMENTS_GRACE: 'x', PAYMENTS_TASK_QUEUE: 'fine' });
    expect(said.match(/^ {2}- \w+/gm)).toEqual(['  - WEBHOOK_PORT', '  - PAYMENTS_GRACE', '  - LOG_LEVEL']);
  });

  test('is refused with what the value should be', () => {
    expect(refusal({ PAYMENTS_GRACE: 'long' })).toContain('500ms, 30s, 15m, 1h or 3d');
    expect(refusal({ GATEWAY_SIGNATURE_SCHEME: 'x' })).toContain('"hex"|"t-v2"');
    expect(refusal({ GATEWAY_TIME_ZONE: 'x' })).toContain('IANA time zone');
  });
});

describe('a setting from a file', () => {
  const JWK = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
  const PRIVATE = { keys: [{ ...JWK, d: 'd' }] };

  test.each<[name: keyof Config, text: string, value: unknown]>([
    ['GATEWAY_BASE_URL', 'https://gateway.example', 'https://gateway.example'],
    ['GATEWAY_APP_ID', 'app-1', 'app-1'],
    ['PAYMENTS_ENCRYPTION_KEYS', `k1:${base64(1)}`, [{ id: 'k1', key: Buffer.alloc(32, 1) }]],
    ['CODEC_SERVER_TOKEN', 'a'.repeat(32), 'a'.repeat(32)],
    ['CODEC_SERVER_SUPPORT_TOKEN', 'b'.repeat(32), 'b'.repeat(32)],
    ['PAYMENTS_SEALING_JWKS', JSON.stringify(PRIVATE), PRIVATE],
    ['PAYMENTS_SEALING_PUBLIC_JWK', JSON.stringify(JWK), JWK],
  ])('%s_FILE, without the newline at its end', (name, text, value) => {
    for (const end of ['', '\n', '\r\n']) {
      expect(loadConfig({ [`${name}_FILE`]: file(text + end) })[name]).toEqual(value);
    }
  });

  test('GATEWAY_SECRET_KEY_FILE gives the app its key', () => {
    const app = { GATEWAY_BASE_URL: 'https://gateway.example', GATEWAY_APP_ID: 'app-1' };
    const { apps } = loadConfig({ ...app, GATEWAY_SECRET_KEY_FILE: file(' key with spaces \n') });
    expect(apps).toEqual([
      { app_id: 'app-1', secret_key: ' key with spaces ', base_url: 'https://gateway.example', time_zone: 'UTC' },
    ]);
  });

  test('is refused when the variable itself is set too', () => {
    const said = refusal({ GATEWAY_SECRET_KEY: 'sk_one', GATEWAY_SECRET_KEY_FILE: file('sk_two') });
    expect(said).toContain('GATEWAY_SECRET_KEY and GATEWAY_SECRET_KEY_FILE are both set; keep one');
    expect(said).not.toContain('sk_');
  });

  test.each([
    'GATEWAY_BASE_URL_FILE',
    'GATEWAY_APP_ID_FILE',
    'GATEWAY_SECRET_KEY_FILE',
    'PAYMENTS_ENCRYPTION_KEYS_FILE',
    'CODEC_SERVER_TOKEN_FILE',
    'CODEC_SERVER_SUPPORT_TOKEN_FILE',
    'PAYMENTS_SEALING_JWKS_FILE',
    'PAYMENTS_SEALING_PUBLIC_JWK_FILE',
    'GATEWAY_APPS_FILE',
  ])('%s that cannot be read is named with the reason', (name) => {
    expect(refusal({ [name]: join(folder, 'none') })).toContain(`${name}: the file cannot be read (ENOENT)`);
    expect(refusal({ [name]: folder })).toContain(`${name}: the file cannot be read (EISDIR)`);
  });

  test('with a wrong value is refused without quoting it', () => {
    const said = refusal({ PAYMENTS_SEALING_JWKS_FILE: file('private-part') });
    expect(said).toContain('PAYMENTS_SEALING_JWKS: must be JSON');
    expect(said).not.toContain('private-part');
  });

  test('is refused as a key when the file is empty', () => {
    expect(refusal({ GATEWAY_SECRET_KEY_FILE: file('\n') })).toContain('GATEWAY_SECRET_KEY: ');
  });
});

const SINGLE = {
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_single',
};
const LISTED = { app_id: 'app-2', secret_key: 'sk_listed', base_url: 'https://gateway.example/v1' };

/** Settings with this list of apps. */
const listing = (apps: unknown, env: Environment = {}): Environment => ({
  ...env,
  GATEWAY_APPS_FILE: file(JSON.stringify(apps)),
});

describe('one gateway app', () => {
  test('has the time zone of its setting', () => {
    const { apps } = loadConfig({ ...SINGLE, GATEWAY_TIME_ZONE: 'America/Bogota' });
    expect(apps).toEqual([
      { app_id: 'app-1', secret_key: 'sk_single', base_url: 'https://gateway.example', time_zone: 'America/Bogota' },
    ]);
  });

  test('may lack a key, because callers that only start payments need none', () => {
    const { GATEWAY_SECRET_KEY: _none, ...env } = SINGLE;
    const config = loadConfig(env);
    expect(config).toMatchObject({ GATEWAY_APP_ID: 'app-1', apps: [] });
    expect(refusal(env, requireApps)).toContain('no gateway app: set GATEWAY_SECRET_KEY, too (or …_FILE)');
  });

  test('a key without GATEWAY_APP_ID is refused', () => {
    const said = refusal({ ...SINGLE, GATEWAY_APP_ID: undefined });
    expect(said).toContain('GATEWAY_SECRET_KEY needs GATEWAY_APP_ID beside it');
    expect(said).not.toContain('sk_single');
  });

  test('may lack GATEWAY_BASE_URL where only its notifications are verified, and not where the gateway is called', () => {
    const { GATEWAY_BASE_URL: _none, ...env } = SINGLE;
    expect(requireApps(loadConfig(env))).toMatchObject([{ app_id: 'app-1', secret_key: 'sk_single' }]);
    expect(refusal(env, requireGateways)).toContain('GATEWAY_SECRET_KEY needs GATEWAY_BASE_URL beside it');
    expect(refusal({}, requireApps)).toContain('no gateway app: set GATEWAY_APP_ID and GATEWAY_SECRET_KEY (or');
  });
});

test.each([
  ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'],
  ['TEMPORAL_WORKER_BUILD_ID', 'TEMPORAL_DEPLOYMENT_NAME'],
])('%s without %s is refused: the worker would run without a version', (given, missing) => {
  expect(refusal({ [given]: 'payments' })).toContain(`${given} is set without ${missing}`);
});

test.each(['GATEWAY_BASE_URL', 'PAYMENTS_EVENTS_URL', 'WEBHOOK_PUBLIC_URL'])(
  'a password in %s is refused, and not quoted',
  (name) => {
    const said = refusal({ [name]: 'https://me:sk_canary@shop.example/x' });
    expect(said).toContain(`${name}`);
    expect(said).toContain('must not hold a name or a password');
    expect(said).not.toContain('sk_canary');
  },
);

describe('GATEWAY_APPS_FILE', () => {
  test('adds several apps to the single one', () => {
    const global = { ...LISTED, app_id: 'app-3', previous_secret_keys: ['sk_old'], global: true, time_zone: 'UTC' };
    const { apps } = loadConfig(listing([LISTED, global], SINGLE));
    expect(apps.map(({ app_id }) => app_id)).toEqual(['app-1', 'app-2', 'app-3']);
    expect(apps.slice(1)).toEqual([{ ...LISTED, time_zone: 'UTC' }, global]);
  });

  test('gives an app without a time zone that of GATEWAY_TIME_ZONE, as it had when it stood alone', () => {
    const own = { ...LISTED, app_id: 'app-3', time_zone: 'America/Bogota' };
    const { apps } = loadConfig(listing([LISTED, own], { GATEWAY_TIME_ZONE: 'America/Sao_Paulo' }));
    expect(apps.map(({ time_zone }) => time_zone)).toEqual(['America/Sao_Paulo', 'America/Bogota']);
  });

  test('drops the slash at the end of an address', () => {
    const { apps } = loadConfig(listing([{ ...LISTED, base_url: 'https://gateway.example/v1/' }]));
    expect(apps[0]?.base_url).toBe('https://gateway.example/v1');
  });

  test('with an empty list counts as no app', () => {
    expect(refusal(listing([]), requireApps)).toContain('no gateway app');
  });

  test.each<[what: string, apps: unknown, where: string]>([
    ['one app that is not in a list', LISTED, 'GATEWAY_APPS_FILE: '],
    ['an app without a key', [{ ...LISTED, secret_key: undefined }], 'GATEWAY_APPS_FILE: app app-2: secret_key: '],
    ['what is no app', [LISTED, 'sk_listed'], 'GATEWAY_APPS_FILE: app number 2: '],
    ['an empty key', [{ ...LISTED, secret_key: '' }], 'GATEWAY_APPS_FILE: app app-2: secret_key: '],
    [
      'a wrong address',
      [LISTED, { ...LISTED, app_id: 'app-3', base_url: 'sk_listed' }],
      'GATEWAY_APPS_FILE: app app-3: base_url: ',
    ],
    [
      'an app_id that is too long',
      [{ ...LISTED, app_id: 'sk_listed'.repeat(4) }],
      'GATEWAY_APPS_FILE: app number 1: app_id: ',
    ],
    [
      'a time zone that there is not',
      [{ ...LISTED, time_zone: 'sk_listed' }],
      'GATEWAY_APPS_FILE: app app-2: time_zone: ',
    ],
    [
      'previous keys that are no list',
      [{ ...LISTED, previous_secret_keys: 'sk_listed' }],
      'app app-2: previous_secret_keys: ',
    ],
    ['a misspelt field', [{ ...LISTED, secret: 'sk_listed' }], 'app app-2: has a field besides app_id, secret_key'],
    [
      'a secret in a field’s place',
      [{ ...LISTED, sk_listed: 'x' }],
      'app app-2: has a field besides app_id, secret_key',
    ],
    [
      'a password in an address',
      [{ ...LISTED, base_url: 'https://me:sk_listed@gateway.example' }],
      'app app-2: base_url: must not hold a name or a password',
    ],
    [
      'an app twice',
      [LISTED, { ...LISTED, secret_key: 'sk_listed_too' }],
      'GATEWAY_APPS_FILE: an app_id is given twice',
    ],
  ])('with %s is refused by its app and field, without a value', (_, apps, where) => {
    const said = refusal(listing(apps));
    expect(said).toContain(where);
    expect(said).not.toContain('sk_listed');
  });

  test('that repeats the single app is refused, because two keys would compete', () => {
    expect(refusal(listing([{ ...LISTED, app_id: 'app-1' }], SINGLE))).toContain('given twice');
  });

  test('that is not JSON is refused without quoting it', () => {
    const said = refusal({ GATEWAY_APPS_FILE: file('app_id=app-2 secret_key=sk_listed') });
    expect(said).toContain('GATEWAY_APPS_FILE: must be JSON');
    expect(said).not.toContain('sk_listed');
  });
});

describe('a start with settings that give up protection', () => {
  const GIVES_UP = SETTING_NAMES.filter((name) => /_(INSECURE|MIGRATION)_/.test(name));
  const warnings = (env: Environment, program: Parameters<typeof warnOfRisks>[1]) => {
    const warn = jest.fn<void, [object, string]>();
    warnOfRisks(loadConfig(env), program, { warn });
    return warn.mock.calls.map(([, message]) => message);
  };

  test('each of them that is on has a line in the log of a program that reads it, with what is at risk', () => {
    const env = Object.fromEntries(GIVES_UP.map((name) => [name, 'true']));
    const lines = new Set([
      ...warnings(env, 'worker'),
      ...warnings(env, 'codec server'),
      ...warnings(env, 'simulator'),
    ]);
    expect([...lines].map((line) => line.split(' is on: ')[0]).sort()).toEqual([...GIVES_UP].sort());
    for (const line of lines) expect(line).toMatch(/ is on: .{30,}\.$/);
  });

  test('a program says nothing of those that it does not read, and of those that are off', () => {
    expect(warnings({ SIMULATOR_INSECURE_REMOTE_CONTROL: 'true' }, 'worker')).toEqual([]);
    expect(warnings({ CODEC_SERVER_INSECURE_VIEWERS: 'true' }, 'webhook')).toEqual([]);
    expect(warnings({}, 'worker')).toEqual([]);
  });
});
