/** schemas/ and vectors/: what a program in another language can check itself against. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EncryptionCodec } from '../../src/codec';
import { open } from '../../src/gateway';
import { loadConfig } from '../../src/process/settings';
import encryption from '../../vectors/encryption.json';
import sealing from '../../vectors/sealing.json';
import { read } from '../docs/markdown';
import { problemsWith } from '../harness/schemas';
import { ROOT } from '../harness/terminal';

const SCHEMAS = readdirSync(join(ROOT, 'schemas')).map((file) => file.replace('.json', ''));
const examples = [
  ...['contract', 'events', 'nexus']
    .map((page) => read(`docs/${page}.md`))
    .join('\n')
    .matchAll(/<!-- (\w+) -->\n\n```json\n(.*?)```/gs),
];

test('the schemas are what the types say (npm run docs:schemas writes them)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  try {
    execFileSync(process.execPath, [join(ROOT, 'scripts/schemas.mjs'), folder]);
    expect(readdirSync(folder)).toEqual(readdirSync(join(ROOT, 'schemas')));
    for (const file of readdirSync(folder)) {
      expect([file, readFileSync(join(folder, file), 'utf8')]).toEqual([file, read(join('schemas', file))]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every example of the documents fits the schema of its type', () => {
  const fitting = examples.filter(([, type = '']) => SCHEMAS.includes(type));
  expect(fitting.length).toBeGreaterThan(20);
  for (const [, type = '', json = ''] of fitting)
    expect([type, problemsWith(type, JSON.parse(json))]).toEqual([type, null]);
});

test('every type that a document shows has a schema', () => {
  expect(examples.map(([, type = '']) => type).filter((type) => !SCHEMAS.includes(type))).toEqual([]);
});

test.each([
  ['PaymentState', { app_id: 'a' }],
  ['NewPayment', { kind: 'another', app_id: 'a', request: {} }],
  ['PaymentEvent', { id: 1 }],
])('%s refuses what is not one', (type, wrong) => {
  expect(problemsWith(type, wrong)).not.toBeNull();
});

test('a state and a method that are new to us still fit', () => {
  const [, , json = ''] = examples.find(([, type]) => type === 'PaymentState') ?? [];
  expect(problemsWith('PaymentState', { ...JSON.parse(json), trade_status: 'NEW', method: 'New', more: 1 })).toBeNull();
});

const bytes = (text: string) => Buffer.from(text, 'base64');
const payloadOf = ({ metadata, data }: { metadata: Record<string, string | undefined>; data: string }) => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, text = '']) => [name, bytes(text)])),
  data: bytes(data),
});

test.each(encryption.vectors)('the encrypted payload of $workflow_id decrypts to the clear one', async (vector) => {
  const { PAYMENTS_ENCRYPTION_KEYS: keys } = loadConfig({ PAYMENTS_ENCRYPTION_KEYS: encryption.setting });
  if (!keys) throw new Error('The vectors have no key.');
  const owner = { namespace: vector.namespace, workflowId: vector.workflow_id };
  const [clear = {}] = await new EncryptionCodec(keys).decode([payloadOf(vector.encrypted)], owner);
  expect(Buffer.from(clear.data ?? [])).toEqual(bytes(vector.clear.data));
  expect(Buffer.from(clear.metadata?.encoding ?? [])).toEqual(bytes(vector.clear.metadata.encoding));
});

test.each(sealing.vectors)(
  'the sealed field of order $out_trade_no opens',
  async ({ app_id, out_trade_no, secret, sealed }) => {
    expect(await open({ sealed }, [sealing.private_jwk], { app_id, out_trade_no })).toBe(secret);
  },
);
