/** A connection that is closed while a call waits for its next try ends the call, and not the process. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Connection } from '@temporalio/client';
import { endingOnceClosed } from '../../src/temporal/closed-connection';

test('a call that is to be tried again after its connection was closed has ended as canceled', async () => {
  // Temporal's address, where every connection is cut: the SDK tries the call again and again.
  const cut = createServer((socket) => socket.destroy());
  await once(cut.listen(0, '127.0.0.1'), 'listening');
  const address = cut.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const connection = Connection.lazy({ address: `127.0.0.1:${address.port}`, plugins: [endingOnceClosed] });
  const failed = connection.workflowService
    .describeNamespace({ namespace: 'default' })
    .catch((error: unknown) => error);
  await once(cut, 'connection');
  await connection.close();
  expect(await failed).toMatchObject({ details: expect.stringMatching(/shut down|closed/i) });
  cut.close();
});
