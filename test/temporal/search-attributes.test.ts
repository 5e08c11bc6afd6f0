/** What a namespace must have before payments can run in it, and what is said where it has not. */
import { temporal as api } from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { loadConfig } from '../../src/process/settings';
import { connectTo } from '../../src/temporal/closed-connection';
import {
  missingSearchAttributes,
  registerSearchAttributes,
  SEARCH_ATTRIBUTE_NAMES,
} from '../../src/temporal/search-attributes';
import { bareServer } from '../../src/testing/dev-server';
import { createWorker } from '../../src/worker';

let server: TestWorkflowEnvironment;
let connection: Awaited<ReturnType<typeof connectTo>>;
beforeEach(async () => {
  server = await bareServer();
  connection = await connectTo({ address: server.address });
});
afterEach(async () => {
  await connection?.close();
  await server?.teardown();
});

const worker = () =>
  createWorker(
    loadConfig({
      GATEWAY_BASE_URL: 'http://127.0.0.1:9',
      GATEWAY_APP_ID: 'app',
      GATEWAY_SECRET_KEY: 'key-of-the-app',
      WEBHOOK_PUBLIC_URL: 'https://shop.example',
      PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true',
    }),
    { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'default' },
  );

test('a worker without the search attributes is refused with their names and the command that registers them', async () => {
  await expect(worker()).rejects.toMatchObject({
    name: 'NotSetUpError',
    message: expect.stringMatching(
      new RegExp(`lacks the search attributes ${SEARCH_ATTRIBUTE_NAMES.join(', ')}.*payment-gateway setup`, 's'),
    ),
  });
  expect(await registerSearchAttributes(connection, 'default')).toEqual(SEARCH_ATTRIBUTE_NAMES);
  expect(await registerSearchAttributes(connection, 'default')).toEqual([]);
  const started = await worker();
  const running = started.run();
  started.shutdown();
  await running;
});

test('a search attribute of another type is refused with both types', async () => {
  const { INDEXED_VALUE_TYPE_INT } = api.api.enums.v1.IndexedValueType;
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { PaymentAmount: INDEXED_VALUE_TYPE_INT },
  });
  await expect(missingSearchAttributes(connection, 'default')).rejects.toThrow(
    'The search attribute PaymentAmount of the namespace default is registered as INT, and payments need DOUBLE.',
  );
});
