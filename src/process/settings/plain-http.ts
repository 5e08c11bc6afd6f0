/** Addresses without TLS. Anyone on the way can read keys, tokens and PINs, and answer in the gateway's place. */
import { isIPv4 } from 'node:net';

/** Whether an `http:` address leaves this machine and its neighbours: names without a dot belong to containers and local hosts. */
export function isExposed(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'http:' || hostname === '[::1]') return false;
  return isIPv4(hostname) ? !hostname.startsWith('127.') : /[.:]/.test(hostname);
}

/** A sentence for each address that needs TLS, or `PAYMENTS_INSECURE_PLAIN_HTTP`. */
export function exposedAddresses(addresses: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(addresses).flatMap(([name, address]) =>
    address !== undefined && isExposed(address)
      ? [
          `${name}: must begin with https://, or everybody on the way reads it and answers in its place (PAYMENTS_INSECURE_PLAIN_HTTP=true allows it)`,
        ]
      : [],
  );
}
