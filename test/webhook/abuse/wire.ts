/** Requests as bytes, well-formed or not, and what comes back of them. */
import { connect } from 'node:net';
import { app, ipn, sign } from '../support';

export interface Head {
  line?: string;
  /** Replaces headers by name; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
  /** Lines after them, as they are. */
  lines?: string[];
  body?: Uint8Array;
}

const CRLF = '\r\n';

/**
 * A notification with the right signature, but for what is given: so that what is refused is refused for that alone. It
 * has the length of its body unless told otherwise.
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

/** A notification whose body comes in these chunks, written as they are. */
export function chunked(chunks: string, { headers = {}, ...head }: Head = {}): Buffer {
  const framing = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
  const { length } = head.body ?? ipn();
  const whole = request({ ...head, headers: { ...framing, ...headers } });
  return Buffer.concat([whole.subarray(0, whole.length - length), Buffer.from(chunks, 'latin1')]);
}

/** One chunk of the body, right in every way. */
export const chunk = (body: Uint8Array) =>
  `${body.length.toString(16)}${CRLF}${Buffer.from(body).toString('latin1')}${CRLF}`;
export const LAST = `0${CRLF}${CRLF}`;

export interface Exchange {
  /** The statuses that came, in their order. */
  statuses: number[];
  text: string;
}

/** How many answers to wait for; without it, until the server ends the connection. `hangUp` says at once that nothing more comes. */
interface Patience {
  answers?: number;
  hangUp?: boolean;
}

/** Writes bytes to a new connection; resolves with what came back. */
export function exchange(
  url: string,
  bytes: Uint8Array,
  { answers, hangUp = false }: Patience = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    // Half of it stays open for the answer when the other half says that nothing more comes.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    let text = '';
    const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
    const done = () => resolve({ statuses: statuses(), text });
    socket.setEncoding('latin1');
    socket.on('data', (more: string) => {
      text += more;
      if (answers !== undefined && statuses().length >= answers && text.endsWith('}')) socket.resetAndDestroy();
    });
    // A server that sends somebody away may do so with a reset.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', done);
    if (hangUp) socket.end(bytes);
    else socket.write(bytes);
  });
}
