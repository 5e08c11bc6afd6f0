/** Requests as bytes, well-formed or not, and the answers to them. */
import { connect } from 'node:net';
import { app, ipn, sign } from '../support';

export interface Head {
  line?: string;
  /** Replaces headers by name; undefined removes one. */
  headers?: Record<string, string | undefined>;
  /** More header lines, written as they are. */
  lines?: string[];
  body?: Uint8Array;
}

const CRLF = '\r\n';

/**
 * A good notification with these changes, so that only they can be the reason of a refusal. Its length is that of its body
 * unless `headers` give another.
 */
export function request({
  line = `POST /ipn/${app.app_id} HTTP/1.1`,
  headers = {},
  lines = [],
  body = ipn(),
}: Head = {}) {
  const all = {
    Host: 'webhook',
    'Content-Type': 'application/json',
    'Service-Signature': sign(body),
    'Content-Length': String(body.length),
    Connection: 'close',
    ...headers,
  };
  const written = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return Buffer.concat([Buffer.from([line, ...written, ...lines, '', ''].join(CRLF), 'latin1'), body]);
}

/** A good notification whose body is these chunks, written as they are. */
export function chunked(chunks: string, { headers = {}, ...head }: Head = {}): Buffer {
  const framing = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  const { length } = head.body ?? ipn();
  const whole = request({ ...head, headers: { ...framing, ...headers } });
  return Buffer.concat([whole.subarray(0, whole.length - length), Buffer.from(chunks, 'latin1')]);
}

/** One correct chunk. */
export const chunk = (body: Uint8Array) =>
  `${body.length.toString(16)}${CRLF}${Buffer.from(body).toString('latin1')}${CRLF}`;
export const LAST = `0${CRLF}${CRLF}`;

export interface Exchange {
  /** The statuses of the answers, in their order. */
  statuses: number[];
  text: string;
}

interface ExchangeOptions {
  /** The number of answers to wait for. Default: until the server closes the connection. */
  answers?: number;
  /** Close the sending half after the bytes. */
  hangUp?: boolean;
}

/** Writes bytes to a new connection; resolves with what came back. */
export function exchange(
  url: string,
  bytes: Uint8Array,
  { answers, hangUp = false }: ExchangeOptions = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    // The receiving half stays open for the answer after the sending half is closed.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const done = () => resolve({ statuses: statuses(), text });
    socket.setEncoding('latin1');
    socket.on('data', (more: string) => {
      text += more;
      if (answers !== undefined && statuses().length >= answers && text.endsWith('}')) socket.resetAndDestroy();
    });
    // A server may close with a reset.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', done);
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
}
