/** Temporal's own command with the codec server, as docs/operations.md has it: query, update, show and list, with keys. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pino from 'pino';
import { findTemporal } from '../../src/cli/dev/temporal';
import { startCodecServer } from '../../src/codec';
import { paymentWorkflowId } from '../../src/contract';
import { loadConfig } from '../../src/process/settings';
import { APP, type Stack, startStack } from '../../src/testing/stack';
import { publishedOrder } from '../harness/orders';
import { until } from '../harness/runs';
import { key, setting } from './support';

const KEYS = setting(key('k1'));

let stack: Stack;
let codec: Awaited<ReturnType<typeof startCodecServer>>;
let temporal: string;
beforeAll(async () => {
  temporal = await findTemporal();
  stack = await startStack({ env: { PAYMENTS_ENCRYPTION_KEYS: KEYS } });
  const config = loadConfig({ PAYMENTS_ENCRYPTION_KEYS: KEYS, CODEC_SERVER_HOST: '127.0.0.1', CODEC_SERVER_PORT: '0' });
  codec = await startCodecServer(config, pino({ level: 'silent' }), async () => 'viewer');
});
afterAll(async () => {
  await codec?.close();
  await stack?.close();
});

/** What the command prints; its exit code and standard error where it fails. */
async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(temporal, [...args, '--address', stack.temporal.address]);
  return stdout;
}

async function waiting(): Promise<string> {
  const order = publishedOrder('pix');
  await stack.payments.pay(order);
  return paymentWorkflowId(APP.app_id, order.out_trade_no);
}

const throughCodec = () => ['--codec-endpoint', codec.url];
const resolution = '{"outcome": "CANCEL", "reason": "sent back by bank transfer", "by": "ana"}';

test('query shows the state', async () => {
  const id = await waiting();
  const said = await run('workflow', 'query', '--workflow-id', id, '--type', 'state', ...throughCodec());
  expect(said).toMatch(/"trade_status":\s*"PROCESSING"|trade_status:PROCESSING/);
});

test('update recheck and resolve do what they say, and print the answer', async () => {
  const id = await waiting();
  const update = ['workflow', 'update', 'execute', '--workflow-id', id, ...throughCodec()];
  expect(await run(...update, '--name', 'recheck')).toContain('PROCESSING');
  expect(await run(...update, '--name', 'resolve', '--input', resolution)).toContain('CANCEL');
  expect(await stack.client.workflow.getHandle(id).result()).toMatchObject({
    outcome: 'CANCEL',
    confirmed_by: 'operator',
  });
});

test('show has the order with masked names; without the codec server it shows nothing of it', async () => {
  const id = await waiting();
  const show = ['workflow', 'show', '--workflow-id', id, '--output', 'json'];
  const shown = opened(await run(...show, ...throughCodec()));
  expect(shown).toContain('"trade_status":"PROCESSING"');
  expect(shown).toContain('sends the order: PIX 150.00 BRL');
  expect(shown).not.toContain('Souza');
  expect(opened(await run(...show))).not.toContain('"trade_status"');
});

/** The text of a history with its payloads' base64 opened. */
const opened = (history: string) =>
  history.replace(/"data": "([^"]*)"/g, (_, data: string) => Buffer.from(data, 'base64').toString());

test('list finds by our search attributes, with and without the codec server', async () => {
  const id = await waiting();
  const query = `PaymentStatus = 'PROCESSING' AND WorkflowId = '${id}'`;
  await until(
    () => stack.client.workflow.count(query),
    ({ count }) => count > 0,
  );
  for (const options of [[], throughCodec()]) {
    expect(await run('workflow', 'list', '--query', query, '--output', 'json', ...options)).toContain(id);
  }
});
