/** Every answer that the endpoint gives. A refusal tells nothing of its reason: that is for our own log. */

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The rest of the request is not wanted: the connection ends with the answer. */
  close?: boolean;
}

/** The body of everything that is no acknowledgement. */
export const FAIL = '{"result":"fail"}';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
/** Gateways keep to their own schedule; proxies and merchants' own senders heed it. Seconds. */
const COME_AGAIN = 60;

const fail = (status: number): Answer => ({ status, headers: JSON_TYPE, body: FAIL });
const later = (status: number, seconds: number): Answer => ({
  ...fail(status),
  headers: { ...JSON_TYPE, 'retry-after': String(seconds) },
});

export const ANSWER = {
  /** What the interface (6.3) takes for an acknowledgement: only once Temporal has the notification. */
  accepted: { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'success' },
  broken: { ...fail(400), close: true },
  refused: fail(401),
  notFound: fail(404),
  tooLong: { ...fail(413), close: true },
  wrongType: fail(415),
  failed: fail(500),
} as const satisfies Record<string, Answer>;

/** More than may come; `seconds` until there is room again. */
export const tooMany = (seconds: number): Answer => later(429, seconds);
/** Not taken, so the gateway sends it again: its schedule is our queue. */
export const unavailable = (seconds = COME_AGAIN): Answer => later(503, seconds);
