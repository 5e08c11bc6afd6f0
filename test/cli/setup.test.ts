/** A namespace from bare to ready, as an operator makes it: the worker refuses it, `setup` mends it, the worker runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { defaultCacheDir, resolveBinary } from '../../src/embedded';
import { missingSearchAttributes } from '../../src/search-attributes';
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contract';
import { quiet } from '../harness/temporal';
import { built } from '../start/built';
import { Terminal } from '../start/terminal';

const NAMES = Object.keys(SEARCH_ATTRIBUTES);
const folder = mkdtempSync(join(tmpdir(), 'setup-'));

let temporal: TestWorkflowEnvironment;
let settings: Record<string, string>;
beforeAll(async () => {
  await built();
  quiet();
  const path = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  temporal = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'existing-path', path } } });
  settings = {
    TEMPORAL_ADDRESS: temporal.address,
    GATEWAY_BASE_URL: 'https://gateway.example',
    GATEWAY_APP_ID: 'app-1',
    GATEWAY_SECRET_KEY: 'sk_do_not_tell',
    WEBHOOK_PORT: '0',
    SIMULATOR_PORT: '0',
  };
});
afterAll(async () => {
  await temporal?.teardown();
  rmSync(folder, { recursive: true });
});

const command = (...args: string[]) => new Terminal({ cwd: folder, env: settings }, ...args);
const missing = () => missingSearchAttributes(temporal.connection, 'default');

test('1. a worker does not start in a bare namespace, and names the command that helps', async () => {
  const worker = command('worker');
  expect(await worker.ended).toBe(2);
  for (const name of NAMES) expect(worker.printed).toContain(name);
  expect(worker.printed).toContain('payment-gateway setup');
  expect(worker.printed).not.toMatch(/^ +at /m);
});

test('2. setup registers what is missing', async () => {
  expect(await missing()).toEqual(NAMES);
  const setup = command('setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toBe(`Namespace default: registered ${NAMES.join(', ')}.\n`);
  expect(await missing()).toEqual([]);
});

test('3. setup again changes nothing', async () => {
  const setup = command('setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toBe('Namespace default: every search attribute is registered already.\n');
  expect(await missing()).toEqual([]);
});

test('setup of a namespace that there is not ends without success', async () => {
  const setup = new Terminal({ cwd: folder, env: { ...settings, TEMPORAL_NAMESPACE: 'nowhere' } }, 'setup');
  expect(await setup.ended).not.toBe(0);
  expect(setup.printed).toContain('nowhere');
});

test.each([
  ['worker', /"msg":"worker started"/],
  ['webhook', /"msg":"webhook listens/],
  ['simulator', /"msg":"the simulated gateway listens"/],
])('4. %s runs until Ctrl-C, tells no secret, and keeps standard output clean', async (name, started) => {
  const running = command(name);
  await running.sees(started);
  expect(await running.interrupt()).toBe(0);
  expect(running.printed).not.toContain('sk_do_not_tell');
  expect(running.output).toBe('');
});
