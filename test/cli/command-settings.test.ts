/** The settings of a command: which app it acts for, and what it says of where they come from. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appSettings, commandSettings } from '../../src/cli/command-settings';
import { saveDevSettings } from '../../src/process/dev-settings';

const cwd = process.cwd();
const env = { ...process.env };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-settings-'));
  process.chdir(folder);
  process.env = { PATH: env.PATH };
});
afterEach(() => {
  process.chdir(cwd);
  process.env = env;
  rmSync(folder, { recursive: true, force: true });
  jest.restoreAllMocks();
});

const printed = (stream: NodeJS.WriteStream) => jest.spyOn(stream, 'write').mockReturnValue(true);

test.each([{ json: true }, {}])(
  'a command names the stack that it uses on standard error, and nothing on standard output: %j',
  async (options) => {
    await saveDevSettings('.payments', { GATEWAY_APP_ID: 'demo-app' });
    const [out, error] = [printed(process.stdout), printed(process.stderr)];
    expect((await appSettings(options)).app_id).toBe('demo-app');
    expect(error).toHaveBeenCalledWith('Using the settings of the stack here (.payments/dev.env).\n');
    expect(out).not.toHaveBeenCalled();
  },
);

test.each([
  [
    { TEMPORAL_NAMESPACE: 'shop' },
    ['Using Temporal at localhost:7233, namespace shop (TEMPORAL_ADDRESS is not set).\n'],
  ],
  [{ TEMPORAL_ADDRESS: 'temporal:7233' }, []],
])(
  'a command outside the folder of a stack names the Temporal that it uses, unless a person has: %j',
  (given, said) => {
    process.env = { ...process.env, ...given };
    const error = printed(process.stderr);
    commandSettings();
    expect(error.mock.calls.map(([text]) => text)).toEqual(said);
  },
);

test('a command acts for the app that is named, whatever the settings say', async () => {
  process.env.GATEWAY_APP_ID = 'first';
  expect((await appSettings({ app: 'second' })).app_id).toBe('second');
});

test('a command without an app is refused, with the ways to name one', async () => {
  await expect(appSettings({})).rejects.toThrow(/^Which app\? Set GATEWAY_APP_ID, name it \(--app in a command\)/);
});

test('a command without an app is refused where there are several, whichever GATEWAY_APP_ID says: its number may be of each', async () => {
  const app = (app_id: string) => ({ app_id, secret_key: 'sk_test', base_url: 'https://gateway.example' });
  writeFileSync('apps.json', JSON.stringify([app('brazil'), app('mexico')]));
  Object.assign(process.env, { GATEWAY_APPS_FILE: 'apps.json', GATEWAY_APP_ID: 'brazil' });
  await expect(appSettings({})).rejects.toThrow(
    /^Which app\? Nothing was done: name one of brazil, mexico with --app\.$/,
  );
});
