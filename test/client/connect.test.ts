/** How a merchant's client finds its settings. That it then pays is tested on a whole stack, in test/real-server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientPlugin } from '@temporalio/client';
import { ConfigError, connectPayments, TemporalUnreachableError } from '../../src/client';
import { saveDevSettings } from '../../src/process/dev-settings';
import { devServer } from '../../src/testing/dev-server';
import { built } from '../harness/built';
import { ROOT } from '../harness/terminal';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'connect-'));
/** An address where nothing listens. */
const NOBODY = '127.0.0.1:1';

beforeAll(async () => {
  process.chdir(folder);
  const NO_KEYS = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };
  await saveDevSettings('.payments', { TEMPORAL_ADDRESS: NOBODY, GATEWAY_APP_ID: 'demo-app', ...NO_KEYS });
});

afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true });
});

test('without settings, the stack that npm start left in this folder is used', async () => {
  const error: unknown = await connectPayments({}).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TemporalUnreachableError);
  expect(String(error)).toContain(NOBODY);
});

test('an environment that names an app is used alone', async () => {
  const env = { GATEWAY_APP_ID: 'shop', PAYMENTS_ENCRYPTION_KEYS: 'unusable' };
  await expect(connectPayments(env)).rejects.toThrow(/PAYMENTS_ENCRYPTION_KEYS/);
});

test('in production the file of a stack is never read', async () => {
  const error: unknown = await connectPayments({ NODE_ENV: 'production' }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain('Set GATEWAY_APP_ID');
});

test('the client room loads neither native code nor what calls the gateway nor OpenTelemetry', async () => {
  await built();
  const script = `require(${JSON.stringify(join(ROOT, 'lib/client'))});
    console.log(Object.keys(require.cache).filter((file) => /core-bridge|undici|opentelemetry/.test(file)).length);`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe('0');
});

test('with several apps and no GATEWAY_APP_ID, an application has to say which it pays with', async () => {
  const app = (app_id: string) => ({ app_id, secret_key: 'sk_test', base_url: 'https://gateway.example' });
  writeFileSync('apps.json', JSON.stringify([app('brazil'), app('mexico')]));
  const env = {
    GATEWAY_APPS_FILE: 'apps.json',
    TEMPORAL_ADDRESS: NOBODY,
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
  await expect(connectPayments(env)).rejects.toThrow(/^Which app\? Of brazil, mexico: set GATEWAY_APP_ID, name it/);
  await expect(connectPayments(env, 'mexico')).rejects.toThrow(TemporalUnreachableError);
});

test('the plugins of an application, such as those of its traces, are those of its client', async () => {
  const temporal = await devServer();
  const env = {
    ...{ TEMPORAL_ADDRESS: temporal.address, GATEWAY_APP_ID: 'shop' },
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
  try {
    const configured: string[] = [];
    const plugin: ClientPlugin = {
      name: 'traces',
      configureClient(options) {
        configured.push(options.namespace ?? '');
        return options;
      },
    };
    const { close } = await connectPayments(env, undefined, { plugins: [plugin] });
    await close();
    expect(configured).toEqual(['default']);
  } finally {
    await temporal.teardown();
  }
});
