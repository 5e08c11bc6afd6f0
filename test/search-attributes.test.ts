/** What a namespace must have before payments can run in it, and what is said where it has not. */
import { Connection } from '@temporalio/client';
import { temporal as api } from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { loadConfig } from '../src/config';
import { defaultCacheDir, resolveBinary } from '../src/embedded';
import { missingSearchAttributes, registerSearchAttributes } from '../src/search-attributes';
import { createWorker } from '../src/worker';
import { SEARCH_ATTRIBUTES } from '../src/workflows/contract';
import { quiet } from './harness/temporal';

const NAMES = Object.keys(SEARCH_ATTRIBUTES);

let server: TestWorkflowEnvironment;
let connection: Connection;
beforeAll(quiet);
beforeEach(async () => {
  const path = await resolveBinary('temporal-cli', { cacheDir: defaultCacheDir() });
  server = await TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'existing-path', path } } });
  connection = await Connection.connect({ address: server.address });
});
afterEach(async () => {
  await connection?.close();
  await server?.teardown();
});

const worker = () =>
  createWorker(
    loadConfig({ GATEWAY_BASE_URL: 'http://127.0.0.1:9', GATEWAY_APP_ID: 'app', GATEWAY_SECRET_KEY: 'key' }),
    { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'default' },
  );

test('a worker does not start without them, names them and the command that helps; then it does', async () => {
  await expect(worker()).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(
      new RegExp(`lacks the search attributes ${NAMES.join(', ')}.*payment-gateway setup`, 's'),
    ),
  });
  expect(await registerSearchAttributes(connection, 'default')).toEqual(NAMES);
  expect(await registerSearchAttributes(connection, 'default')).toEqual([]);
  const started = await worker();
  const running = started.run();
  started.shutdown();
  await running;
});

test('one of another type is named with both types, for Temporal itself would keep it in silence', async () => {
  const { INDEXED_VALUE_TYPE_INT } = api.api.enums.v1.IndexedValueType;
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { PaymentAmount: INDEXED_VALUE_TYPE_INT },
  });
  await expect(missingSearchAttributes(connection, 'default')).rejects.toThrow(
    'The search attribute PaymentAmount of the namespace default is registered as INT, and payments need DOUBLE.',
  );
});
