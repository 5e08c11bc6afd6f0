/** The plugin, and objects that hold keys: they do not show them, because Temporal's SDK, frameworks and people log them. */
import { inspect } from 'node:util';
import { Client } from '@temporalio/client';
import { noopMetricMeter, type Payload } from '@temporalio/common';
import { DefaultLogger, Runtime, type WorkerOptions } from '@temporalio/worker';
import { compileWorkerOptions } from '@temporalio/worker/lib/worker-options';
import { service, serviceHandler } from 'nexus-rpc';
import { ConfigError, loadConfig, PaymentGatewayPlugin } from '../src';
import { dataConverter } from '../src/codec';
import { GatewayClient } from '../src/gateway';
import { createWebhook, webhookSettings } from '../src/webhook';
import { FakeTemporal } from './webhook/support';

const KEY = Buffer.alloc(32, 0xa7);
const config = loadConfig({
  GATEWAY_BASE_URL: 'http://127.0.0.1:9',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_canary',
  WEBHOOK_PUBLIC_URL: 'https://shop.example',
  PAYMENTS_ENCRYPTION_KEYS: `k1:${KEY.toString('base64')}`,
  PAYMENTS_SEALING_JWKS: '{"keys":[{"kty":"EC","crv":"P-256","x":"x","y":"y","d":"d_canary"}]}',
});

/** Bytes as an array, as Node shows them, and as base64. */
const SECRETS = /canary|167, ?167|a7 ?a7|p6enp6en/;

const plugin = new PaymentGatewayPlugin(config);
const { client } = new FakeTemporal();

test.each<[string, unknown]>([
  ['a plugin', plugin],
  ['a Worker’s options', { ...plugin.configureWorker({ taskQueue: 'payments' }), plugins: [plugin] }],
  ['a client', new Client({ connection: client.connection, plugins: [plugin] }).options],
  ['a data converter', dataConverter(config)],
  ['an endpoint', createWebhook({ ...webhookSettings(config), client, log: console })],
])('%s shows no key in JSON or in inspect', (_, holder) => {
  const shown = [JSON.stringify(holder, withoutCycles()), inspect(holder, { depth: 20, showHidden: true })];
  for (const text of shown) expect(text).not.toMatch(SECRETS);
});

test('the settings themselves show their keys, so this test would notice', () => {
  const shown = [JSON.stringify(config), inspect(config, { depth: 20 })];
  for (const text of shown) expect(text.match(new RegExp(SECRETS, 'g'))?.length).toBeGreaterThan(5);
});

test('a workflow may compute for a minute: an account may read thousands of deposits in one task', () => {
  const logger = new DefaultLogger('ERROR');
  const options = plugin.configureWorker({ taskQueue: 'payments' });
  const { isolateExecutionTimeoutMs } = compileWorkerOptions(options, logger, noopMetricMeter);
  expect(isolateExecutionTimeoutMs).toBe(60_000);
});

describe('the plugin of a bundle', () => {
  test('has our modules loaded once for all workflows, beside those of others', () => {
    const { preloadModules } = plugin.configureBundler({ preloadModules: ['./theirs'] });
    expect(preloadModules).toEqual(['./theirs', require.resolve('../src/workflows')]);
  });

  test('bundles our workflows where no others are named', () => {
    expect(plugin.configureBundler({}).workflowsPath).toBe(require.resolve('../src/workflows'));
  });

  test('leaves the workflows that are named, and encrypts messages of failures', () => {
    const configured = plugin.configureBundler({ workflowsPath: '/shop/workflows' });
    expect(configured.workflowsPath).toBe('/shop/workflows');
    expect(configured.failureConverterPath).toMatch(/failure-converter/);
  });

  test('lets no codec of the merchant’s have the server repeat what may have been sent', () => {
    const theirs = { encode: async (payloads: Payload[]) => payloads, decode: async (payloads: Payload[]) => payloads };
    const dataConverter = { payloadCodecs: [theirs] };
    const once = plugin.configureWorker({ taskQueue: 'payments', dataConverter });
    const names = (options: WorkerOptions) => options.dataConverter?.payloadCodecs?.map((one) => one.constructor.name);
    expect(names(once)).toEqual(['SendingCodec', 'EncryptionCodec']);
    expect(names(plugin.configureWorker(once))).toEqual(['SendingCodec', 'EncryptionCodec']);
  });

  test('is the same when the plugin is applied twice', () => {
    const once = plugin.configureWorker({ taskQueue: 'payments' });
    const twice = plugin.configureWorker(once);
    expect(Object.keys(twice.activities ?? {}).sort()).toEqual(Object.keys(once.activities ?? {}).sort());
    expect(twice.dataConverter?.payloadCodecs).toHaveLength(1);
    expect(twice.workflowsPath).toBe(once.workflowsPath);
  });
});

describe('the Nexus service', () => {
  const serving = new PaymentGatewayPlugin({ ...config, PAYMENTS_NEXUS: true });

  test('is not there where nobody asked for it', () => {
    expect(plugin.configureWorker({ taskQueue: 'payments' }).nexusServices).toBeUndefined();
  });

  test('stands beside the Worker’s own services, once', () => {
    const own = serviceHandler(service('own', {}), {});
    const once = serving.configureWorker({ taskQueue: 'payments', nexusServices: [own] });
    const twice = serving.configureWorker(once);
    const names = twice.nexusServices?.map(({ definition }) => definition.name);
    expect(names).toEqual(['own', 'temporal-payment-gateway']);
  });
});

describe('the plugin on several Workers', () => {
  /** A Worker that runs until it is told to end. */
  function running(on = plugin) {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    // The plugin only hands the Worker on, and looks whether it has a version.
    const run = on.runWorker(Object.create({ options: {} }), () => ended);
    return { end, run };
  }

  test('closes the gateway’s connections when the last one has ended', async () => {
    const closed = jest.spyOn(GatewayClient.prototype, 'close').mockResolvedValue();
    plugin.configureWorker({ taskQueue: 'payments' });
    const [one, two] = [running(), running()];
    one.end();
    await one.run;
    expect(closed).not.toHaveBeenCalled();
    two.end();
    await two.run;
    expect(closed).toHaveBeenCalledTimes(1);
    closed.mockRestore();
  });

  const urls = ['https://ana:8443/canary?token=canary', 'https://ben.example/canary', 'https://ben.example/other'];
  test.each<[string, PaymentGatewayPlugin, string]>([
    ['nobody', plugin, 'PAYMENTS_EVENTS_URL is not set: no event is told'],
    ['a handler', new PaymentGatewayPlugin(config, { onEvent: () => {} }), 'events are told to the handler onEvent'],
    [
      'addresses and a handler',
      new PaymentGatewayPlugin({ ...config, PAYMENTS_EVENTS_URL: urls }, { onEvent: () => {} }),
      'events are told to ana:8443, ben.example, the handler onEvent',
    ],
  ])('says once who hears events: %s', async (_who, on, sentence) => {
    const said = jest.spyOn(Runtime.instance().logger, 'info').mockReturnValue(undefined);
    const workers = [running(on), running(on)];
    for (const { end } of workers) end();
    await Promise.all(workers.map(({ run }) => run));
    expect(said.mock.calls).toEqual([[sentence]]);
    said.mockRestore();
  });
});

test('a Worker without an address for notifications does not start: every order would use up its number', () => {
  const { WEBHOOK_PUBLIC_URL: _none, ...without } = config;
  const start = () =>
    new PaymentGatewayPlugin({ ...without, WEBHOOK_PUBLIC_URL: undefined }).configureWorker({ taskQueue: 'payments' });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(/WEBHOOK_PUBLIC_URL/);
});

function withoutCycles() {
  const seen = new Set<unknown>();
  return (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return '(above)';
    seen.add(value);
    return value;
  };
}
