/** Connections of ours: one that is closed while a call waits for its next try ends the call, and not the process. */
import { once } from 'node:events';
import { createServer } from 'node:net';
// biome-ignore lint/style/noRestrictedImports: the SDK's own connection, which the plugin is to end.
import { Connection } from '@temporalio/client';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { loadConfig } from '../../src/process/settings';
import { connectOnceAsked } from '../../src/temporal/closed-connection';

const config = loadConfig({ PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' });
const WAYS: Record<string, (address: string) => Pick<Connection, 'workflowService' | 'close' | 'options'>> = {
  'of ours': (address) => connectOnceAsked({ address }),
  'with the plugin': (address) => Connection.lazy({ address, plugins: [new PaymentGatewayPlugin(config)] }),
};

test.each(Object.entries(WAYS))(
  'a connection %s: a call that is to be tried again after its connection was closed has ended as canceled',
  async (_, open) => {
    // Temporal's address, where every connection is cut: the SDK tries the call again and again.
    const cut = createServer((socket) => socket.destroy());
    await once(cut.listen(0, '127.0.0.1'), 'listening');
    const address = cut.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const connection = open(`127.0.0.1:${address.port}`);
    const failed = connection.workflowService
      .describeNamespace({ namespace: 'default' })
      .catch((error: unknown) => error);
    await once(cut, 'connection');
    await connection.close();
    expect(await failed).toMatchObject({ details: expect.stringMatching(/shut down|closed/i) });
    cut.close();
  },
);

test.each(Object.entries(WAYS))(
  'a connection %s: Temporal that is back after a long outage is tried again within seconds, and not within two minutes',
  async (_, open) => {
    const connection = open('127.0.0.1:1');
    expect(connection.options.channelArgs).toMatchObject({ 'grpc.max_reconnect_backoff_ms': 5_000 });
    await connection.close();
  },
);
