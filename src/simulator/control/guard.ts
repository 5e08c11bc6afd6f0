import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * Why a request may not use the control API, or `undefined` if it may. Whoever reaches the API can pay every order, so it
 * answers this machine only. The peer must be loopback. The host name must be loopback too, because a web page can point
 * its own name at 127.0.0.1. The browser must not say that the request comes from a page of another site.
 */
export function refusalToControl(request: FastifyRequest): string | undefined {
  if (!isLocalName(request.raw.socket.remoteAddress ?? '')) return 'The control API answers this machine only.';
  const address = `http://${request.headers.host ?? ''}`;
  if (!URL.canParse(address) || !isLocalName(new URL(address).hostname)) {
    return 'The control API answers to localhost and 127.0.0.1 only.';
  }
  const { origin } = request.headers;
  if (origin !== undefined && origin !== address) return 'The control API does not answer to pages of other sites.';
  return undefined;
}

/** Whether a name or an address means this machine. */
export function isLocalName(name: string): boolean {
  const address = name.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  if (isIP(address) === 4) return address.startsWith('127.');
  return address === '::1' || address.toLowerCase() === 'localhost';
}
