/** Every answer of the endpoint. A refusal does not give its reason: the reason is in our own log. */
import { FAIL } from '../process/http-server';

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Close the connection after the answer: the rest of the request is not read. */
  close?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
/** Gateways follow their own retry schedule; proxies and merchants' own senders respect this one. Seconds. */
const RETRY_AFTER_S = 60;

const fail = (status: number): Answer => ({ status, headers: JSON_TYPE, body: FAIL });
const failUntil = (status: number, seconds: number): Answer => ({
  ...fail(status),
  headers: { ...JSON_TYPE, 'retry-after': String(seconds) },
});

export const ANSWER = {
  /** The acknowledgement of section 6.3. It is sent only after Temporal has the notification. */
  accepted: { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'success' },
  broken: { ...fail(400), close: true },
  refused: { ...fail(401), close: true },
  notFound: { ...fail(404), close: true },
  tooLong: { ...fail(413), close: true },
  wrongType: { ...fail(415), close: true },
  failed: fail(500),
} as const satisfies Record<string, Answer>;

/** A rate limit is exceeded. `seconds`: until requests are taken again. */
export const tooMany = (seconds: number): Answer => failUntil(429, seconds);
/** The notification was not taken. The gateway sends it again: its retry schedule is our queue. */
export const unavailable = (seconds = RETRY_AFTER_S): Answer => failUntil(503, seconds);
