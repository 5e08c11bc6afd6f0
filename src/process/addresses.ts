/** Addresses of requests, and lists of networks. */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import proxyaddr from '@fastify/proxy-addr';

/** Whether an address is in one of the networks. False for text that is not an address. */
export type Networks = (address: string) => boolean;

/**
 * Networks in CIDR notation, of IPv4 and IPv6; a bare address is a network of one. Throws TypeError for anything else, and
 * for a network that holds every address. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) counts as IPv4.
 */
export function networks(list: readonly string[]): Networks {
  // The library would take 203.0.113 for 203.0.0.113.
  const wrong = list.find((network) => isIP(network.split('/')[0] ?? '') === 0);
  if (wrong !== undefined) throw new TypeError(`${wrong} is no network, such as 203.0.113.0/24 or 2001:db8::/32`);
  const holds = proxyaddr.compile([...list]);
  return (address) => holds(address, 0);
}

/**
 * The address that a request comes from: that of its connection or, behind trusted proxies, the one that they saw. A hop of
 * `X-Forwarded-For` counts only if a trusted proxy wrote it, because anybody can send that header.
 */
export function senderAddress(request: IncomingMessage, trusts: Networks): string {
  return proxyaddr(request, (address) => trusts(address));
}

/**
 * Who counts as one sender: an IPv4 address, or the first 64 bits of an IPv6 one, of which every customer of a provider has all the
 * rest. Any other text is its own sender.
 */
export function senderOf(address: string): string {
  const [, four] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (four !== undefined) return four;
  const [text = ''] = address.split('%');
  if (!isIPv6(text)) return address;
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter(Boolean));
  // `::` leaves zeros out, and an IPv4 address at the end counts twice.
  const left = 8 - head.length - tail.length - (text.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: left }, () => '0'), ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
