/** Where Temporal is, by its own variables, and what is said where they cannot be used. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../src/process/user-error';
import { temporalConfig } from '../../src/temporal/connection';

const folder = mkdtempSync(join(tmpdir(), 'connection-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of this name, with this text. */
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('a key comes from the file that TEMPORAL_CONFIG_FILE names, and makes the connection one by TLS', () => {
  const TEMPORAL_CONFIG_FILE = file('key.toml', '[profile.default]\napi_key = "the-key"\n');
  const config = temporalConfig({
    TEMPORAL_CONFIG_FILE,
    TEMPORAL_ADDRESS: 'cloud:7233',
    TEMPORAL_NAMESPACE: 'shop.a1b2c',
  });
  expect(config).toMatchObject({
    namespace: 'shop.a1b2c',
    connectionOptions: { address: 'cloud:7233', apiKey: 'the-key', tls: true },
  });
});

test('an empty variable counts as not set', () => {
  const config = temporalConfig({
    TEMPORAL_NAMESPACE: '',
    TEMPORAL_ADDRESS: '',
    TEMPORAL_CONFIG_FILE: file('no.toml', '[profile.default]'),
  });
  expect(config).toMatchObject({ namespace: 'default' });
  expect(config.connectionOptions.address).toBeUndefined();
});

test.each([
  ['a file that is not there', { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }, /ENOENT.*none\.toml/],
  ['a file that is none of its kind', { TEMPORAL_CONFIG_FILE: file('broken.toml', 'sk-canary') }, /Invalid TOML/],
  [
    'a certificate that is not there',
    { TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'tls.crt'), TEMPORAL_TLS_CLIENT_KEY_PATH: join(folder, 'tls.key') },
    /ENOENT.*tls\.crt/,
  ],
])('%s is a mistake of the settings, and is told without what it holds', (_, env, said) => {
  const error = thrown(() => temporalConfig(env));
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toMatch(said);
  expect(String(error)).not.toContain('canary');
});

function thrown(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
