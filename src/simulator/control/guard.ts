import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Why a request may not use the control API, or `undefined`. Whoever reaches it can pay every order, so it answers this
 * machine only: the peer must be loopback, and so must the name it asked for (a web page can point its own name at
 * 127.0.0.1), and a page of another site may not press anything (a browser says where a request comes from).
 */
export function refusalToControl(request: FastifyRequest): string | undefined {
  if (!isLoopback(request.raw.socket.remoteAddress ?? '')) return 'The control API answers this machine only.';
  const host = hostName(`http://${request.headers.host ?? ''}`);
  if (host === undefined || !isLoopback(host)) return 'The control API answers to localhost and 127.0.0.1 only.';
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${request.headers.host}`) {
    return 'The control API does not answer to pages of other sites.';
  }
  return undefined;
}

/** Whether a name or an address means this machine. */
export function isLoopback(name: string): boolean {
  const address = name.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  if (isIP(address) === 4) return address.startsWith('127.');
  return address === '::1' || address.toLowerCase() === 'localhost';
}

function hostName(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
