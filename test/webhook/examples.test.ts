/** The example programs that mount the endpoint, as a merchant runs them: real frameworks and a real Temporal. */
import { randomBytes } from 'node:crypto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { devServer } from '../../src/testing/dev-server';
import { servers } from './serving';
import { ipn, post, app as shop, sign } from './support';

const { serve, platform, closeToo, closeAll } = servers();
const environment = { ...process.env };
let temporal: TestWorkflowEnvironment;

beforeAll(async () => {
  temporal = await devServer();
  // The examples read the environment when they are loaded.
  Object.assign(process.env, {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    GATEWAY_BASE_URL: 'https://gateway.example',
    GATEWAY_APP_ID: shop.app_id,
    GATEWAY_SECRET_KEY: shop.secret_key,
    PAYMENTS_TASK_QUEUE: 'examples',
    PAYMENTS_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  });
  for (const level of ['info', 'warn', 'error'] as const) jest.spyOn(console, level).mockImplementation();
});
afterAll(async () => {
  await closeAll();
  await example<typeof import('../../examples/typescript/webhook')>('webhook').client.connection.close();
  await temporal?.teardown();
  process.env = environment;
});

/** Loads an example after the environment is set. */
const example = <T extends object>(name: string) => jest.requireActual<T>(`../../examples/typescript/${name}`);

/** Starts each example. Resolves to its URL up to `/ipn/{app_id}`. */
const EXAMPLES: Record<string, () => Promise<string>> = {
  async 'webhook-fastify.ts'() {
    const { app } = example<typeof import('../../examples/typescript/webhook-fastify')>('webhook-fastify');
    closeToo(() => app.close());
    return `${await app.listen({ host: '127.0.0.1', port: 0 })}/payments`;
  },
  async 'webhook-express.ts'() {
    const { app } = example<typeof import('../../examples/typescript/webhook-express')>('webhook-express');
    return serve(app);
  },
  async 'webhook-hono.ts'() {
    const { app } = example<typeof import('../../examples/typescript/webhook-hono')>('webhook-hono');
    return platform((request) => app.fetch(request));
  },
  async 'webhook-next.ts'() {
    const { POST } = example<typeof import('../../examples/typescript/webhook-next')>('webhook-next');
    return platform(POST);
  },
};

test.each(Object.entries(EXAMPLES))(
  '%s gives a notification to Temporal, encrypted, and refuses a forged one',
  async (name, start) => {
    const url = await start();
    const out_trade_no = `order-by-${name}`;
    const body = ipn({ out_trade_no });
    // The header in which the platform of Next.js gives the sender's address.
    const headers = { 'x-real-ip': '127.0.0.1' };
    expect(await post(url, body)).toMatchObject({ status: 200, body: 'success' });
    const forged = { ...headers, 'service-signature': sign(ipn()) };
    expect(await post(url, body, { headers: forged })).toMatchObject({ status: 401, body: '{"result":"fail"}' });

    const { events } = await temporal.client.workflow
      .getHandle(`payment:${shop.app_id}:${out_trade_no}`)
      .fetchHistory();
    const [started, ...signals] = (events ?? []).flatMap(
      ({ workflowExecutionStartedEventAttributes: start, workflowExecutionSignaledEventAttributes: signal }) =>
        start ?? signal ?? [],
    );
    expect(signals).toHaveLength(1);
    for (const { input } of [started, ...signals].flatMap((each) => each ?? [])) {
      expect(String(input?.payloads?.[0]?.metadata?.encoding)).toBe('binary/encrypted');
    }
  },
);
