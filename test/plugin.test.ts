/** What holds keys does not show them: Temporal's SDK, frameworks and people log such objects. */
import { inspect } from 'node:util';
import { Client } from '@temporalio/client';
import { loadConfig, PaymentGatewayPlugin } from '../src';
import { dataConverter } from '../src/codec';
import { createWebhook, webhookSettings } from '../src/webhook';
import { FakeTemporal } from './webhook/support';

const KEY = Buffer.alloc(32, 0xa7);
const config = loadConfig({
  GATEWAY_BASE_URL: 'http://127.0.0.1:9',
  GATEWAY_APP_ID: 'app-1',
  GATEWAY_SECRET_KEY: 'sk_canary',
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
])('%s', (_, holder) => {
  const shown = [JSON.stringify(holder, withoutCycles()), inspect(holder, { depth: 20, showHidden: true })];
  for (const text of shown) expect(text).not.toMatch(SECRETS);
});

test('a key that is shown would be seen', () => {
  const shown = [JSON.stringify(config), inspect(config, { depth: 20 })];
  for (const text of shown) expect(text.match(new RegExp(SECRETS, 'g'))?.length).toBeGreaterThan(5);
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
