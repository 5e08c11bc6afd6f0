/** `payment-gateway simulator`: the simulated gateway as a server of its own, for the apps of the settings or a test app. */
import { types } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../config';
import { createLogger } from '../log';
import { type GatewayApp, runSimulator, type SettingsChange, type Simulator, settingsFrom } from '../simulator';

interface SimulatorCommand {
  /** Settings of the simulator as `name=value`. */
  set: string[];
}

/** Who may call where the settings name no app. The key is no secret: it is in the documentation, and no money moves. */
const TEST_APP = { app_id: 'test-app', secret_key: 'test-key' } as const;

export async function simulator(
  env: Record<string, string | undefined>,
  { set }: SimulatorCommand = { set: [] },
): Promise<void> {
  const config = loadConfig(withBaseUrl(env));
  const log = createLogger('simulator', config.LOG_LEVEL);
  const apps = appsOf(config);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  await runSimulator({
    signatureHeader: config.GATEWAY_SIGNATURE_HEADER,
    signatureScheme: config.GATEWAY_SIGNATURE_SCHEME,
    ...settingsOf(set),
    host: config.SIMULATOR_HOST,
    port: config.SIMULATOR_PORT,
    publicUrl: config.SIMULATOR_PUBLIC_URL,
    dataFile: config.SIMULATOR_DATA_FILE,
    clock: { speed: config.SIMULATOR_SPEED },
    allowRemoteControl: config.SIMULATOR_INSECURE_REMOTE_CONTROL,
    apps,
    log: (message, details) => log.info(details, message),
    signal: stop.signal,
    ready: (running) => {
      process.stderr.write(greeting(running, apps));
      log.info({ url: running.url }, 'the simulated gateway listens');
    },
  }).catch((error: unknown) => {
    throw isTaken(error)
      ? new ConfigError(
          `Port ${config.SIMULATOR_PORT} is taken: set SIMULATOR_PORT to another, or to 0 for a free one.`,
        )
      : error;
  });
}

/** An app of the settings needs an address of its gateway; the gateway itself needs none. */
function withBaseUrl(env: Record<string, string | undefined>): Record<string, string | undefined> {
  return env.GATEWAY_BASE_URL || env.GATEWAY_BASE_URL_FILE ? env : { ...env, GATEWAY_BASE_URL: 'http://127.0.0.1' };
}

function appsOf({ apps, GATEWAY_APP_ID: app_id = TEST_APP.app_id }: Config): GatewayApp[] {
  return apps.length > 0 ? apps : [{ ...TEST_APP, app_id }];
}

function settingsOf(texts: readonly string[]): SettingsChange {
  try {
    return settingsFrom(texts);
  } catch (error) {
    throw error instanceof RangeError ? new ConfigError(`--set: ${error.message}`) : error;
  }
}

/** What a person who started it wants to know, beside the log on standard error; a key is shown only where everybody knows it. */
function greeting({ url, deskUrl, openApiUrl }: Simulator, apps: readonly GatewayApp[]): string {
  const isTestKey = apps.some(({ secret_key }) => secret_key === TEST_APP.secret_key);
  return [
    'A simulated payment gateway, for tests: no money moves.',
    '',
    `  Gateway          ${url}`,
    `  Operator's desk  ${deskUrl}`,
    `  OpenAPI          ${openApiUrl}`,
    `  App id           ${apps.map(({ app_id }) => app_id).join(', ')}`,
    ...(isTestKey
      ? [
          `  Secret key       ${TEST_APP.secret_key} (known to everybody; GATEWAY_APP_ID and GATEWAY_SECRET_KEY set your own)`,
        ]
      : []),
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}

function isTaken(error: unknown): boolean {
  return types.isNativeError(error) && 'code' in error && error.code === 'EADDRINUSE';
}
