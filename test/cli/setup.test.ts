/** A new namespace, as an operator prepares it: the worker refuses it, `setup` prepares it, the worker runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { freePort } from '../../src/cli/dev/temporal';
import { NotSetUpError, PaymentsClient } from '../../src/client';
import { afterSaleWorkflowId, paymentWorkflowId } from '../../src/contract';
import { DAY } from '../../src/gateway/pure/durations';
import { prepareNamespace, retentionOf } from '../../src/temporal/namespaces';
import { pollersOf } from '../../src/temporal/pollers';
import { missingSearchAttributes, SEARCH_ATTRIBUTE_NAMES } from '../../src/temporal/search-attributes';
import { bareServer } from '../../src/testing/dev-server';
import { key, setting } from '../codec/support';
import { built } from '../harness/built';
import { Commands } from '../harness/commands';
import { eventually } from '../harness/eventually';
import { publishedOrder } from '../harness/orders';
import { refusedByCloud, type TemporalProxy, temporalProxy } from '../harness/temporal-proxy.cjs';
import { Terminal } from '../harness/terminal';

const folder = mkdtempSync(join(tmpdir(), 'setup-'));
const PAYMENTS_ENCRYPTION_KEYS = setting(key('k1'));

let temporal: TestWorkflowEnvironment;
let settings: Record<string, string>;
beforeAll(async () => {
  await built();
  temporal = await bareServer();
  settings = {
    TEMPORAL_ADDRESS: temporal.address,
    GATEWAY_BASE_URL: 'https://gateway.example',
    GATEWAY_APP_ID: 'app-1',
    GATEWAY_SECRET_KEY: 'sk_do_not_tell',
    WEBHOOK_PUBLIC_URL: 'https://shop.example',
    WEBHOOK_PORT: '0',
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
    SIMULATOR_PORT: '0',
  };
});
afterAll(async () => {
  await temporal?.teardown();
  rmSync(folder, { recursive: true });
});

const command = (...args: string[]) => new Terminal({ cwd: folder, env: settings }, ...args);
const missing = () => missingSearchAttributes(temporal.connection, 'default');

test('1. a worker in a new namespace does not start, and names the command that helps', async () => {
  const worker = command('worker');
  expect(await worker.ended).toBe(2);
  for (const name of SEARCH_ATTRIBUTE_NAMES) expect(worker.printed).toContain(name);
  expect(worker.printed).toContain('payment-gateway setup');
  expect(worker.printed).not.toMatch(/^ +at /m);
});

test('1. in a new namespace a payment fails by a typed error, and a list of payments says so: both name the command', async () => {
  const { client } = temporal;
  const payments = new PaymentsClient({ client, app_id: 'app-1' });
  const refused = payments.pay(publishedOrder('pix'));
  await expect(refused).rejects.toBeInstanceOf(NotSetUpError);
  await expect(refused).rejects.toThrow('payment-gateway setup');
  const list = command('list');
  expect(await list.ended).not.toBe(0);
  expect(list.printed).toContain('payment-gateway setup');
});

const SCHEDULES = 'Schedule payments-stuck-sweep: ready.\nSchedule payments-reconciliation:app-1: ready.\n';

test.each([[['list', '--attention']], [['reconcile']]])(
  '1. in a new namespace `%s` answers with the command that prepares it, and waits for no worker',
  async (args) => {
    const run = command(...args);
    expect(await run.ended).toBe(2);
    expect(run.printed).toContain('payment-gateway setup');
  },
);

test('2. setup registers the missing search attributes and makes the Schedules', async () => {
  expect(await missing()).toEqual(SEARCH_ATTRIBUTE_NAMES);
  const setup = command('setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toBe(`Namespace default: registered ${SEARCH_ATTRIBUTE_NAMES.join(', ')}.\n${SCHEDULES}`);
  expect(await missing()).toEqual([]);
});

test('setup says that a Schedule is paused, and how it goes on', async () => {
  const sweep = temporal.client.schedule.getHandle('payments-stuck-sweep');
  await sweep.pause('ana: the gateway is down');
  const setup = command('setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toContain(
    'Schedule payments-stuck-sweep: up to date, but it is paused (ana: the gateway is down): temporal schedule toggle --unpause --schedule-id payments-stuck-sweep\n',
  );
  await sweep.unpause();
});

test('setup leaves out the Schedules where the settings say so', async () => {
  const setup = new Terminal({ cwd: folder, env: { ...settings, PAYMENTS_SCHEDULES: 'false' } }, 'setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toContain('No Schedules were made');
  for (const id of ['payments-stuck-sweep', 'payments-reconciliation:app-1'])
    expect(setup.output).toContain(
      `Schedule ${id}: runs on, and these settings do not want it. Where no others in default do, end it: temporal schedule delete --namespace default --schedule-id '${id}'`,
    );
});

test('setup names the Schedule of an app that the settings have no more, and leaves it to a person', async () => {
  const setup = new Terminal({ cwd: folder, env: { ...settings, GATEWAY_APP_ID: 'app-2' } }, 'setup');
  expect(await setup.ended).toBe(0);
  expect(setup.output).toMatch(/^Schedule payments-reconciliation:app-2: ready\.$/m);
  expect(setup.output.match(/runs on, and these settings do not want it/g)).toHaveLength(1);
  expect(setup.output).toContain("--schedule-id 'payments-reconciliation:app-1'");
  await temporal.client.schedule.getHandle('payments-reconciliation:app-2').delete();
  await eventually('the Schedule is gone', async () => {
    for await (const { scheduleId } of temporal.client.schedule.list())
      if (scheduleId === 'payments-reconciliation:app-2') return false;
    return true;
  });
});

// Only what these print matters, and how they end: one process runs them.
const commands = new Commands(folder);
afterAll(() => commands.end());
const run = (...args: string[]) => commands.run(settings, ...args);

const registered = `Namespace shop: registered ${SEARCH_ATTRIBUTE_NAMES.join(', ')}.\n`;
const nothing = 'Namespace shop: every search attribute is registered already.\n';
const toUseIt = 'Set TEMPORAL_NAMESPACE=shop for worker, webhook and commands: with these settings they use default.\n';
const tooShort =
  'That is too short for real money: after it Temporal guards no number. Keep them for 30d: payment-gateway setup --namespace shop --retention 30d\n';

test.each([
  [
    'makes a namespace that is missing and prepares it',
    ['30d'],
    `made, and keeps closed payments for 30d.\n${registered}`,
  ],
  ['leaves one that is there as it is', [], `there already, and keeps closed payments for 30d.\n${nothing}`],
  ['changes its retention', ['45d'], `there already, and from now on keeps closed payments for 45d.\n${nothing}`],
  ['changes nothing the second time', ['45d'], `there already, and keeps closed payments for 45d.\n${nothing}`],
  [
    'says what is too short for real money',
    ['1d'],
    `there already, and from now on keeps closed payments for 1d.\n${tooShort}${nothing}`,
  ],
])('setup with --namespace %s', async (_, retention, said) => {
  const setup = await run('setup', '--namespace', 'shop', ...retention.flatMap((given) => ['--retention', given]));
  expect(setup.code).toBe(0);
  expect(setup.output).toBe(`Namespace shop: ${said}${toUseIt}${SCHEDULES}`);
  expect(await retentionOf(temporal.connection, 'shop')).toBe(Number.parseInt(retention[0] ?? '30d', 10) * DAY);
});

test('a retention that Temporal refuses is answered with what it says of it, without a stack', async () => {
  const setup = await run('setup', '--namespace', 'brief', '--retention', '1s');
  expect(setup.code).toBe(2);
  expect(setup.printed).toMatch(/^Temporal refuses .*brief.*retention.*--retention\.\n$/);
});

describe('where Temporal offers neither namespaces nor search attributes to add', () => {
  let closed: TemporalProxy;
  beforeAll(async () => {
    closed = await temporalProxy(temporal.address, createServer(), refusedByCloud);
  });
  afterAll(() => closed?.close());
  const there = (TEMPORAL_NAMESPACE: string, ...args: string[]) =>
    commands.run({ ...settings, TEMPORAL_ADDRESS: closed.address, TEMPORAL_NAMESPACE }, 'setup', ...args);

  test('setup prints the command that makes the namespace, without a stack', async () => {
    const setup = await there('default', '--namespace', 'cloud.a1b2c', '--retention', '40d');
    expect(setup.code).toBe(2);
    expect(setup.printed).toContain('tcld namespace create --namespace cloud.a1b2c --retention-days 40');
    expect(setup.printed).not.toMatch(/^ +at /m);
  });

  test('setup prints one command for all search attributes that are missing, without a stack', async () => {
    await prepareNamespace(temporal.connection, 'bare');
    const setup = await there('bare');
    expect(setup.code).toBe(2);
    const [line = ''] = setup.printed.split('\n').filter((one) => one.includes('tcld'));
    expect(line).toContain(
      'tcld namespace search-attributes add --namespace bare --search-attribute PaymentStatus=Keyword',
    );
    expect(line.match(/--search-attribute \w+=(Keyword|KeywordList|Double|Datetime)\b/g)).toHaveLength(
      SEARCH_ATTRIBUTE_NAMES.length,
    );
    expect(setup.printed).not.toMatch(/^ +at /m);
  });

  test('setup makes the Schedules of a namespace that has them all', async () => {
    const setup = await there('default');
    expect(setup.code).toBe(0);
    expect(setup.output).toBe(`Namespace default: every search attribute is registered already.\n${SCHEDULES}`);
  });
});

test('without a worker, who asks for a state is told so within 15 s, and who waits for the outcome waits on', async () => {
  const { client } = temporal;
  const payments = new PaymentsClient({ client, app_id: 'app-1', taskQueue: 'shop', answerTimeoutMs: 30_000 });
  const start = (type: string, workflowId: string) =>
    client.workflow.start(type, { workflowId, taskQueue: 'shop', args: [] });
  const payment = await start('payment', paymentWorkflowId('app-1', 'no-worker'));
  await start('afterSale', afterSaleWorkflowId('app-1', 'no-worker'));
  let hasEnded = false;
  const outcome = payments.outcome('no-worker').finally(() => {
    hasEnded = true;
  });
  const told = expect(outcome).rejects.toMatchObject({ name: 'PaymentPendingError' });
  const asked = Date.now();
  const inTime = async (call: Promise<unknown>) => {
    await expect(call).rejects.toMatchObject({ name: 'PaymentPendingError', message: expect.stringContaining('shop') });
    return Date.now() - asked;
  };
  // What nobody waits for any more would be asked on when the server has gone, and fail in another file.
  const abandoned = new AbortController();
  const [state, refunds, cancel] = await client.withAbortSignal(abandoned.signal, () =>
    Promise.all([
      inTime(payments.state('no-worker')),
      inTime(payments.refunds('no-worker')),
      inTime(payments.cancel('no-worker')),
    ]),
  );
  abandoned.abort();
  // A read does not use the 30 s that an update is given.
  expect(Math.max(state, refunds)).toBeLessThan(cancel);
  // It waits for days, and Temporal tells it of every end.
  expect(hasEnded).toBe(false);
  await payment.terminate();
  await told;
});

describe.each([
  ['worker', /"msg":"worker started"/],
  ['webhook', /"msg":"webhook listens/],
  ['codec-server', /"msg":"the codec server listens/],
  ['simulator', /"msg":"the simulated gateway listens"/],
])('3. %s', (name, started) => {
  test('runs until Ctrl-C, prints no secret, prints nothing on standard output, and says when it is ready', async () => {
    const HEALTH_ADDRESS = `127.0.0.1:${(await freePort(0)).port}`;
    const own = { CODEC_SERVER_PORT: '0', CODEC_SERVER_TOKEN: 'do_not_tell'.repeat(3), PAYMENTS_ENCRYPTION_KEYS };
    const running = new Terminal({ cwd: folder, env: { ...settings, ...own, HEALTH_ADDRESS } }, name);
    await running.sees(started);
    const status = async (path: string) =>
      (await fetch(`http://${HEALTH_ADDRESS}${path}`).catch(() => undefined))?.status;
    if (name !== 'simulator') {
      await eventually(`${name} is ready`, async () => (await status('/readyz')) === 200);
      expect(await status('/healthz')).toBe(200);
    }
    expect(await running.interrupt()).toBe(0);
    expect(running.printed).not.toContain('do_not_tell');
    expect(running.output).toBe('');
  });
});

test('4. Temporal lists a worker by an id that none after it has: it does so for minutes after its end', async () => {
  const pollers = await pollersOf(temporal.connection, { namespace: 'default', taskQueue: 'payments' }, 0);
  const identities = [expect.stringMatching(/^\d+@.+:[0-9a-f-]{36}$/)];
  expect(pollers['workflow tasks']).toEqual({ identities, unserved: [] });
  expect(pollers['activity tasks']).toEqual(pollers['workflow tasks']);
});

test('a worker whose gateway cannot be reached starts all the same, and its log says so at once', async () => {
  const running = command('worker');
  await running.sees(/"msg":"worker started"/);
  await running.sees(/could not be reached.* Orders of app app-1 wait until the gateway answers/);
  expect(await running.interrupt()).toBe(0);
});

test('a worker says once, at its start, who hears events, and shows no more of an address than its host', async () => {
  const nobody = command('worker');
  await nobody.sees(/"msg":"PAYMENTS_EVENTS_URL is not set: no event is told"/);
  expect(await nobody.interrupt()).toBe(0);
  const own = {
    PAYMENTS_EVENTS_URL: 'https://shop.example:8443/do_not_tell?do_not_tell',
    PAYMENTS_EVENTS_SECRETS: `whsec_${Buffer.alloc(32).toString('base64')}`,
  };
  for (const LOG_LEVEL of ['info', 'debug']) {
    const running = new Terminal({ cwd: folder, env: { ...settings, ...own, LOG_LEVEL } }, 'worker');
    await running.sees(/"msg":"events are told to shop\.example:8443"/);
    expect(await running.interrupt()).toBe(0);
    expect(running.printed.match(/events are told to/g)).toHaveLength(1);
    expect(/Worker state changed/.test(running.printed)).toBe(LOG_LEVEL === 'debug');
    expect(running.printed).not.toContain('do_not_tell');
  }
});
