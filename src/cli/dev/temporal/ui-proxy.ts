/**
 * Temporal UI answers to any host name, so that any web page could point its own name at this machine, read payments and end them (DNS
 * rebinding). This proxy stands in front of it, and answers only to the names of this machine.
 */
import { randomInt } from 'node:crypto';
import httpProxy from '@fastify/http-proxy';
import fastify from 'fastify';
import { freePort } from './ports';

/** An address and a port of this machine. */
export interface Place {
  host: string;
  port: number;
}

/** Where Temporal UI itself listens: on systems with many local addresses, at one that a page would have to guess. */
export async function hiddenPlace(port: number): Promise<Place> {
  if (process.platform !== 'linux') return { host: '127.0.0.1', port: (await freePort(0)).port };
  return { host: `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`, port };
}

/** Starts the proxy at `at` for the UI at `ui`. Returns the function that stops it. */
export async function guardTemporalUi(at: Place, ui: Place): Promise<() => Promise<void>> {
  const names = new Set([at.host, '127.0.0.1', 'localhost', '[::1]']);
  const server = fastify({ forceCloseConnections: true });
  server.addHook('onRequest', async (request, reply) => {
    const address = `http://${request.headers.host ?? ''}`;
    if (URL.canParse(address) && names.has(new URL(address).hostname)) return;
    return reply.code(403).type('text/plain').send('Temporal UI answers to localhost and 127.0.0.1 only.\n');
  });
  await server.register(httpProxy, { upstream: `http://${ui.host}:${ui.port}` });
  await server.listen(at);
  return () => server.close();
}
