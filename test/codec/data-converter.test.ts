/** When payloads are encrypted, and that nothing runs without keys by mistake. */
import type { PayloadCodec } from '@temporalio/common';
import { dataConverter, EncryptionCodec } from '../../src/codec';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { ConfigError, loadConfig } from '../../src/process/settings';
import { decoded, key, payload, setting } from './support';

const CLEAR = { PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' };
const KEYS = { PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) };
const APP = {
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_of_app_1',
  WEBHOOK_PUBLIC_URL: 'https://shop.example',
};
const zip: PayloadCodec = { encode: async (payloads) => payloads, decode: async (payloads) => payloads };

const HERE = { type: 'workflow', namespace: 'default', workflowId: 'payment:app-1:order-1' } as const;
const converterBy = (env: Record<string, string>) => dataConverter(loadConfig(env));

test('with keys, payloads and the texts of failures are encrypted', () => {
  const { payloadCodecs, failureConverterPath } = converterBy(KEYS);
  expect(payloadCodecs).toEqual([expect.any(EncryptionCodec)]);
  expect(require(failureConverterPath ?? '').failureConverter.options).toEqual({ encodeCommonAttributes: true });
});

test('without keys, and with clear text allowed, the data converter is the SDK’s default', () =>
  expect(converterBy(CLEAR)).toEqual({}));

describe.each(['production', 'prod', 'Production ', undefined])('with NODE_ENV=%j', (NODE_ENV) => {
  const PRODUCTION = NODE_ENV === undefined ? {} : { NODE_ENV };

  test('without keys it throws ConfigError with the two ways out', () => {
    expect(() => converterBy(PRODUCTION)).toThrow(ConfigError);
    expect(() => converterBy(PRODUCTION)).toThrow(
      /PAYMENTS_ENCRYPTION_KEYS.*PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true/,
    );
    expect(() => new PaymentGatewayPlugin(loadConfig({ ...PRODUCTION, ...APP }))).toThrow(ConfigError);
  });

  test('with keys, or with clear text allowed, it does not throw', () => {
    expect(converterBy({ ...PRODUCTION, ...KEYS }).payloadCodecs).toHaveLength(1);
    expect(converterBy({ ...PRODUCTION, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' })).toEqual({});
    expect(() => converterBy({ ...PRODUCTION, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'false' })).toThrow(ConfigError);
  });

  test('with keys it encrypts even if clear text is allowed', () => {
    expect(converterBy({ ...KEYS, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' }).payloadCodecs).toHaveLength(1);
  });
});

describe('with a user’s own data converter', () => {
  const config = loadConfig(KEYS);

  test('the user’s codecs run before ours, so that the stored bytes are encrypted', () => {
    const { payloadCodecs } = dataConverter(config, { payloadCodecs: [zip] });
    expect(payloadCodecs).toEqual([zip, expect.any(EncryptionCodec)]);
  });

  test('the user’s converters stay', () => {
    const own = { payloadConverterPath: '/own/payloads.js', failureConverterPath: '/own/failures.js' };
    expect(dataConverter(config, own)).toMatchObject(own);
  });

  test('our codec is added only once', () => {
    const once = dataConverter(config, { payloadCodecs: [zip] });
    expect(dataConverter(config, once)).toBe(once);
  });
});

describe('the plugin', () => {
  const plugin = new PaymentGatewayPlugin(loadConfig({ ...KEYS, ...APP }));
  const encrypts = { payloadCodecs: [expect.any(EncryptionCodec)], failureConverterPath: expect.any(String) };

  test('encrypts for a Client, even in a backend without a gateway app', () => {
    expect(new PaymentGatewayPlugin(loadConfig(KEYS)).configureClient({}).dataConverter).toEqual(encrypts);
  });

  test('encrypts for a Worker, for a replay and for pre-bundled workflows', () => {
    const worker = plugin.configureWorker({ taskQueue: 'payments' });
    expect(worker.dataConverter).toEqual(encrypts);
    expect(plugin.configureWorker(worker)).toEqual(worker);
    expect(plugin.configureReplayWorker({ workflowsPath: 'w' }).dataConverter).toEqual(encrypts);
    expect(plugin.configureBundler({ workflowsPath: 'w' }).failureConverterPath).toBe(
      worker.dataConverter?.failureConverterPath,
    );
  });

  test('reads, in a replay, histories of every namespace: a replay worker has the namespace "default"', async () => {
    const [client] = dataConverter(loadConfig(KEYS)).payloadCodecs ?? [];
    const [made = {}] = (await client?.encode([payload('x')], { ...HERE, namespace: 'payments' })) ?? [];
    const { dataConverter: replays } = plugin.configureReplayWorker({ workflowsPath: 'w' });
    const { dataConverter: works } = plugin.configureWorker({ taskQueue: 'payments' });
    const read = async (by = replays) => decoded((await by?.payloadCodecs?.[0]?.decode([made], HERE))?.[0] ?? {});
    expect(await read()).toBe('x');
    await expect(read(works)).rejects.toThrow('moved here');
    expect(plugin.configureReplayWorker({}).workflowsPath).toMatch(/workflows/);
  });

  test('without keys changes no converter', () => {
    const plain = new PaymentGatewayPlugin(loadConfig({ ...APP, ...CLEAR }));
    expect(plain.configureBundler({ workflowsPath: 'w' })).not.toHaveProperty('failureConverterPath');
    expect(plain.configureWorker({ taskQueue: 'payments' }).dataConverter).toEqual({});
  });

  test('throws for a Worker without a gateway app', () => {
    const none = new PaymentGatewayPlugin(loadConfig(KEYS));
    expect(() => none.configureWorker({ taskQueue: 'payments' })).toThrow(/no gateway app/);
  });
});
