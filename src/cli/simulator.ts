/** `payment-gateway simulator`: runs the simulated gateway as a server, for the apps of the settings or for a test app. */
import type { Environment } from '../process/environment';
import { listen } from '../process/listen';
import { createLogger } from '../process/log';
import { type Config, loadConfig, warnOfRisks } from '../process/settings';
import { stopSignal } from '../process/signals';
import { ConfigError } from '../process/user-error';
import { type SettingsChange, type Simulator, type SimulatorApp, settingsSchema, startSimulator } from '../simulator';
import { complain } from './print';
import { jsonOf } from './read-json';

interface SimulatorCommand {
  /** Settings of the simulator as `name=value`. */
  set: string[];
}

/** The app, if the settings name none. Its key is no secret: it is in the documentation, and no money moves. */
const TEST_APP = { app_id: 'test-app', secret_key: 'test-key' } as const;

/** Runs the simulated gateway until SIGINT or SIGTERM. Throws ConfigError. */
export async function simulator(env: Environment, { set }: SimulatorCommand = { set: [] }): Promise<void> {
  const config = loadConfig(env);
  const log = createLogger('simulator', config.LOG_LEVEL);
  warnOfRisks(config, 'simulator', log);
  const apps = appsOf(config);
  const stopped = stopSignal();
  const { SIMULATOR_HOST: host, SIMULATOR_PORT: port } = config;
  const start = () =>
    startSimulator({
      signatureHeader: config.GATEWAY_SIGNATURE_HEADER,
      signatureScheme: config.GATEWAY_SIGNATURE_SCHEME,
      ...changesOf(set),
      host,
      port,
      publicUrl: config.SIMULATOR_PUBLIC_URL,
      dataFile: config.SIMULATOR_DATA_FILE,
      clock: { speed: config.SIMULATOR_SPEED },
      allowRemoteControl: config.SIMULATOR_INSECURE_REMOTE_CONTROL,
      apps,
      // Logs of all programs use this name for the field.
      log: (message, { out_trade_no: order, ...details }: Record<string, unknown>) =>
        log.info({ ...details, order }, message),
    });
  const settings = { host: 'SIMULATOR_HOST', port: 'SIMULATOR_PORT' };
  const running = await listen({ what: 'The simulator', host, port, settings }, start);
  complain(greeting(running, apps));
  log.info({ url: running.url }, 'the simulated gateway listens');
  await stopped;
  await running.close();
}

function appsOf({ apps, GATEWAY_APP_ID: app_id = TEST_APP.app_id }: Config): SimulatorApp[] {
  return apps.length > 0 ? apps : [{ ...TEST_APP, app_id }];
}

/** Settings from texts `name=value`: `refundTakes=0s`, `accountPool=5`, `notifyStatuses=["SUCCESS"]`. Throws ConfigError. */
function changesOf(texts: readonly string[]): SettingsChange {
  return Object.assign({}, ...texts.map(changeOf));
}

function changeOf(text: string): SettingsChange {
  const [, name = text, value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  const known = Object.keys(settingsSchema.shape);
  if (!known.includes(name)) throw wrong(`There is no setting ${name}; there are ${known.join(', ')}.`);
  // Most values are words. Numbers, lists, true and false are read as JSON.
  const asWord = settingsSchema.partial().safeParse({ [name]: value });
  const read = asWord.success ? asWord : settingsSchema.partial().safeParse({ [name]: jsonOf(value) ?? value });
  if (read.success) return read.data;
  const why = read.error.issues.map(({ message }) => message).join('; ');
  throw wrong(`The setting ${name} cannot be ${value === '' ? 'empty' : value}: ${why}.`);
}

function wrong(why: string): ConfigError {
  return new ConfigError(`--set: ${why}`);
}

/** The first lines for a person, beside the log on standard error. Only the public test key is shown. */
function greeting({ url, deskUrl, openApiUrl }: Simulator, apps: readonly SimulatorApp[]): string {
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
  ].join('\n');
}
