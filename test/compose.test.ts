/**
 * docker-compose.yml against the Compose specification and against our own programs. No container runs here, so this
 * checks what can be known without one.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { msToNumber } from '@temporalio/common/lib/time';
import Ajv from 'ajv';
import pino from 'pino';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../src/cli/dev/temporal';
import { dataConverter } from '../src/codec';
import { accessFrom } from '../src/codec/access';
import { newSealingKeys } from '../src/gateway';
import { Readiness, serveHealth } from '../src/process/health';
import { appIdsOf, ConfigError, loadConfig, requireApps, SETTING_NAMES } from '../src/process/settings';
import { startSimulator } from '../src/simulator';
import { temporalConfig } from '../src/temporal/connection';
import { SHUTDOWN_GRACE } from '../src/worker';

const ROOT = join(__dirname, '..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The Compose specification's own JSON schema, as dclint carries it. */
const schema: object = JSON.parse(
  readFileSync(join(dirname(require.resolve('dclint/package.json')), 'schemas/compose.schema.json'), 'utf8'),
);
// The schema has keywords of its authors, so Ajv must not be strict about it. The checks below look at formats.
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
// The schema names its dialect by an https address, which is not the name of draft 7.
const matches = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
function violations(compose: unknown): string[] {
  matches(compose);
  return (matches.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

// — Reading: variables, anchors and merge keys as Compose reads them, and one file over another —

/** Settings by name. Those that the example has as comments are defaults. */
function envFile(source: string, withComments = false): Record<string, string> {
  const lines = source.matchAll(/^(#?)([A-Z][A-Z0-9_]*)=(.*)$/gm);
  return Object.fromEntries(
    [...lines].filter(([, comment]) => withComments || !comment).map(([, , name = '', value = '']) => [name, value]),
  );
}
const EXAMPLE = envFile(text('.env.example'), true);

/** The file .env of a newcomer who tries the simulator. */
const FILLED_IN = {
  GATEWAY_BASE_URL: 'http://simulator:8470',
  GATEWAY_APP_ID: 'test-app',
  WEBHOOK_PUBLIC_URL: 'http://webhook:8480',
};

const PLACEHOLDER = /\$\{([A-Z0-9_]+)(?:(:?[-?])([^}]*))?\}/g;

function interpolate(source: string, env: Record<string, string>): string {
  return source.replace(PLACEHOLDER, (_, name: string, operator: string | undefined, rest = '') => {
    const value = env[name];
    if (value) return value;
    if (operator?.endsWith('-')) return rest;
    throw new Error(`${name}: ${rest}`);
  });
}

type Tree = { [key: string]: unknown };
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** One Compose file over another: mappings are merged, lists are appended to, everything else is replaced. */
function over(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) return [...below, ...above];
  if (!isTree(below) || !isTree(above)) return above;
  const merged = Object.entries(above).map(([key, value]) => [key, key in below ? over(below[key], value) : value]);
  return { ...below, ...Object.fromEntries(merged) };
}

const read = (path: string, env: Record<string, string> = FILLED_IN): unknown =>
  parse(interpolate(text(path), env), { merge: true });

const service = z.looseObject({
  image: z.string(),
  build: z.string().optional(),
  command: z.array(z.string()).default([]),
  profiles: z.array(z.string()).optional(),
  restart: z.string(),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
  secrets: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  stop_grace_period: z.string().default('10s'),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  deploy: z.object({ resources: z.object({ limits: z.object({ cpus: z.string(), memory: z.string() }) }) }),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.unknown()),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const plain = read('docker-compose.yml');
const sealed = over(plain, read('deploy/sealing.compose.yml'));
const FILES: [string, unknown][] = [
  ['docker-compose.yml', plain],
  ['docker-compose.yml with deploy/sealing.compose.yml over it', sealed],
];
const stack = composeFile.parse(sealed);
const services = Object.entries(stack.services);
const ours = services.filter(([, { image }]) => image.startsWith('temporal-payment-gateway:'));
const get = (name: string) => {
  const found = stack.services[name];
  if (!found) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const isJob = ({ restart }: { restart: string }) => restart === 'no';

// — What the specification says —

describe.each(FILES)('%s', (_, compose) => {
  test('follows the Compose specification', () => expect(violations(compose)).toEqual([]));

  test('has every anchor and merge key resolved', () => {
    expect(JSON.stringify(compose)).not.toContain('"<<"');
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(composeFile.parse(compose).services)) {
      expect({ name, read_only, cap_drop, security_opt }).toEqual({
        name,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });
});

test('the file for sealing gives the private keys to the worker only', () => {
  expect(get('worker').secrets).toEqual(['gateway_secret_key', 'encryption_keys', 'sealing_jwks']);
  expect(get('worker').environment).toMatchObject({
    GATEWAY_APP_ID: 'test-app',
    PAYMENTS_SEALING_JWKS_FILE: '/run/secrets/sealing_jwks',
  });
  for (const [name, { secrets }] of services) if (name !== 'worker') expect(secrets).not.toContain('sealing_jwks');
});

// — What our programs say —

test('worker, webhook, codec servers, simulator and setup use one image, which is built here', () => {
  const names = ['codec-server', 'local-codec-server', 'payments-setup', 'simulator', 'webhook', 'worker'];
  expect(ours.map(([name]) => name).sort()).toEqual(names);
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(text('package.json')));
  for (const [, { image, build }] of ours) {
    expect({ image, build }).toEqual({ image: `temporal-payment-gateway:${version}`, build: '.' });
  }
});

test.each(ours)('%s runs a command that payment-gateway has', (_, { command }) => {
  const commands = [...text('src/cli/main.ts').matchAll(/\.command\('([\w-]+)/g)].map(([, name]) => name);
  expect(command).toHaveLength(1);
  expect(commands).toContain(command[0]);
});

/** Whether a program of ours reads a variable: a setting, the file of a setting, or one of Temporal's own. */
function isRead(variable: string): boolean {
  if (SETTING_NAMES.includes(variable)) return true;
  const address = { TEMPORAL_ADDRESS: 'a.example:1', TEMPORAL_NAMESPACE: 'n' };
  if (variable in address) return JSON.stringify(temporalConfig(address)).includes('a.example');
  try {
    loadConfig({ [variable]: '/no/such/file' });
    return false;
  } catch (error) {
    return error instanceof ConfigError && error.message.includes(`${variable}: the file cannot be read`);
  }
}

test('isRead knows variables that programs read, and no others', () => {
  expect(['GATEWAY_APP_ID', 'GATEWAY_SECRET_KEY_FILE', 'TEMPORAL_NAMESPACE'].filter(isRead)).toHaveLength(3);
  expect(['GATEWAY_APPID', 'LOG_LEVEL_FILE', 'TEMPORAL_ADRESS', 'WEBHOOK_TLS'].filter(isRead)).toEqual([]);
});

test.each(ours)('%s reads every variable that it gets', (_, { environment }) => {
  expect(Object.keys(environment).filter((name) => !isRead(name))).toEqual([]);
});

describe('every variable of .env.example', () => {
  const asked = [...text('docker-compose.yml').matchAll(PLACEHOLDER)];

  test.each(Object.entries(EXAMPLE))('%s is read by the compose file or by our programs', (name) => {
    expect(asked.some(([, placeholder]) => placeholder === name) || isRead(name)).toBe(true);
  });

  test('which the compose file asks for is in .env.example, with the same default', () => {
    expect(asked.length).toBeGreaterThan(5);
    for (const [, name = '', operator, rest] of asked) {
      expect(EXAMPLE).toHaveProperty(name);
      expect([name, EXAMPLE[name]]).toEqual([name, operator === ':-' ? rest : '']);
    }
  });

  test('which must be filled in is asked for by name where it is empty', () => {
    for (const name of Object.keys(envFile(text('.env.example')))) {
      expect(() => read('docker-compose.yml', { ...FILLED_IN, [name]: '' })).toThrow(`${name}: `);
    }
  });

  test('which is a setting shows the setting’s default', () => {
    const defaults = new Map(Object.entries(loadConfig({})));
    for (const [name, value] of Object.entries(EXAMPLE)) {
      if (SETTING_NAMES.includes(name) && value !== '') expect([name, defaults.get(name)]).toEqual([name, value]);
    }
  });
});

/** A token as docs/docker.md makes one. */
const TOKEN = 'c0dec0'.repeat(8);

describe('started with its environment', () => {
  let secrets: string;
  beforeAll(async () => {
    secrets = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
    const { privateJwks } = await newSealingKeys('1');
    writeFileSync(join(secrets, 'gateway_secret_key'), 'the key\n');
    writeFileSync(join(secrets, 'encryption_keys'), `k1:${Buffer.alloc(32, 1).toString('base64')}\n`);
    writeFileSync(join(secrets, 'codec_server_token'), `${TOKEN}\n`);
    writeFileSync(join(secrets, 'sealing_jwks'), JSON.stringify(privateJwks));
  });
  afterAll(() => rmSync(secrets, { recursive: true }));

  /** The environment of a container, with files of this test as its secrets. */
  const environmentOf = (name: string) =>
    Object.fromEntries(
      Object.entries(get(name).environment).map(([key, value]) => [key, value.replace(/^\/run\/secrets/, secrets)]),
    );

  test.each(['worker', 'webhook', 'simulator'])('%s has its gateway app, with the key from the secret', (name) => {
    const [app] = requireApps(loadConfig(environmentOf(name)));
    expect(app).toMatchObject({ app_id: 'test-app', secret_key: 'the key', base_url: 'http://simulator:8470' });
  });

  test.each(['payments-setup', 'worker', 'webhook'])('%s finds Temporal', (name) => {
    const { connectionOptions, namespace } = temporalConfig(environmentOf(name));
    expect({ ...connectionOptions, namespace }).toMatchObject({ address: 'temporal:7233', namespace: 'payments' });
  });

  test('the setup makes the Schedules, also that of the app’s reconciliation: what measures and what finds the stuck needs them', () => {
    const config = loadConfig(environmentOf('payments-setup'));
    expect([config.PAYMENTS_SCHEDULES, appIdsOf(config)]).toEqual([true, ['test-app']]);
  });

  test('the worker knows the webhook’s address and has the sealing keys', () => {
    const config = loadConfig(environmentOf('worker'));
    expect(config.WEBHOOK_PUBLIC_URL).toBe('http://webhook:8480');
    expect(config.PAYMENTS_SEALING_JWKS?.keys).toHaveLength(1);
  });

  test.each(['worker', 'webhook'])('%s encrypts, and does not start without its keys', (name) => {
    expect(text('Dockerfile')).toContain('ENV NODE_ENV=production');
    const environment: Record<string, string> = { ...environmentOf(name), NODE_ENV: 'production' };
    expect(dataConverter(loadConfig(environment)).payloadCodecs).toHaveLength(1);
    const { PAYMENTS_ENCRYPTION_KEYS_FILE: _keys, ...without } = environment;
    expect(() => dataConverter(loadConfig(without))).toThrow(ConfigError);
  });

  test('webhook and simulator listen where their ports are published', () => {
    const webhook = loadConfig(environmentOf('webhook'));
    expect(webhook).toMatchObject({ WEBHOOK_HOST: '0.0.0.0' });
    // Docker's rules go past a firewall: a proxy on this machine is the door.
    expect(get('webhook').ports).toEqual([`127.0.0.1:8480:${webhook.WEBHOOK_PORT}`]);
    const simulator = loadConfig(environmentOf('simulator'));
    expect(simulator).toMatchObject({ SIMULATOR_HOST: '0.0.0.0', SIMULATOR_PUBLIC_URL: 'http://localhost:8470' });
    expect(get('simulator').ports).toEqual([`127.0.0.1:8470:${simulator.SIMULATOR_PORT}`]);
  });

  test('only the UI of the profile local decodes, for viewers, by a codec server that takes no other page', async () => {
    const flag = 'CODEC_SERVER_INSECURE_VIEWERS';
    expect(services.filter(([, { environment }]) => flag in environment).map(([name]) => name)).toEqual([
      'local-codec-server',
    ]);
    const codec = get('local-codec-server');
    const ui = get('local-ui');
    const [port = ''] = codec.ports[0]?.match(/127\.0\.0\.1:\d+/) ?? [];
    expect(ui.environment.TEMPORAL_CODEC_ENDPOINT).toBe(`http://${port.replace('127.0.0.1', 'localhost')}`);
    expect(get('temporal-ui').environment).not.toHaveProperty('TEMPORAL_CODEC_ENDPOINT');
    const config = loadConfig({ ...environmentOf('local-codec-server'), NODE_ENV: 'production' });
    expect(config.CODEC_SERVER_UI_ORIGINS).toEqual([ui.environment.TEMPORAL_CORS_ORIGINS]);
    expect(await accessFrom(config, String)(undefined)).toBe('viewer');
    expect(await accessFrom(config, String)(`Bearer ${TOKEN}`)).toBeUndefined();
  });

  describe('the codec server', () => {
    const config = () => loadConfig({ ...environmentOf('codec-server'), NODE_ENV: 'production' });

    test('listens on its published port, which only this machine reaches', () => {
      expect(config()).toMatchObject({ CODEC_SERVER_HOST: '0.0.0.0' });
      expect(get('codec-server').ports).toEqual([`127.0.0.1:8490:${config().CODEC_SERVER_PORT}`]);
    });

    test('decrypts only with its token, and of web pages only for Temporal UI', async () => {
      const access = accessFrom(config(), String);
      expect(await access(`Bearer ${TOKEN}`)).toBe('viewer');
      for (const wrong of [undefined, `Bearer ${TOKEN}0`]) expect(await access(wrong)).toBeUndefined();
      expect(config().CODEC_SERVER_UI_ORIGINS).toEqual([get('temporal-ui').environment.TEMPORAL_CORS_ORIGINS]);
    });
  });

  test('the simulator keeps its data in its volume, at a folder that the image makes', () => {
    const { SIMULATOR_DATA_FILE } = loadConfig(environmentOf('simulator'));
    expect(get('simulator').volumes).toEqual([`simulator-data:${dirname(SIMULATOR_DATA_FILE ?? '')}`]);
    expect(text('Dockerfile')).toContain('mkdir /data && chown node:node /data');
  });
});

// — Health checks and stops —

test.each(services)('%s has a health check, or is a job that ends', (_, service) => {
  expect(service.healthcheck === undefined).toBe(isJob(service));
});

test('the health check of each program passes while it is ready, and fails where it is not or is gone', async () => {
  /** The exit code of a service's health check, which here asks a server at another address. */
  async function check(name: string, url: string): Promise<number | null> {
    const [kind, program, ...args] = get(name).healthcheck?.test ?? [];
    expect([kind, program]).toEqual(['CMD', 'node']);
    const port = get(name).ports[0]?.split(':').at(-1);
    const { HEALTH_ADDRESS: health = `127.0.0.1:${port}` } = get(name).environment;
    const there = args.map((arg) => arg.replace(`http://${health}/`, `${url}/`));
    expect(there).not.toEqual(args);
    const child = spawn(process.execPath, there, { stdio: 'ignore' });
    return new Promise((resolve) => child.on('exit', resolve));
  }
  const simulator = await startSimulator({ apps: [{ app_id: 'a', secret_key: 'k' }] });
  const HEALTH_ADDRESS = `127.0.0.1:${(await freePort(0)).port}`;
  let why: string | undefined;
  const server = await serveHealth({ HEALTH_ADDRESS }, new Readiness(() => why), pino({ level: 'silent' }));
  const checks = async () => {
    const others = ['worker', 'webhook', 'codec-server'].map((name) => check(name, `http://${HEALTH_ADDRESS}`));
    return Promise.all([check('simulator', simulator.url), ...others]);
  };
  expect(await checks()).toEqual([0, 0, 0, 0]);
  why = 'Temporal cannot be reached';
  await simulator.close();
  expect(await checks()).toEqual([1, 1, 1, 1]);
  await server?.close();
});

test('the worker’s container may take longer to stop than the worker waits for the gateway', () => {
  expect(msToNumber(get('worker').stop_grace_period)).toBeGreaterThan(msToNumber(SHUTDOWN_GRACE));
});

// — Which services there are, and who reaches whom —

test('the simulator, what watches payments, and what decodes without a log-in start only with their profiles, and nothing else waits for them', () => {
  const optional = services.flatMap(([name, { profiles }]) => (profiles ? [[name, ...profiles]] : []));
  expect(optional).toEqual([
    ['local-ui', 'local'],
    ['local-codec-server', 'local'],
    ['simulator', 'simulator'],
    ...['prometheus', 'alertmanager', 'grafana'].map((name) => [name, 'monitoring']),
  ]);
  const names = optional.map(([name]) => name);
  const waiting = services.filter(([name]) => !names.includes(name));
  expect(
    waiting.flatMap(([, { depends_on }]) => Object.keys(depends_on)).filter((name) => names.includes(name)),
  ).toEqual([]);
});

test('Prometheus asks each program of ours where it tells its metrics, and Grafana asks Prometheus', () => {
  const jobs = z
    .object({
      scrape_configs: z.array(
        z.object({ dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.number() })) }),
      ),
      alerting: z.object({ alertmanagers: z.tuple([z.object({ static_configs: z.unknown() })]) }),
    })
    .parse(parse(text('deploy/prometheus/prometheus.yml')));
  const asked = jobs.scrape_configs.flatMap(({ dns_sd_configs }) => dns_sd_configs);
  expect(asked.flatMap(({ names }) => names).sort()).toEqual(['codec-server', 'webhook', 'worker']);
  for (const { names, port } of asked)
    for (const name of names) {
      expect(get(name).environment.METRICS_ADDRESS).toBe(`0.0.0.0:${port}`);
      expect(get(name).ports.join()).not.toContain(String(port));
      expect(get(name).networks).toContain('monitoring');
    }
  const [{ static_configs: told }] = jobs.alerting.alertmanagers;
  expect(told).toEqual([{ targets: [`alertmanager:${get('alertmanager').ports[0]?.split(':').at(-1)}`] }]);
  const source = text('deploy/grafana/provisioning/datasources/prometheus.yml');
  const [, port] = /:(\d+)\//.exec(get('prometheus').healthcheck?.test.join(' ') ?? '') ?? [];
  expect(source).toContain(`http://prometheus:${port}\n`);
  expect(text('deploy/grafana/provisioning/dashboards/payments.yml')).toContain('path: /deploy');
  expect(stack.networks).toMatchObject({ monitoring: { internal: true } });
});

test('a service waits for jobs to complete and for other services to be healthy', () => {
  for (const [name, { depends_on }] of services) {
    for (const [other, { condition }] of Object.entries(depends_on)) {
      const can = isJob(get(other)) ? 'service_completed_successfully' : 'service_healthy';
      expect([name, other, condition]).toEqual([name, other, can]);
    }
  }
});

test('nothing is published beyond this machine: Docker’s rules go past a firewall', () => {
  const open = services.filter(([, { ports }]) => ports.some((port) => !port.startsWith('127.0.0.1:')));
  expect(open.map(([name]) => name)).toEqual([]);
});

test('only Temporal reaches the database', () => {
  const inside = services.filter(([, { networks }]) => networks.includes('database')).map(([name]) => name);
  expect(inside.sort()).toEqual(['postgresql', 'temporal', 'temporal-schema']);
  expect(stack.networks).toMatchObject({ database: { internal: true }, temporal: { internal: true } });
});

// — Secrets and files —

const SECRET = /SECRET|PASSWORD|PWD|TOKEN|CREDENTIAL|PRIVATE|JWKS?(_|$)|(^|_)KEYS?(_|$)/;

test('an environment names only the file of a secret, and the service has that file', () => {
  let files = 0;
  for (const [name, { environment, secrets }] of services) {
    for (const [variable, value] of Object.entries(environment).filter(([variable]) => SECRET.test(variable))) {
      files += 1;
      expect([name, variable]).toEqual([name, expect.stringMatching(/_FILE$/)]);
      expect(secrets.map((secret) => `/run/secrets/${secret}`)).toContain(value);
    }
  }
  expect(files).toBe(11);
  expect(Object.keys(EXAMPLE).filter((name) => SECRET.test(name))).toEqual([]);
});

test('every secret is a file in a folder that git and the image’s build ignore', () => {
  for (const { file } of Object.values(stack.secrets)) expect(dirname(normalize(file))).toBe('deploy/secrets');
  expect(text('deploy/secrets/.gitignore').split('\n')).toContain('*');
  const taken = text('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(taken).not.toContain('!deploy');
  expect(text('.dockerignore').split('\n')).toContain('*');
});

test('every secret, network and volume that is used is declared, and every declared one is used', () => {
  const used = (of: 'secrets' | 'networks') => [...new Set(services.flatMap(([, service]) => service[of]))].sort();
  expect(used('secrets')).toEqual(Object.keys(stack.secrets).sort());
  expect(used('networks')).toEqual(Object.keys(stack.networks).sort());
  const named = services.flatMap(([, { volumes }]) => volumes.filter((volume) => !volume.startsWith('.')));
  expect(named.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(stack.volumes).sort());
});

test('every file that is mounted or run exists', () => {
  let files = 0;
  for (const [, { volumes, command, environment }] of services) {
    const mounts = volumes.filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':'));
    const said = [...command, ...Object.values(environment)].flatMap(
      (word) => /(?:^|=)(\/deploy\/.*)/.exec(word)?.[1] ?? [],
    );
    expect(said.length > 0).toBe(mounts.length > 0);
    for (const [here = '', there = '', mode] of mounts) {
      expect(mode).toBe('ro');
      for (const file of said) {
        files += 1;
        expect([file, existsSync(join(ROOT, file.replace(there, here)))]).toEqual([file, true]);
      }
    }
  }
  expect(files).toBeGreaterThanOrEqual(4);
});

test('every service has limits of CPU and memory, and an image with an exact version', () => {
  for (const [name, { image }] of services)
    expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+(\.\d+)?$/)]);
});

// — The image —

test('the image copies only files that exist and that its build gets', () => {
  const given = text('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  const copied = [...text('Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  expect(copied.length).toBeGreaterThan(4);
  for (const file of copied) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect(given).toContain(`!${file}`);
  }
});

test('the image starts the package’s command line', () => {
  const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(JSON.parse(text('package.json')));
  expect(text('Dockerfile')).toContain(`ENTRYPOINT ["node", "${bin['payment-gateway']}"]`);
});

// — The guide —

test('docs/docker.md names every secret, every variable to fill in and every address', () => {
  const guide = text('docs/docker.md');
  for (const { file } of Object.values(stack.secrets)) expect(guide).toContain(normalize(file));
  for (const [name, value] of Object.entries(FILLED_IN)) expect(guide).toContain(`${name}=${value}`);
  for (const [, { ports }] of services) for (const port of ports) expect(guide).toContain(port.split(':').at(-2));
});
