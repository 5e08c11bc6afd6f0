import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

interface PortChoice {
  port: number;
  /** The preferred port if another program has it; null if the preferred one was given. */
  taken: number | null;
}

/** Ports that were given already, so that two calls never give the same one before it is used. */
const given = new Set<number>();

/** Below the ports that systems give to outgoing connections: those come and go while a server is restarted. */
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_000;
/** How many ports are tried there before the system chooses. */
const MOST_TRIES = 50;

/**
 * A port to listen on: the preferred one if it is free, else another (0: always another). Another program may still take it
 * before it is used. Throws Error if `host` is not an address of this machine.
 */
export async function freePort(preferred: number, host = '127.0.0.1'): Promise<PortChoice> {
  if (preferred !== 0 && (await isPortFree(preferred, host))) return { port: preferred, taken: null };
  for (let tries = 1; ; tries += 1) {
    const port = await tryListen(tries > MOST_TRIES ? 0 : randomInt(LOWEST_PORT, HIGHEST_PORT), host);
    if (port === null || given.has(port)) continue;
    given.add(port);
    return { port, taken: preferred === 0 ? null : preferred };
  }
}

/** Whether this process could listen there. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  // Some systems let us listen on 127.0.0.1 while another program has the port on all addresses, so also try to connect.
  return (await tryListen(port, host)) !== null && !(await isListening(port, host));
}

/** Whether a program accepts connections there. */
export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
  });
}

/** Listens for a moment and returns the port, or null if it is taken or not allowed. */
function tryListen(port: number, host: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(new Error(`Cannot listen on ${host}: ${error.message}`));
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}
