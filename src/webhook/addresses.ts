/** Who sends: the address of a request, and whether it is in a list of networks. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyaddr from '@fastify/proxy-addr';

/** Whether an address is in one of some networks. What is no address is in none. */
export type Networks = (address: string) => boolean;

/**
 * Networks in CIDR notation, of IPv4 and IPv6; a bare address is a network of one. Throws a TypeError for anything else,
 * and for a network that is everything. An IPv4 address that comes over IPv6 (`::ffff:192.0.2.1`) counts as what it is.
 */
export function networks(list: readonly string[]): Networks {
  // The library would take 203.0.113 for 203.0.0.113.
  const wrong = list.find((network) => isIP(network.split('/')[0] ?? '') === 0);
  if (wrong !== undefined) throw new TypeError(`${wrong} is no network, such as 203.0.113.0/24 or 2001:db8::/32`);
  const holds = proxyaddr.compile([...list]);
  return (address) => holds(address, 0);
}

/**
 * Where a request comes from: the address of its connection, or, where that is a trusted proxy's, the one that the proxy
 * saw. Each hop of `X-Forwarded-For` is believed only as far as a trusted proxy wrote it, since anybody can send one.
 */
export function senderAddress(request: IncomingMessage, trusts: Networks): string {
  return proxyaddr(request, (address) => trusts(address));
}
