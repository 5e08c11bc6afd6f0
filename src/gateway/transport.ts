/**
 * One HTTP exchange with the gateway: a pool of connections to its base address, bounded in time and size, that follows
 * no redirect and repeats nothing. Retrying belongs to Temporal alone.
 */
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

export interface TransportSettings {
  /** The gateway's base address, without the operation's path. */
  base_url: string;
  /** Milliseconds for the connection to stand, TLS included. */
  connect_timeout_ms: number;
  /** Milliseconds to wait for the answer's head, and again for its body. */
  answer_timeout_ms: number;
  /** Bytes that an answer may have at most. */
  max_answer_bytes: number;
}

export const TRANSPORT_DEFAULTS = {
  connect_timeout_ms: 5_000,
  answer_timeout_ms: 15_000,
  max_answer_bytes: 1_048_576,
} as const;

export interface HttpAnswer {
  status: number;
  body: Uint8Array;
}

/** The exchange brought no whole answer. `sent` is false only where certainly no byte of the request left. */
export class ExchangeError extends Error {
  constructor(
    readonly sent: boolean,
    readonly reason: string,
  ) {
    super(reason);
  }
}

export class Transport {
  private readonly pool: Pool;
  private readonly path: string;
  private readonly failedToConnect = new WeakSet<object>();

  constructor(private readonly settings: TransportSettings) {
    const base = new URL(settings.base_url);
    this.path = base.pathname.replace(/\/$/, '');
    const connect = buildConnector({ timeout: settings.connect_timeout_ms });
    this.pool = new Pool(base.origin, {
      connections: 32,
      // A pipelined request that is reset makes every one behind it ambiguous.
      pipelining: 1,
      headersTimeout: settings.answer_timeout_ms,
      bodyTimeout: settings.answer_timeout_ms,
      maxResponseSize: settings.max_answer_bytes,
      // Shorter than any gateway's idle time-out: a stale socket's reset would make an order ambiguous for nothing.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      // What the connector itself reports happened before any request could be written.
      connect: (options, callback) =>
        connect(options, (...[error, socket]: [Error, null] | [null, Socket]) => {
          if (error) this.failedToConnect.add(error);
          if (error) callback(error, null);
          else callback(null, socket);
        }),
    });
  }

  /** POSTs `body` to an operation's path. Throws ExchangeError; never for an HTTP status. */
  async post(path: string, headers: Record<string, string>, body: string): Promise<HttpAnswer> {
    try {
      const { statusCode, body: answer } = await this.pool.request({
        method: 'POST',
        path: this.path + path,
        headers,
        body,
        // The whole exchange is bounded too: a gateway that sends a byte now and then must not hold an order for ever.
        signal: AbortSignal.timeout(this.settings.connect_timeout_ms + 2 * this.settings.answer_timeout_ms),
      });
      return { status: statusCode, body: new Uint8Array(await answer.arrayBuffer()) };
    } catch (error) {
      const failure = typeof error === 'object' && error !== null ? error : {};
      throw new ExchangeError(!this.failedToConnect.has(failure), reasonOf(failure));
    }
  }

  /** Ends every connection once what is under way has been answered. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** The error's own code where it has one: messages of the network layer can quote addresses and headers. */
function reasonOf(failure: object): string {
  if ('code' in failure && typeof failure.code === 'string') return failure.code;
  return 'name' in failure && typeof failure.name === 'string' ? failure.name : 'unknown failure';
}
