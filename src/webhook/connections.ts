/** Bounds the connections of one address, so that nobody takes the place of all others. */
import type { Socket } from 'node:net';
import { senderOf } from '../process/addresses';

export interface ConnectionRules {
  /** Connections of one address, or of one network of IPv6, at the same time. */
  perAddress: number;
  /** Whether an address may have any number: a trusted proxy, or one of the allow-list. */
  isExempt(address: string): boolean;
  /** Whether an address has no business here: then nothing of it is read. */
  isStranger(address: string): boolean;
  /** Called with the first refused address of a minute or so. */
  onRefused(address: string): void;
}

export function boundConnections(
  server: { on(event: 'connection', listener: (socket: Socket) => void): unknown },
  { perAddress, isExempt, isStranger, onRefused }: ConnectionRules,
): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    const sender = senderOf(address);
    const count = (open.get(sender) ?? 0) + 1;
    if (isStranger(address) || (count > perAddress && !isExempt(address))) {
      onRefused(address);
      socket.destroy();
      return;
    }
    open.set(sender, count);
    socket.on('close', () => {
      const left = (open.get(sender) ?? 1) - 1;
      if (left === 0) open.delete(sender);
      else open.set(sender, left);
    });
  });
}
