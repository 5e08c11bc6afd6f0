/** A server of a test at a free port of this machine. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { z } from 'zod';

/** Listens, and gives where: `http://127.0.0.1:PORT`. `close` cuts what is open. */
export async function localServer(server: Server): Promise<{ origin: string; close(): Promise<void> }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
