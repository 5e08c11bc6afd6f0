/** When payloads are encrypted, and that nobody runs without by mistake. */
import type { PayloadCodec } from '@temporalio/common';
import { dataConverter, EncryptionCodec } from '../../src/codec';
import { ConfigError, loadConfig } from '../../src/config';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { key, setting } from './support';

const KEYS = { PAYMENTS_ENCRYPTION_KEYS: setting(key('k1')) };
const APP = { GATEWAY_BASE_URL: 'https://gateway.example', GATEWAY_APP_ID: 'app-1', GATEWAY_SECRET_KEY: 'sk' };
const zip: PayloadCodec = { encode: async (payloads) => payloads, decode: async (payloads) => payloads };

const converterBy = (env: Record<string, string>) => dataConverter(loadConfig(env));

test('with keys, payloads are encrypted and so are the texts of failures', () => {
  const { payloadCodecs, failureConverterPath } = converterBy(KEYS);
  expect(payloadCodecs).toEqual([expect.any(EncryptionCodec)]);
  expect(require(failureConverterPath ?? '').failureConverter.options).toEqual({ encodeCommonAttributes: true });
});

test('without keys, payloads travel as they always did', () => expect(converterBy({})).toEqual({}));

describe('in production', () => {
  const PRODUCTION = { NODE_ENV: 'production' };

  test('without keys nothing runs, and it says which two things can be done', () => {
    expect(() => converterBy(PRODUCTION)).toThrow(ConfigError);
    expect(() => converterBy(PRODUCTION)).toThrow(
      /PAYMENTS_ENCRYPTION_KEYS.*PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES=true/,
    );
    expect(() => new PaymentGatewayPlugin(loadConfig({ ...PRODUCTION, ...APP }))).toThrow(ConfigError);
  });

  test('with keys, or with clear text asked for by name, it runs', () => {
    expect(converterBy({ ...PRODUCTION, ...KEYS }).payloadCodecs).toHaveLength(1);
    expect(converterBy({ ...PRODUCTION, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' })).toEqual({});
    expect(() => converterBy({ ...PRODUCTION, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'false' })).toThrow(ConfigError);
  });

  test('with keys they are used even where clear text is allowed', () => {
    expect(converterBy({ ...KEYS, PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' }).payloadCodecs).toHaveLength(1);
  });
});

describe('beside a user’s own data converter', () => {
  const config = loadConfig(KEYS);

  test('theirs comes first on the way out, and ours last: what is stored is encrypted', () => {
    const { payloadCodecs } = dataConverter(config, { payloadCodecs: [zip] });
    expect(payloadCodecs).toEqual([zip, expect.any(EncryptionCodec)]);
  });

  test('their converters stay theirs', () => {
    const own = { payloadConverterPath: '/own/payloads.js', failureConverterPath: '/own/failures.js' };
    expect(dataConverter(config, own)).toMatchObject(own);
  });

  test('it is added once, however often it is asked', () => {
    const once = dataConverter(config, { payloadCodecs: [zip] });
    expect(dataConverter(config, once)).toBe(once);
  });
});

describe('the plugin', () => {
  const plugin = new PaymentGatewayPlugin(loadConfig({ ...KEYS, ...APP }));
  const encrypts = { payloadCodecs: [expect.any(EncryptionCodec)], failureConverterPath: expect.any(String) };

  test('encrypts for a Client, also in a backend that has no gateway app', () => {
    expect(new PaymentGatewayPlugin(loadConfig(KEYS)).configureClient({}).dataConverter).toEqual(encrypts);
  });

  test('encrypts for a Worker, for a replay and for workflows that are bundled beforehand', () => {
    const worker = plugin.configureWorker({ taskQueue: 'payments' });
    expect(worker.dataConverter).toEqual(encrypts);
    expect(plugin.configureWorker(worker)).toEqual(worker);
    expect(plugin.configureReplayWorker({ workflowsPath: 'w' }).dataConverter).toEqual(encrypts);
    expect(plugin.configureBundler({ workflowsPath: 'w' }).failureConverterPath).toBe(
      worker.dataConverter?.failureConverterPath,
    );
  });

  test('without keys leaves everything of that as it was', () => {
    const plain = new PaymentGatewayPlugin(loadConfig(APP));
    expect(plain.configureBundler({ workflowsPath: 'w' })).not.toHaveProperty('failureConverterPath');
    expect(plain.configureWorker({ taskQueue: 'payments' }).dataConverter).toEqual({});
  });

  test('a Worker without a gateway app is refused', () => {
    const none = new PaymentGatewayPlugin(loadConfig(KEYS));
    expect(() => none.configureWorker({ taskQueue: 'payments' })).toThrow(/no gateway app/);
  });
});
