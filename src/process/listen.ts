/** How a server of ours takes its port. */
import { z } from 'zod';
import { ConfigError } from './user-error';

/** Where a server listens, in words for the person who chose it. */
export interface ListenPlace {
  /** The server, such as `The webhook`. */
  what: string;
  host: string;
  port: number;
  /** The variables that hold the host and the port. */
  settings: Readonly<Record<'host' | 'port', string>>;
}

/** Starts a server. Throws ConfigError if the place cannot be listened on, and what `start` throws otherwise. */
export async function listen<T>({ what, host, port, settings }: ListenPlace, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { success, data } = ofListening.safeParse(error);
    if (!success) throw error;
    const toDo = OF_PORTS.includes(data.code)
      ? `${settings.port} to another port. 0 takes a free one.`
      : `${settings.host} to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them.`;
    throw new ConfigError(`${what} cannot listen on ${host}:${port} (${data.code}). Set ${toDo}`);
  }
}

/** The port is taken, or needs more rights. Every other error of listening is about the host. */
const OF_PORTS = ['EADDRINUSE', 'EACCES'];

/** Node’s errors name the call of the system: another file that cannot be opened says nothing about the place. */
const ofListening = z.object({ code: z.string(), syscall: z.enum(['listen', 'getaddrinfo']) });

/** Where a listening address of the settings is, such as `127.0.0.1:9464` or `[::1]:9464`. */
export function placeOf(address: string): Pick<ListenPlace, 'host' | 'port'> {
  const { hostname, port } = new URL(`http://${address}`);
  // A URL has no port if the port is the usual one.
  return { host: hostname.replace(/[[\]]/g, ''), port: Number(port || 80) };
}
