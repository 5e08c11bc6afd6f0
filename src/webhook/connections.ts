/** Limits the connections of one address and of all together, so that no sender keeps out the others. */
import type { Socket } from 'node:net';
import { senderOf } from '../process/addresses';

export interface ConnectionRules {
  /** Connections of one address, or of one network of IPv6, at the same time. */
  perAddress: number;
  overall: number;
  /** Whether an address may have any number: a trusted proxy, or one of the allow-list. */
  isExempt(address: string): boolean;
  /** Whether an address has no business here: then nothing of it is read. */
  isStranger(address: string): boolean;
  isGenuine(socket: Socket): boolean;
  onClosed(address: string): void;
}

interface Connection {
  socket: Socket;
  address: string;
  sender: string;
  isExempt: boolean;
}

/**
 * At a limit, the oldest connection without a genuine notification is closed in favour of the new one: a sender that shares the gateway's
 * address, behind a proxy or a NAT, cannot keep the gateway out by holding all connections. If every connection has brought something
 * genuine, the new one is closed.
 */
export function boundConnections(
  server: { on(event: 'connection', listener: (socket: Socket) => void): unknown },
  rules: ConnectionRules,
): void {
  // In the order in which they came.
  const open = new Set<Connection>();
  const ofSender = new Map<string, Set<Connection>>();

  function leave(connection: Connection): void {
    open.delete(connection);
    const own = ofSender.get(connection.sender);
    own?.delete(connection);
    if (own?.size === 0) ofSender.delete(connection.sender);
  }

  function close(connection: Connection): void {
    leave(connection);
    connection.socket.destroy();
    rules.onClosed(connection.address);
  }

  /** Whether there is room for one more, if need be by closing another. */
  function hasRoom(among: ReadonlySet<Connection>, limit: number): boolean {
    if (among.size < limit) return true;
    const oldest = oldestUnproven(among);
    if (oldest) close(oldest);
    return oldest !== undefined;
  }

  /** Connections of proxies and of the allow-list come last. Mostly one of the first in the set is found. */
  function oldestUnproven(among: ReadonlySet<Connection>): Connection | undefined {
    let exempt: Connection | undefined;
    for (const connection of among) {
      if (rules.isGenuine(connection.socket)) continue;
      if (!connection.isExempt) return connection;
      exempt ??= connection;
    }
    return exempt;
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    const sender = senderOf(address);
    const connection = { socket, address, sender, isExempt: rules.isExempt(address) };
    const own = ofSender.get(sender) ?? new Set();
    const mayCome =
      !rules.isStranger(address) &&
      (connection.isExempt || hasRoom(own, rules.perAddress)) &&
      hasRoom(open, rules.overall);
    if (!mayCome) {
      close(connection);
      return;
    }
    open.add(connection);
    ofSender.set(sender, own.add(connection));
    socket.on('close', () => leave(connection));
  });
}
