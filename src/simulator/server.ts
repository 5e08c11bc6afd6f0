import Fastify, { type FastifyInstance } from 'fastify';
import { checkoutRoutes } from './checkout/routes';
import { SimulatorClock } from './clock';
import { controlRoutes } from './control/routes';
import { openApiRoutes } from './openapi/document';
import { operationRoutes } from './operations/routes';
import { operatorRoutes } from './operator/routes';
import type { SimulatorOptions } from './options';
import { SimulatedGateway } from './simulated-gateway';
import { Simulator } from './simulator';
import { Store } from './store';

// The longest request that is read, in bytes. Orders have a few hundred.
const LONGEST_BODY = 256 * 1024;

/** Starts a simulated gateway. Resolves when it listens, with all that its data file remembers. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, dataFile, allowRemoteControl = false } = options;
  const clock = options.clock instanceof SimulatorClock ? options.clock : new SimulatorClock(options.clock);
  const gateway = new SimulatedGateway(options, clock, await Store.open(dataFile, clock));
  const server = newServer();
  const simulator = new Simulator(gateway, async () => {
    await gateway.stop();
    await server.close();
    await gateway.store.save();
  });
  operationRoutes(server, gateway);
  server.register(checkoutRoutes, { gateway });
  openApiRoutes(server, gateway);
  const control = { simulator, allowRemote: allowRemoteControl };
  server.register(controlRoutes, { prefix: '/simulator', ...control });
  server.register(operatorRoutes, { prefix: '/simulator/desk', ...control });
  gateway.resume(await server.listen({ host, port }));
  return simulator;
}

function newServer(): FastifyInstance {
  const server = Fastify({
    bodyLimit: LONGEST_BODY,
    requestTimeout: 30_000,
    // Idle connections of clients must not hold up close().
    forceCloseConnections: true,
  });
  // Bodies stay bytes: forms and JSON are read in different ways, and amounts need more digits than JSON.parse keeps.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.get('/healthz', () => ({ status: 'ok' }));
  return server;
}
