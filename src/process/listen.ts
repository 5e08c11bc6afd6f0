/** How a server of ours takes its port. */
import { ConfigError } from './user-error';

/** Where a server listens, in words for the person who chose it. */
export interface ListenPlace {
  /** The server, such as `The webhook`. */
  what: string;
  host: string;
  port: number;
  /** The variable that holds the port. */
  setting: string;
}

/** Starts a server. Throws ConfigError if the port is taken or needs more rights, and what `start` throws otherwise. */
export async function listen<T>({ what, host, port, setting }: ListenPlace, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new ConfigError(
      `${what} cannot listen on ${host}:${port} (${code}). Set ${setting} to another port. 0 takes a free one.`,
    );
  }
}

/** Where a listening address of the settings is, such as `127.0.0.1:9464` or `[::1]:9464`. */
export function placeOf(address: string): Pick<ListenPlace, 'host' | 'port'> {
  const { hostname, port } = new URL(`http://${address}`);
  // A URL has no port if the port is the usual one.
  return { host: hostname.replace(/[[\]]/g, ''), port: Number(port || 80) };
}
