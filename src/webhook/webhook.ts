/**
 * The endpoint without a server: a request in, an answer out. Fastify, Express and `Request → Response` mount this very
 * object, so that each rule is here once. What a server alone can bound (connections, slow senders, requests of one
 * address) is in server.ts.
 */
import { setImmediate as afterTheAnswer } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { type Networks, networks } from './addresses';
import { ANSWER, type Answer, tooMany, unavailable } from './answers';
import { deliver, keepStray, TooManyAdoptionsError } from './deliver';
import { hasSpaceAround, hintFor } from './hints';
import { DEFAULT_LIMITS, type Limits } from './limits';
import { PerMinute } from './per-minute';
import { type Decision, keysFor, receive, type SignatureSettings, type WebhookApp } from './receive';

/** What of a log is needed: pino's, Fastify's, or `console` behind three functions. */
export interface WebhookLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface WebhookOptions {
  client: Client;
  taskQueue: string;
  apps: readonly WebhookApp[];
  signature: SignatureSettings;
  log: WebhookLog;
  /** Networks that may send, in CIDR notation; everybody's signature is looked at where none is given. */
  allowedIps?: readonly string[] | undefined;
  /** Networks of proxies whose `X-Forwarded-For` is believed; none unless given. */
  trustedProxies?: readonly string[] | undefined;
  /** Milliseconds until a notification is answered, whatever Temporal does; default 5 000. */
  ackTimeout?: number | undefined;
  limits?: Partial<Limits> | undefined;
}

/** A request as every mount hands it over. */
export interface WebhookRequest {
  method: string;
  /** Its last segment names the app; a query does not count. */
  path: string;
  /** Every header as it came, one that was repeated as often as it came. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Where it came from; undefined where the mount cannot know. */
  address: string | undefined;
  /** The bytes as they come; undefined where something before us has taken them. */
  body: AsyncIterable<Uint8Array> | undefined;
}

/** A notification has well under 4 KiB. */
const MAX_BODY_BYTES = 65_536;
/** What bodies that are still coming may hold in memory together. */
const MAX_BYTES_HELD = 64 * 1_048_576;
/** What one call of Temporal may take, in ms. */
const TEMPORAL_TIMEOUT_MS = 3_000;
const ACK_TIMEOUT_MS = 5_000;
/** Refusals that the log tells of in a minute: a flood of them must not become a flood there. */
const LOGGED_REFUSALS = 600;

/** Temporal did not answer within the time for an acknowledgement. */
class AcknowledgementLateError extends Error {
  override readonly name = 'AcknowledgementLateError';
}

/** Makes the endpoint. Throws a TypeError for networks that are none. */
export function createWebhook(options: WebhookOptions): Webhook {
  return new Webhook(options);
}

export class Webhook {
  /** Whether an address may send at all; undefined where every one may. */
  readonly allows: Networks | undefined;
  /** Whether an address is that of a proxy to be believed. */
  readonly trusts: Networks;
  readonly limits: Limits;
  // Private to the language, so that no log of an endpoint shows its apps' keys.
  readonly #options: WebhookOptions;
  private readonly overall: PerMinute;
  private readonly adoptions: PerMinute;
  private readonly logged = new PerMinute(LOGGED_REFUSALS);
  private bytesHeld = 0;
  private readonly underWay = new Set<Promise<void>>();

  constructor(options: WebhookOptions) {
    this.#options = options;
    const { allowedIps = [], trustedProxies = [], apps, log } = options;
    this.allows = allowedIps.length > 0 ? networks(allowedIps) : undefined;
    this.trusts = networks(trustedProxies);
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.overall = new PerMinute(this.limits.overall);
    this.adoptions = new PerMinute(this.limits.adoptions);
    for (const { app_id, secret_key } of apps) {
      if (hasSpaceAround(secret_key)) log.warn({ app_id }, 'the secret key of this app has white space around it');
    }
  }

  /** What to answer to a request. Never throws; nothing is acknowledged before Temporal has it. */
  async answer(request: WebhookRequest): Promise<Answer> {
    try {
      if (request.method !== 'POST') return ANSWER.notFound;
      if (!isPlainJson(request)) return ANSWER.wrongType;
      return await this.read(request);
    } catch (error) {
      this.#options.log.error({ err: error }, 'the webhook failed');
      return ANSWER.failed;
    }
  }

  /**
   * Resolves once nothing that was given to Temporal is under way. To be awaited before its connection is closed: a sender
   * who has gone, or was answered that it took too long, does not wait for that, and a call that were repeated after it would throw from afar.
   */
  async settled(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  /** Takes the bytes in, as many as may be, and goes on with them while they are counted. */
  private async read(request: WebhookRequest): Promise<Answer> {
    if (request.body === undefined) {
      this.#options.log.error(
        { app_id: appOf(request.path) },
        'the body was parsed before the webhook saw it, but the signature is over its very bytes: mount the webhook before body parsers such as express.json()',
      );
      return ANSWER.failed;
    }
    if (Number(valuesOf(request, 'content-length')[0] ?? 0) > MAX_BODY_BYTES) return ANSWER.tooLong;
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of request.body) {
        length += chunk.length;
        this.bytesHeld += chunk.length;
        if (length > MAX_BODY_BYTES) return ANSWER.tooLong;
        if (this.bytesHeld > MAX_BYTES_HELD) return { ...unavailable(), close: true };
        chunks.push(chunk);
      }
    } catch {
      // The sender has gone in the middle of it.
      return ANSWER.broken;
    } finally {
      this.bytesHeld -= length;
    }
    return this.decide(request, Buffer.concat(chunks, length));
  }

  private async decide(request: WebhookRequest, body: Buffer): Promise<Answer> {
    const { apps, signature } = this.#options;
    const incoming = { app_id: appOf(request.path), signatures: valuesOf(request, signature.header), body };
    const decision = receive(incoming, apps, signature.scheme);
    // Asked last, so that a stranger's refusal takes as long from a wrong address as from a right one.
    const allowed = this.allows?.(request.address ?? '') ?? true;
    if (decision.is === 'refused' || !allowed) {
      const why = decision.is === 'refused' ? decision.why : 'address not allowed';
      void this.tellRefusal(why, incoming, request);
      return ANSWER.refused;
    }
    const seconds = await this.overall.take();
    if (seconds > 0) return tooMany(seconds);
    if (this.underWay.size >= this.limits.in_flight) return unavailable();
    return this.handOver(decision, incoming.app_id, body);
  }

  /** Gives it to Temporal, for as long as an acknowledgement may take. */
  private async handOver(decision: Accepted, app_id: string, body: Buffer): Promise<Answer> {
    const { client, taskQueue, log } = this.#options;
    const delivery = { client, taskQueue, timeout_ms: TEMPORAL_TIMEOUT_MS, adoptions: this.adoptions };
    try {
      await within(this.#options.ackTimeout ?? ACK_TIMEOUT_MS, (patience) =>
        this.track(
          client.withAbortSignal(patience, () =>
            decision.is === 'notification'
              ? deliver(delivery, decision.notification, decision.digest)
              : keepStray(delivery, app_id, body, decision.digest),
          ),
        ),
      );
    } catch (error) {
      log.error({ err: error, app_id }, 'Temporal did not take a notification; the gateway is asked to send it again');
      return unavailable(error instanceof TooManyAdoptionsError ? error.seconds : undefined);
    }
    if (decision.is === 'notification') {
      const { out_trade_no, trade_no, trade_status } = decision.notification;
      log.info({ app_id, out_trade_no, trade_no, trade_status }, 'notification accepted');
    } else {
      const { digest } = decision;
      log.error({ app_id, digest }, 'a signed notification could not be read; it is kept for a person');
    }
    return ANSWER.accepted;
  }

  private track(delivery: Promise<void>): Promise<void> {
    this.underWay.add(delivery);
    return delivery.finally(() => this.underWay.delete(delivery));
  }

  /** Tells our own log why, and what to set. Once the answer is on its way, so that its time tells nothing. */
  private async tellRefusal(why: string, incoming: Incoming, { headers, address }: WebhookRequest): Promise<void> {
    if ((await this.logged.take()) > 0) return;
    await afterTheAnswer();
    const { apps, signature, log } = this.#options;
    // Looked for also where nobody has the app: whoever asks next would feel the difference.
    const isUnsigned = why === 'bad signature' || why === 'unknown app';
    const hint = isUnsigned ? hintFor({ ...incoming, headers }, keysFor(incoming.app_id, apps), signature) : undefined;
    log.warn({ why, address, ...(hint ? { hint } : {}) }, 'a notification was refused');
  }
}

type Accepted = Exclude<Decision, { is: 'refused' }>;
type Incoming = Parameters<typeof receive>[0];

/** JSON as it is: what is compressed would have to be unpacked before its signature is known to hold. */
function isPlainJson(request: WebhookRequest): boolean {
  const [type = '', ...more] = valuesOf(request, 'content-type');
  const [encoding = 'identity'] = valuesOf(request, 'content-encoding');
  return more.length === 0 && /^application\/json *(;|$)/i.test(type) && encoding.toLowerCase() === 'identity';
}

function valuesOf(request: WebhookRequest, name: string): string[] {
  const wanted = name.toLowerCase();
  return request.headers.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
}

/** The last segment of the path; empty where it cannot be decoded, which is no app's name. */
function appOf(path: string): string {
  const [, segment = ''] = /([^/]*)\/?$/.exec(path.replace(/[?#].*$/s, '')) ?? [];
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** Runs something for so long, then rejects whatever it does; it is told to end by its signal. */
async function within(ms: number, run: (patience: AbortSignal) => Promise<void>): Promise<void> {
  const patience = new AbortController();
  const late = new Promise<never>((_, reject) => {
    patience.signal.addEventListener('abort', () => reject(patience.signal.reason));
  });
  const timer = setTimeout(() => patience.abort(new AcknowledgementLateError(`Not within ${ms} ms`)), ms);
  try {
    await Promise.race([run(patience.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
