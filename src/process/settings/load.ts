/** Reads the settings from the environment and from the files that it names. */
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import { z } from 'zod';
import type { GatewayApp } from '../../gateway';
import { nearestOf } from '../../gateway/pure/nearest';
import { RULE_DEFAULTS, type RuleSettings } from '../../gateway/rules';
import type { Environment } from '../environment';
import { ConfigError } from '../user-error';
import { appId } from './gateway';
import { exposedAddresses, isExposed } from './plain-http';
import { environment, FROM_FILES, SETTING_NAMES } from './schema';
import { sealingJwks } from './sealing-types';
import { httpAddress, jsonText, secretKey, timeZone } from './types';

/** One app of GATEWAY_APPS_FILE. */
const app = z.strictObject({
  app_id: appId,
  secret_key: secretKey,
  previous_secret_keys: z.array(secretKey).optional(),
  base_url: httpAddress,
  global: z.boolean().optional(),
  time_zone: timeZone.optional(),
});

/** Reads the names of apps even if something else about them is wrong. */
const appNames = jsonText(z.array(app.pick({ app_id: true }).loose().nullable().catch(null)));

/** An app with a key, which is all that verifies notifications. */
type KeyedApp = Omit<GatewayApp, 'base_url'> & { base_url?: string | undefined };

/**
 * Every setting with its value. `apps` holds the gateway's apps from either way of giving them; `sealing_jwks_file` names
 * the file that the sealing keys came from, which may change while a worker runs.
 */
export type Config = z.output<typeof environment> & {
  apps: KeyedApp[];
  sealing_jwks_file?: string;
};

/**
 * Reads the settings from environment variables and the files that they name.
 * Throws ConfigError naming each unusable variable; an app may be missing (see {@link requireApps}).
 */
export function loadConfig(env: Environment): Config {
  const given = withFiles(env);
  const parsed = environment.safeParse(given);
  const unknown = unknownSettings(given);
  if (!parsed.success || unknown.length > 0) {
    const issues = parsed.error?.issues ?? [];
    throw problems([...issues.map(({ path, message }) => `${String(path[0])}: ${message}`), ...unknown]);
  }
  const apps = [...singleApp(parsed.data), ...listedApps(parsed.data)];
  if (new Set(apps.map(({ app_id }) => app_id)).size < apps.length) {
    throw problems(['GATEWAY_APPS_FILE: an app_id is given twice (GATEWAY_APP_ID counts); keep one']);
  }
  assertTls(parsed.data, apps);
  assertWholeVersion(parsed.data);
  if (parsed.data.METRICS_ADDRESS !== undefined && parsed.data.METRICS_OTLP_URL !== undefined)
    throw problems(['METRICS_ADDRESS and METRICS_OTLP_URL are both set: metrics are served or pushed; keep one']);
  const { PAYMENTS_SEALING_JWKS_FILE: file } = given;
  return { ...parsed.data, apps, ...(file === undefined ? {} : { sealing_jwks_file: file }) };
}

/** The names of all settings, and of those that name a file with one. */
const KNOWN = new Set([...SETTING_NAMES, ...FROM_FILES.map((name) => `${name}_FILE`)]);

/** A name counts as misspelt if at most this many letters of it are wrong, missing or too many. */
const SLIPS = 2;
/** What Kubernetes sets for a service with the name `payments`. */
const OF_KUBERNETES = /_(SERVICE_(HOST|PORT.*)|PORT(_.*)?)$/;

/**
 * A sentence for each variable that is no setting but looks like one: its name begins with `PAYMENTS_`, or nearly equals a
 * setting's. With a misspelt name, money would move by the default. Other names may belong to other programs.
 */
function unknownSettings(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    if (KNOWN.has(name) || !/^[A-Z]+S?_/.test(name)) return [];
    const isOurs = name.startsWith('PAYMENTS_') && !OF_KUBERNETES.test(name);
    const nearest = nearestOf(name, [...KNOWN], isOurs ? Number.POSITIVE_INFINITY : SLIPS);
    return nearest === undefined ? [] : [`${name}: there is no such setting; do you mean ${nearest}?`];
  });
}

function assertTls(given: z.output<typeof environment>, apps: Config['apps']): void {
  if (given.PAYMENTS_INSECURE_PLAIN_HTTP) return;
  const { GATEWAY_BASE_URL, WEBHOOK_PUBLIC_URL, CODEC_SERVER_JWKS_URL, METRICS_OTLP_URL } = given;
  // An error names GATEWAY_BASE_URL for an app that has its address from that setting.
  const others = apps.filter(({ base_url }) => base_url !== GATEWAY_BASE_URL);
  const exposed = exposedAddresses({
    ...Object.fromEntries(others.map(({ app_id, base_url }) => [`base_url of app ${app_id}`, base_url])),
    GATEWAY_BASE_URL,
    WEBHOOK_PUBLIC_URL,
    CODEC_SERVER_JWKS_URL,
    PAYMENTS_EVENTS_URL: given.PAYMENTS_EVENTS_URL?.find(isExposed),
    METRICS_OTLP_URL,
  });
  if (exposed.length > 0) throw problems(exposed);
}

/** A version that lacks a part would run without versioning, and nobody would notice before the next deploy. */
function assertWholeVersion(config: z.output<typeof environment>): void {
  const parts = ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'] as const;
  const missing = parts.find((name) => config[name] === undefined);
  const given = parts.find((name) => config[name] !== undefined);
  if (missing && given) throw problems([`${given} is set without ${missing}: set both for worker versioning, or none`]);
}

/** The sealing keys that a file holds now. Throws ConfigError. */
export function readSealingJwks(file: string): z.output<typeof sealingJwks> {
  const parsed = sealingJwks.safeParse(readSecret('PAYMENTS_SEALING_JWKS_FILE', file));
  if (parsed.success) return parsed.data;
  throw problems(parsed.error.issues.map((i) => ['PAYMENTS_SEALING_JWKS_FILE', ...i.path, i.message].join(': ')));
}

/** The settings for checking orders, where the interface masks something or leaves it open. */
export function ruleSettings(config: Config): RuleSettings {
  return {
    bank_list_methods: config.GATEWAY_BANK_LIST_METHODS,
    voucher_methods: config.GATEWAY_VOUCHER_METHODS,
    https_channels: config.GATEWAY_HTTPS_CHANNELS ?? RULE_DEFAULTS.https_channels,
    method_currencies: config.GATEWAY_METHOD_CURRENCIES ?? RULE_DEFAULTS.method_currencies,
    formats: config.GATEWAY_STRICT_FORMATS,
  };
}

/** The configured apps; throws ConfigError, which says how to configure one, if there is none. */
export function requireApps(config: Config, names: readonly NameOfApp[] = KEY_NAMES): Config['apps'] {
  if (config.apps.length > 0) return config.apps;
  const missing = names.filter((name) => !config[name]);
  const toSet =
    missing.length < names.length
      ? `${missing.join(' and ')}, too (or …_FILE)`
      : `${names.join(', ').replace(/, (?=\w+$)/, ' and ')} (or …_FILE), or GATEWAY_APPS_FILE for several`;
  throw problems([`no gateway app: set ${toSet}`]);
}

/** The same for who calls the gateway, and needs its address, too. */
export function requireGateways(config: Config): GatewayApp[] {
  return requireApps(config, ['GATEWAY_BASE_URL', ...KEY_NAMES]).map((one) => {
    if (!isCallable(one)) throw problems(['GATEWAY_SECRET_KEY needs GATEWAY_BASE_URL beside it']);
    return one;
  });
}

/** Whether the app has the address of its gateway. */
export const isCallable = (one: KeyedApp): one is GatewayApp => one.base_url !== undefined;

/** The variables that are not empty, and those that a file holds. */
function withFiles(env: Environment): Environment {
  const given: Record<string, string | undefined> = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  for (const name of FROM_FILES) {
    const text = settingOrFile(given, name);
    if (text !== undefined) given[name] = text;
  }
  return given;
}

/** A setting, or the content of the file that `…_FILE` names; undefined if neither is set. Throws ConfigError. */
export function settingOrFile(env: Environment, name: string): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || undefined;
  if (env[name]) throw problems([`${name} and ${name}_FILE are both set; keep one`]);
  return readSecret(`${name}_FILE`, file);
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

/** What an app has to have. Only who calls the gateway needs its address. */
const KEY_NAMES = ['GATEWAY_APP_ID', 'GATEWAY_SECRET_KEY'] as const;
type NameOfApp = 'GATEWAY_BASE_URL' | (typeof KEY_NAMES)[number];

function singleApp(env: z.output<typeof environment>): Config['apps'] {
  const { GATEWAY_APP_ID: app_id, GATEWAY_SECRET_KEY: secret_key, GATEWAY_BASE_URL: base_url } = env;
  if (!secret_key) return [];
  if (!app_id) throw problems(['GATEWAY_SECRET_KEY needs GATEWAY_APP_ID beside it']);
  return [{ app_id, secret_key, base_url, time_zone: env.GATEWAY_TIME_ZONE }];
}

/** An app without a time zone gets that of the setting, which applied to the app when it was configured alone. */
function listedApps({ GATEWAY_APPS_FILE: file, GATEWAY_TIME_ZONE }: z.output<typeof environment>): Config['apps'] {
  if (file === undefined) return [];
  const text = readSecret('GATEWAY_APPS_FILE', file);
  const parsed = jsonText(z.array(app)).safeParse(text);
  if (parsed.success) return parsed.data.map((one) => ({ time_zone: GATEWAY_TIME_ZONE, ...one }));
  // A field may hold a secret by mistake, so its value is not quoted.
  const said = ({ code, message }: z.core.$ZodIssue) =>
    code === 'unrecognized_keys' ? `has a field besides ${Object.keys(app.shape).join(', ')}` : message;
  const names = appNames.safeParse(text).data ?? [];
  throw problems(
    parsed.error.issues.map((issue) => {
      const [at, ...field] = issue.path;
      const which = typeof at === 'number' ? [names[at] ? `app ${names[at].app_id}` : `app number ${at + 1}`] : [];
      return ['GATEWAY_APPS_FILE', ...which, ...field, said(issue)].join(': ');
    }),
  );
}

function problems(lines: string[]): ConfigError {
  return new ConfigError(`The settings cannot be used:\n${lines.map((line) => `  - ${line}`).join('\n')}`);
}
