/** Which settings of the environment the stack of `dev` takes, and which it names because it does not. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ignoredSettings, takenSettings } from '../../../src/cli/dev/taken-settings';
import { built } from '../../harness/built';
import { stackFolder } from '../../harness/stack-folder';
import { Terminal } from '../../harness/terminal';

const ENV = {
  ...{ PATH: '/bin', LOG_LEVEL: 'debug', PAYMENTS_NEXUS: '', PAYMENTS_EVENTS_URL: 'http://127.0.0.1:1/events' },
  ...{ PAYMENTS_GRACE: '1m', METRICS_ADDRESS: '127.0.0.1:9464', PAYMENTS_ENCRYPTION_KEYS_FILE: '/keys' },
};

test('settings that the stack takes are those of the environment, where they are not empty', () => {
  expect(takenSettings(ENV)).toEqual({ LOG_LEVEL: 'debug', PAYMENTS_EVENTS_URL: 'http://127.0.0.1:1/events' });
});

test('settings of ours that the stack does not take are named, also those that name a file', () => {
  expect(ignoredSettings(ENV)).toEqual(['PAYMENTS_GRACE', 'PAYMENTS_ENCRYPTION_KEYS_FILE', 'METRICS_ADDRESS']);
});

test('dev names at its start what it does not take', async () => {
  await built();
  const folder = mkdtempSync(join(tmpdir(), 'taken-settings-'));
  try {
    const dataDir = join(folder, 'data');
    await stackFolder(dataDir);
    const stack = new Terminal({ cwd: folder, env: { PAYMENTS_GRACE: '1m' } }, 'dev', '--data-dir', dataDir);
    await stack.sees(/✓ webhook/);
    expect(await stack.interrupt()).toBe(0);
    expect(stack.printed).toMatch(/not used here, the stack has its own: PAYMENTS_GRACE$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  ['PAYMENTS_EVENTS_URL', 'http://127.0.0.1:1/a b', 'has a space'],
  ['PAYMENTS_EVENT_URL', 'http://127.0.0.1:1', 'there is no such setting; do you mean PAYMENTS_EVENTS_URL'],
])('dev refuses a setting that cannot be used before it starts anything: %s', async (name, value, said) => {
  await built();
  const folder = mkdtempSync(join(tmpdir(), 'refused-setting-'));
  try {
    const stack = new Terminal({ cwd: folder, env: { [name]: value } }, 'dev', '--data-dir', join(folder, 'data'));
    const end = stack.sees(/Ctrl-C ends/).then(
      () => stack.interrupt(),
      () => stack.ended,
    );
    expect(await end).toBe(2);
    expect(stack.printed).toContain(`- ${name}: ${said}`);
    expect(stack.printed).not.toMatch(/Temporal's development server|✓/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
