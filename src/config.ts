/**
 * Every setting: its environment variable, its type and its default, in one place. Read once, at the edge; nothing else
 * reads the environment. Temporal's own variables (TEMPORAL_ADDRESS, …) are read by Temporal's environment configuration.
 */
import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { types } from 'node:util';
import { z } from 'zod';
import { DAY, HOUR, MINUTE } from './gateway/durations';
import { RULE_DEFAULTS, type RuleSettings } from './gateway/rules';
import { SIGNATURE_SCHEMES } from './gateway/signing';
import { WALLET_TOKEN_PATH } from './gateway/wallet-token';
import { networks } from './webhook/addresses';
import { DEFAULT_LIMITS } from './webhook/limits';

/** A setting that cannot be used; the message names the variable and what it should hold, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };

/** `90s`, `15m`, `1h` as milliseconds. */
const duration = z.string().transform((text, ctx) => {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  if (count && unit) return Number(count) * (UNITS[unit] ?? 0);
  ctx.addIssue({ code: 'custom', message: 'must be a duration such as 500ms, 30s, 15m, 1h or 3d' });
  return z.NEVER;
});

/** A time that something must take: without it a call would have no bound, or a pause would be none. */
const pause = duration.refine((ms) => ms > 0, 'must be longer than nothing');

const schedule = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(duration).min(1))
  .refine((times) => times.every((at, i) => at > (times[i - 1] ?? 0)), 'must grow from one time to the next');

const port = z.coerce.number().int().min(0).max(65_535);
/** Where to listen: an address of this machine with a port. */
const listenAddress = z.string().refine((text) => {
  const [, six, four = '', at] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  return (six ? isIPv6(six) : isIPv4(four)) && Number(at) > 0 && Number(at) <= 65_535;
}, 'must be an IP address with a port, such as 127.0.0.1:9464 or [::1]:9464');
const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
/** Names separated by commas; none where the text is empty. */
const names = z.string().transform((text) =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
);
const networkList = names.refine((list) => {
  try {
    return Boolean(networks(list));
  } catch {
    return false;
  }
}, 'must be networks such as 203.0.113.0/24,2001:db8::/32, separated by commas');
/** How many may come, or be there, at a time. */
const limit = z.coerce.number().int().positive();
const webAddress = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/$/, ''));

const part = z.string().exactOptional();
/** An elliptic-curve key; sealing.ts says which curves it takes. */
const jwk = z.object({ kty: z.string(), kid: part, crv: part, x: part, y: part, d: part, alg: part, use: part });
const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, ctx): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        ctx.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** `id:base64` of 32 bytes, separated by commas or line breaks; the first one encrypts. */
const encryptionKeys = z.string().transform((text, ctx) => {
  const keys = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(encryptionKey);
  const [first, ...others] = keys.filter((key) => key !== undefined);
  const ids = new Set(keys.map((key) => key?.id));
  if (first && others.length + 1 === keys.length && ids.size === keys.length) return [first, ...others] as const;
  const message =
    'must be id:base64 of 32 bytes, several separated by commas, each id once (payment-gateway keys new makes one)';
  ctx.addIssue({ code: 'custom', message });
  return z.NEVER;
});

function encryptionKey(text: string): { id: string; key: Uint8Array } | undefined {
  const [, id, base64] = /^([\w.-]{1,64}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  return id && base64 ? { id, key: Buffer.from(base64, 'base64') } : undefined;
}

const sealingJwks = json(z.object({ keys: z.array(jwk).min(1) }));

/** What a web page's address begins with, as browsers name it. */
const origins = names.pipe(
  z.array(
    z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text, {
      message: 'must be origins such as https://temporal.example.com, without a path',
    }),
  ),
);
/** Guessing it must be hopeless. */
const bearerToken = z.string().regex(/^[\w\-.~+/]{32,}=*$/, 'must be 32 or more letters and digits');

const timeZone = z.string().refine((zone) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}, 'must be an IANA time zone');

const app = z.strictObject({
  app_id: z.string().min(1).max(32),
  secret_key: z.string().min(1),
  previous_secret_keys: z.array(z.string().min(1)).optional(),
  base_url: webAddress,
  global: z.boolean().optional(),
  time_zone: timeZone.optional(),
});

/** The settings by environment variable. Those marked as secret may also be given as a file, by `…_FILE`. */
const environment = z.object({
  PAYMENTS_TASK_QUEUE: z.string().min(1).default('payments'),

  GATEWAY_BASE_URL: webAddress.optional(),
  GATEWAY_APP_ID: z.string().min(1).max(32).optional(),
  GATEWAY_SECRET_KEY: z.string().min(1).optional(),
  GATEWAY_APPS_FILE: z.string().min(1).optional(),
  GATEWAY_TIME_ZONE: timeZone.default('UTC'),
  GATEWAY_SIGNATURE_HEADER: z.string().min(1).default('Service-Signature'),
  GATEWAY_SIGNATURE_SCHEME: z.enum(SIGNATURE_SCHEMES).default('hex'),
  // One exchange takes a connection and twice the answer's time, and must end before its activity's 60 s do.
  GATEWAY_CONNECT_TIMEOUT: pause.refine((ms) => ms <= 5_000, 'at most 5s').default(5_000),
  GATEWAY_ANSWER_TIMEOUT: pause.refine((ms) => ms <= 25_000, 'at most 25s').default(15_000),

  // The real path carries the wallet provider's name.
  GATEWAY_WALLET_TOKEN_PATH: z
    .string()
    .regex(/^\/[\w\-./~%]+$/, 'must be a path such as /trade/get-wallet-client-token')
    .default(WALLET_TOKEN_PATH),
  // Two methods bear masked names in the interface; these are what they are called at this gateway.
  GATEWAY_BANK_LIST_METHODS: names.default([...RULE_DEFAULTS.bank_list_methods]),
  GATEWAY_VOUCHER_METHODS: names.default([...RULE_DEFAULTS.voucher_methods]),
  GATEWAY_HTTPS_CHANNELS: names.optional(),
  GATEWAY_STRICT_FORMATS: z.enum(['warn', 'refuse']).default(RULE_DEFAULTS.formats),
  GATEWAY_CALLS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).default(50),
  GATEWAY_CIRCUIT_FAILURES: z.coerce.number().int().min(1).max(1_000).default(10),
  GATEWAY_CIRCUIT_PAUSE: duration.default(15_000),

  WEBHOOK_HOST: z.string().min(1).default('127.0.0.1'),
  WEBHOOK_PORT: port.default(8_480),
  WEBHOOK_PUBLIC_URL: webAddress.optional(),
  WEBHOOK_ALLOWED_IPS: networkList.optional(),
  WEBHOOK_TRUSTED_PROXIES: networkList.optional(),
  WEBHOOK_ACK_TIMEOUT: pause.refine((ms) => ms <= 30_000, 'at most 30s').default(5_000),
  WEBHOOK_LIMIT_PER_ADDRESS: limit.default(DEFAULT_LIMITS.per_address),
  WEBHOOK_LIMIT_OVERALL: limit.default(DEFAULT_LIMITS.overall),
  WEBHOOK_LIMIT_ADOPTIONS: limit.default(DEFAULT_LIMITS.adoptions),
  WEBHOOK_LIMIT_IN_FLIGHT: limit.default(DEFAULT_LIMITS.in_flight),
  WEBHOOK_LIMIT_CONNECTIONS: limit.default(DEFAULT_LIMITS.connections),
  WEBHOOK_STOP_DELAY: duration.default(5_000),

  PAYMENTS_POLL_SCHEDULE: schedule.default([15_000, 30_000, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE]),
  PAYMENTS_POLL_EVERY: pause.default(HOUR),
  PAYMENTS_SETTLING: duration.default(30_000),
  // Past the last retry of a notification, which comes 840 minutes after the first.
  PAYMENTS_GRACE: duration.default(850 * MINUTE),
  PAYMENTS_CONFIRM_BY_QUERY: flag.default(true),
  PAYMENTS_LATE: z.enum(['attention', 'accept', 'refund']).default('attention'),
  PAYMENTS_RISK_CONTROL: duration.default(4 * DAY + HOUR),
  PAYMENTS_WATCH_WINDOW: duration.default(0),

  PAYMENTS_ACCOUNT_CHECK_EVERY: pause.default(DAY),
  PAYMENTS_ACCOUNT_UNKNOWN: z.enum(['attention', 'again']).default('attention'),
  PAYMENTS_ACCOUNTS_LOW: z.coerce.number().int().min(0).default(10),

  NODE_ENV: z.string().optional(),
  PAYMENTS_ENCRYPTION_KEYS: encryptionKeys.optional(),
  PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: flag.default(false),
  PAYMENTS_SEALING_JWKS: sealingJwks.optional(),
  PAYMENTS_SEALING_PUBLIC_JWK: json(jwk).optional(),

  CODEC_SERVER_HOST: z.string().min(1).default('127.0.0.1'),
  CODEC_SERVER_PORT: port.default(8_490),
  CODEC_SERVER_UI_ORIGINS: origins.optional(),
  CODEC_SERVER_TOKEN: bearerToken.optional(),
  CODEC_SERVER_SUPPORT_TOKEN: bearerToken.optional(),
  CODEC_SERVER_JWKS_URL: webAddress.optional(),
  CODEC_SERVER_JWT_ISSUER: z.string().min(1).optional(),
  CODEC_SERVER_JWT_AUDIENCE: z.string().min(1).optional(),
  CODEC_SERVER_JWT_ROLES_CLAIM: z.string().min(1).default('roles'),
  CODEC_SERVER_JWT_SUPPORT_ROLE: z.string().min(1).default('payments-support'),

  SIMULATOR_HOST: z.string().min(1).default('127.0.0.1'),
  SIMULATOR_PORT: port.default(8_470),
  SIMULATOR_PUBLIC_URL: webAddress.optional(),
  SIMULATOR_DATA_FILE: z.string().min(1).optional(),
  SIMULATOR_SPEED: z.coerce.number().positive().max(1_000_000).default(1),
  SIMULATOR_INSECURE_REMOTE_CONTROL: flag.default(false),

  METRICS_ADDRESS: listenAddress.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

const FROM_FILES = [
  'GATEWAY_BASE_URL',
  'GATEWAY_APP_ID',
  'GATEWAY_SECRET_KEY',
  'PAYMENTS_ENCRYPTION_KEYS',
  'PAYMENTS_SEALING_JWKS',
  'PAYMENTS_SEALING_PUBLIC_JWK',
  'CODEC_SERVER_TOKEN',
  'CODEC_SERVER_SUPPORT_TOKEN',
] as const;

type Environment = Record<string, string | undefined>;

/**
 * Every setting with its value. `apps` holds the gateway's apps from either way of giving them; `sealing_jwks_file` names
 * the file that the sealing keys came from, which may change while a worker runs.
 */
export type Config = z.output<typeof environment> & {
  apps: z.output<typeof app>[];
  sealing_jwks_file?: string;
};

/** The names of all settings, for the documentation's tests. */
export const SETTING_NAMES = Object.keys(environment.shape);

/**
 * Reads the settings from environment variables and the files that they name.
 * Throws ConfigError naming each unusable variable; an app may be missing (see {@link requireApps}).
 */
export function loadConfig(env: Environment): Config {
  const given = withFiles(env);
  const parsed = environment.safeParse(given);
  if (!parsed.success) throw problems(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  const apps = [...singleApp(parsed.data), ...listedApps(parsed.data.GATEWAY_APPS_FILE)];
  if (new Set(apps.map(({ app_id }) => app_id)).size < apps.length) {
    throw problems(['GATEWAY_APPS_FILE: an app_id is given twice (GATEWAY_APP_ID counts); keep one']);
  }
  const { PAYMENTS_SEALING_JWKS_FILE: file } = given;
  return { ...parsed.data, apps, ...(file === undefined ? {} : { sealing_jwks_file: file }) };
}

/** The sealing keys that a file holds now. Throws ConfigError. */
export function readSealingJwks(file: string): z.output<typeof sealingJwks> {
  const parsed = sealingJwks.safeParse(readSecret('PAYMENTS_SEALING_JWKS_FILE', file));
  if (parsed.success) return parsed.data;
  throw problems(parsed.error.issues.map((i) => ['PAYMENTS_SEALING_JWKS_FILE', ...i.path, i.message].join(': ')));
}

/** How orders are held against the interface, where it masks something or leaves it open. */
export function ruleSettings(config: Config): RuleSettings {
  return {
    bank_list_methods: config.GATEWAY_BANK_LIST_METHODS,
    voucher_methods: config.GATEWAY_VOUCHER_METHODS,
    https_channels: config.GATEWAY_HTTPS_CHANNELS ?? RULE_DEFAULTS.https_channels,
    formats: config.GATEWAY_STRICT_FORMATS,
  };
}

/** The configured apps; throws ConfigError with the way to configure one where there is none. */
export function requireApps(config: Config): Config['apps'] {
  if (config.apps.length > 0) return config.apps;
  throw problems([
    'no gateway app: set GATEWAY_BASE_URL, GATEWAY_APP_ID and GATEWAY_SECRET_KEY (or …_FILE), or GATEWAY_APPS_FILE for several',
  ]);
}

function withFiles(env: Environment): Environment {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  for (const name of FROM_FILES) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) throw problems([`${name} and ${name}_FILE are both set; keep one`]);
    given[name] = readSecret(`${name}_FILE`, file);
  }
  return given;
}

/** Secrets in files mostly end with a newline that is not part of them. */
function readSecret(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const code = types.isNativeError(error) && 'code' in error ? String(error.code) : 'unreadable';
    throw problems([`${variable}: the file cannot be read (${code})`]);
  }
}

function singleApp(env: z.output<typeof environment>): Config['apps'] {
  const { GATEWAY_APP_ID: app_id, GATEWAY_SECRET_KEY: secret_key, GATEWAY_BASE_URL: base_url } = env;
  if (app_id && secret_key && base_url) return [{ app_id, secret_key, base_url, time_zone: env.GATEWAY_TIME_ZONE }];
  if (!secret_key) return [];
  throw problems(['GATEWAY_SECRET_KEY needs GATEWAY_APP_ID and GATEWAY_BASE_URL beside it']);
}

function listedApps(file: string | undefined): Config['apps'] {
  if (file === undefined) return [];
  const parsed = json(z.array(app)).safeParse(readSecret('GATEWAY_APPS_FILE', file));
  if (parsed.success) return parsed.data;
  throw problems(parsed.error.issues.map((i) => `GATEWAY_APPS_FILE: ${[...i.path, i.message].join(': ')}`));
}

function problems(lines: string[]): ConfigError {
  return new ConfigError(`The settings cannot be used:\n${lines.map((line) => `  - ${line}`).join('\n')}`);
}
