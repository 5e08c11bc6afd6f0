/**
 * HTTP to the gateway: a pool of connections to its base address, with limits on time and size. It follows no redirects and
 * repeats nothing, because only Temporal retries.
 */
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

export interface TransportSettings {
  /** The gateway's base address, without the operation's path. */
  base_url: string;
  /** How long connecting may take, with TLS, in ms. */
  connect_timeout_ms: number;
  /** How long to wait for the head of a response, and again for its body, in ms. */
  answer_timeout_ms: number;
  /** The largest response, in bytes. */
  max_answer_bytes: number;
}

export const TRANSPORT_DEFAULTS = {
  connect_timeout_ms: 5_000,
  answer_timeout_ms: 15_000,
  max_answer_bytes: 1_048_576,
} as const;

/** A whole HTTP response of any status. */
export interface HttpResponse {
  status: number;
  body: Uint8Array;
  /** The header `Date`: the gateway's clock. */
  date?: string | undefined;
}

/** There was no whole response. `sent` is false only if certainly no byte of the request was sent. */
export class ExchangeError extends Error {
  constructor(
    readonly sent: boolean,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** What carries requests to the gateway and brings its answers. */
export interface Exchange {
  /** POSTs `body` to an operation's path. Throws ExchangeError; never for an HTTP status. */
  post(path: string, headers: Record<string, string>, body: string): Promise<HttpResponse>;
  close(): Promise<void>;
}

export class Transport implements Exchange {
  private readonly origin: string;
  private pool: Pool | undefined;
  private readonly path: string;
  private readonly failedToConnect = new WeakSet<object>();

  constructor(private readonly settings: TransportSettings) {
    const base = new URL(settings.base_url);
    this.origin = base.origin;
    this.path = base.pathname.replace(/\/$/, '');
  }

  private open(): Pool {
    const { settings } = this;
    const connect = buildConnector({ timeout: settings.connect_timeout_ms });
    return new Pool(this.origin, {
      connections: 32,
      // With pipelining, one reset would make the outcome of all requests behind it unknown.
      pipelining: 1,
      headersTimeout: settings.answer_timeout_ms,
      bodyTimeout: settings.answer_timeout_ms,
      maxResponseSize: settings.max_answer_bytes,
      // Shorter than any gateway's idle timeout, because the reset of a stale socket makes the outcome of a call unknown.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 4_000,
      // An error of the connector comes before any request is written.
      connect: (options, callback) =>
        connect(options, (...[error, socket]: [Error, null] | [null, Socket]) => {
          if (error) this.failedToConnect.add(error);
          if (error) callback(error, null);
          else callback(null, socket);
        }),
    });
  }

  /** POSTs `body` to the path of an operation. Returns a response of any HTTP status; throws ExchangeError if there is none. */
  async post(path: string, headers: Record<string, string>, body: string): Promise<HttpResponse> {
    this.pool ??= this.open();
    try {
      const {
        statusCode,
        headers: said,
        body: answer,
      } = await this.pool.request({
        method: 'POST',
        path: this.path + path,
        headers,
        body,
        // Limits the whole exchange: a gateway that sends a byte now and then would never reach the other limits.
        signal: AbortSignal.timeout(this.settings.connect_timeout_ms + 2 * this.settings.answer_timeout_ms),
      });
      const date = typeof said.date === 'string' ? { date: said.date } : {};
      return { status: statusCode, body: new Uint8Array(await answer.arrayBuffer()), ...date };
    } catch (error) {
      const failure = typeof error === 'object' && error !== null ? error : {};
      throw new ExchangeError(!this.failedToConnect.has(failure), reasonOf(failure));
    }
  }

  /** Closes the connections after open requests have been answered. A later request opens new ones. */
  async close(): Promise<void> {
    const { pool } = this;
    this.pool = undefined;
    await pool?.close();
  }
}

/** The code of an error, or its name. Not its message, which can quote addresses and headers. */
function reasonOf(failure: object): string {
  if ('code' in failure && typeof failure.code === 'string') return failure.code;
  return 'name' in failure && typeof failure.name === 'string' ? failure.name : 'unknown failure';
}
