/** A connection that is closed while a call waits for its next try ends the call, and not the process. */
import { once } from 'node:events';
import { createServer } from 'node:net';
// biome-ignore lint/style/noRestrictedImports: the SDK's own connection, which the plugin is to end.
import { Connection } from '@temporalio/client';
import { PaymentGatewayPlugin } from '../../src/plugin';
import { loadConfig } from '../../src/process/settings';
import { connectOnceAsked } from '../../src/temporal/closed-connection';

const config = loadConfig({ PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: 'true' });
const WAYS: Record<string, (address: string) => Pick<Connection, 'workflowService' | 'close'>> = {
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
