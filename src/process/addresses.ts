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
export function senderAddress({ headers, socket }: IncomingMessage, trusts: Networks): string {
  const { 'x-forwarded-for': written = [] } = headers;
  const hops = [written].flat().flatMap((list) => list.split(',').map((hop) => withoutPort(hop.trim())));
  const [own = '', ...before] = [...hops.filter(Boolean), socket.remoteAddress ?? ''].reverse();
  return [own, ...before].find((address) => !trusts(address)) ?? before.at(-1) ?? own;
}

/** Some proxies write the port, too: `203.0.113.9:4711`, `[2001:db8::1]:4711`. Each one would count as another sender. */
function withoutPort(hop: string): string {
  const [, four, six] = /^(?:([\d.]+)(?::\d+)?|\[([\da-f:.]+)\](?::\d+)?)$/i.exec(hop) ?? [];
  return four ?? six ?? hop;
}

/**
 * Who counts as one sender: an IPv4 address, or the first 56 bits of an IPv6 address. Providers give each customer a `/56` or more; if one
 * gives less, its customers share a count of refused requests, and genuine ones never count. Any other text is its own sender.
 */
export function senderOf(address: string): string {
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [text = ''] = address.split('%');
  if (!isIPv6(text)) return address;
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter(Boolean));
  // `::` leaves zeros out, and an IPv4 address at the end counts twice.
  const left = 8 - head.length - tail.length - (text.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: left }, () => '0'), ...tail].map((group) =>
    Number.parseInt(group, 16),
  );
  const [one = 0, two = 0, three = 0, four = 0] = groups;
  return `${[one, two, three, four & 0xff00].map((group) => group.toString(16)).join(':')}::/56`;
}
