import type { TestWorkflowEnvironment } from '@temporalio/testing';
import pino from 'pino';
import { freePort } from '../../src/cli/dev/temporal';
import { loadConfig } from '../../src/process/settings';
import { devServer } from '../../src/testing/dev-server';
import { runWebhook, startWebhook } from '../../src/webhook';
import { app, ipn, post, send } from './support';

let temporal: TestWorkflowEnvironment;
let env: Record<string, string>;
beforeAll(async () => {
  temporal = await devServer();
  env = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    // No GATEWAY_BASE_URL: it never calls the gateway.
    GATEWAY_APP_ID: app.app_id,
    GATEWAY_SECRET_KEY: app.secret_key,
    WEBHOOK_PORT: '0',
    PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
  };
});
afterAll(() => temporal?.teardown());

const start = (changes: Record<string, string> = {}) => {
  const given = { ...env, ...changes };
  return startWebhook(loadConfig(given), given, pino({ level: 'silent' }));
};

test('uses the app and the task queue of its environment', async () => {
  const webhook = await start({ PAYMENTS_TASK_QUEUE: 'another-queue' });
  expect(await post(webhook.url, ipn({ out_trade_no: 'from-env' }))).toMatchObject({ status: 200, body: 'success' });
  expect((await send(`${webhook.url}/readyz`)).status).toBe(200);
  const { taskQueue } = await temporal.client.workflow.getHandle(`payment:${app.app_id}:from-env`).describe();
  expect(taskQueue).toBe('another-queue');
  await webhook.close();
});

describe('a stop signal', () => {
  test('turns /readyz to 503 while notifications are still taken, and a second one ends the webhook', async () => {
    const { port } = await freePort(0);
    const url = `http://127.0.0.1:${port}`;
    const running = runWebhook({ ...env, WEBHOOK_PORT: `${port}`, WEBHOOK_STOP_DELAY: '1h', LOG_LEVEL: 'silent' });
    const ready = () =>
      send(`${url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    while ((await ready()) !== 200);

    process.emit('SIGTERM');
    expect(await ready()).toBe(503);
    expect(await post(url, ipn({ out_trade_no: 'while-stopping' }))).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
    });
    process.emit('SIGINT');
    await running;
    expect(await ready()).toBe(0);
  });
});

test('serves checks of health on an address of their own, and there alone', async () => {
  const { port } = await freePort(0);
  const webhook = await start({ HEALTH_ADDRESS: `127.0.0.1:${port}` });
  for (const check of ['healthz', 'readyz']) {
    expect((await send(`http://127.0.0.1:${port}/${check}`)).status).toBe(200);
    expect((await send(`${webhook.url}/${check}`)).status).toBe(404);
  }
  webhook.retire();
  expect((await send(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  await webhook.close();
  await expect(send(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
  await expect(start({ HEALTH_ADDRESS: '203.0.113.1:9' })).rejects.toThrow();
});
