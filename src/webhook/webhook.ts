/**
 * The endpoint without a server: a request in, an answer out. Every mount uses this object, so that each rule is here once.
 * Limits that need a server (connections, slow senders, requests of one address) are in server.ts.
 */
import { paymentWorkflowId, type StrayNotificationInput, strayNotificationWorkflowId, WORKFLOW } from '../contract';
import { type Networks, networks, senderOf } from '../process/addresses';
import { DEFAULT_LIMITS, type Limits } from '../process/webhook-limits';
import { ANSWER, type Answer, tooMany, unavailable } from './answers';
import { BodyReader } from './body-reader';
import { deliver } from './deliver';
import { hasSpaceAround } from './hints';
import { MinuteCounts } from './minute-counts';
import type { WebhookOptions } from './options';
import { RefusalLog } from './refusal-log';
import { appIdIn, headerValues, isPlainJson, type WebhookRequest } from './request';
import { StartBudget, StartBudgetExceededError } from './start-budget';
import { TemporalCalls } from './temporal-calls';
import { withinDeadline } from './time-limit';
import { type Decision, verifyNotification } from './verify-notification';

/** The path of notifications, the same for all apps. */
const ROUTE = '/ipn/{app_id}';

const DEFAULT_ACK_TIMEOUT_MS = 5_000;

/** Makes the endpoint. Throws a TypeError if `allowedIps` or `trustedProxies` are not networks. */
export function createWebhook(options: WebhookOptions): Webhook {
  return new Webhook(options);
}

export class Webhook {
  /** Whether an address may send; undefined if every address may. */
  readonly allows: Networks | undefined;
  readonly trusts: Networks;
  readonly limits: Limits;
  // Private in the language, so that no log of this object shows the apps' keys.
  readonly #options: WebhookOptions;
  private readonly bodies = new BodyReader();
  private readonly refusals: RefusalLog;
  private readonly repeats = new MinuteCounts();
  private readonly genuine = new WeakSet<object>();
  private readonly overall = new MinuteCounts();
  private readonly parsedWarnings = new MinuteCounts();
  private readonly startBudget: StartBudget;
  private readonly temporal: TemporalCalls;
  private readonly inFlight = new Set<Promise<void>>();

  constructor(options: WebhookOptions) {
    this.#options = options;
    const { client, taskQueue, allowedIps = [], trustedProxies = [], apps, log, telemetry } = options;
    this.allows = allowedIps.length > 0 ? networks(allowedIps) : undefined;
    this.trusts = networks(trustedProxies);
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.refusals = new RefusalLog(options, log);
    this.startBudget = new StartBudget(this.limits.adoptions);
    this.temporal = new TemporalCalls(client, taskQueue, telemetry);
    for (const { app_id, secret_key } of apps) {
      if (hasSpaceAround(secret_key)) log.warn({ app_id }, 'the secret key of this app has white space around it');
    }
  }

  /** The answer to a request. Never throws. A notification is acknowledged only after Temporal has it. */
  async answer(request: WebhookRequest): Promise<Answer> {
    try {
      if (request.method !== 'POST') return ANSWER.notFound;
      if (!isPlainJson(request)) return ANSWER.wrongType;
      // With an allow-list, nothing from a stranger is read or kept.
      const isAllowed = this.allows?.(request.address ?? '') ?? false;
      if (this.allows && !isAllowed) return this.refuse('address not allowed', request, Buffer.alloc(0));
      const body = await this.read(request, isAllowed);
      if (body === ANSWER.tooLong) this.logRefusal('body too long', request, Buffer.alloc(0));
      return Buffer.isBuffer(body) ? await this.decide(request, body) : body;
    } catch (error) {
      this.#options.log.error({ err: error }, 'the webhook failed');
      return ANSWER.failed;
    }
  }

  hasSentGenuine(connection: object): boolean {
    return this.genuine.has(connection);
  }

  /**
   * Resolves once no call to Temporal is in progress. Await it before you close the connection: a call may go on after its
   * sender was answered or has gone, and on a closed connection it would fail as an unhandled rejection.
   */
  async settled(): Promise<void> {
    await Promise.allSettled(this.inFlight);
  }

  private async read(request: WebhookRequest, isAllowed: boolean): Promise<Buffer | Answer> {
    if (request.body !== undefined) {
      const sender = { address: senderOf(request.address ?? ''), isAllowed };
      return this.bodies.read(request.body, headerValues(request, 'content-length')[0], sender);
    }
    // Nothing is verified yet: strangers must not fill our log.
    if (this.parsedWarnings.add() === 1)
      this.#options.log.error(
        { app_id: appIdIn(request.path) },
        'the body was parsed before the webhook saw it, but the signature is over its exact bytes: mount the webhook before body parsers such as express.json()',
      );
    return ANSWER.failed;
  }

  private async decide(request: WebhookRequest, body: Buffer): Promise<Answer> {
    const { apps, signature } = this.#options;
    const incoming = { app_id: appIdIn(request.path), signatures: headerValues(request, signature.header), body };
    const decision = verifyNotification(incoming, apps, signature.scheme);
    if (decision.is === 'refused') return this.refuse(decision.why, request, body);
    const times = this.repeats.add(decision.digest);
    if (times > this.limits.repeats) return tooMany(this.repeats.seconds);
    if (request.connection) this.genuine.add(request.connection);
    // Repeated notifications count apart: a sender that repeats old ones uses up no room for new ones.
    const all = this.overall.add(times === 1 ? 'new' : 'again');
    if (all > this.limits.overall) return tooMany(this.overall.seconds);
    if (this.inFlight.size >= this.limits.in_flight) return unavailable();
    return this.traced(decision, incoming.app_id, () => this.handOver(decision, incoming.app_id, body));
  }

  /** Every refusal looks the same. The reason goes only to our own log, after the answer. */
  private refuse(why: string, request: WebhookRequest, body: Buffer): Answer {
    this.logRefusal(why, request, body);
    return ANSWER.refused;
  }

  private logRefusal(why: string, request: WebhookRequest, body: Buffer): void {
    const signatures = headerValues(request, this.#options.signature.header);
    const refused = { app_id: appIdIn(request.path), signatures, body, headers: request.headers };
    void this.refusals.write(why, refused, request.address);
  }

  /** Only genuine notifications get a span: strangers must not make any. */
  private traced(decision: Accepted, app_id: string, answer: () => Promise<Answer>): Promise<Answer> {
    const { telemetry } = this.#options;
    if (telemetry === undefined) return answer();
    const { workflow_id } = decision.is === 'notification' ? workflowOf(app_id, decision) : {};
    const workflow = workflow_id === undefined ? {} : { workflowId: workflow_id };
    return telemetry.answers({ name: `POST ${ROUTE}`, route: ROUTE, app_id, ...workflow }, answer);
  }

  /** Gives the notification to Temporal, within the time for an acknowledgement. */
  private async handOver(decision: Accepted, app_id: string, body: Buffer): Promise<Answer> {
    const { client, log, ackTimeout = DEFAULT_ACK_TIMEOUT_MS } = this.#options;
    const about = { app_id, ...workflowOf(app_id, decision) };
    try {
      await withinDeadline(ackTimeout, (deadline) =>
        this.track(client.withAbortSignal(deadline, () => this.send(decision, app_id, body))),
      );
    } catch (error) {
      log.error({ err: error, ...about }, 'Temporal did not take a notification; the gateway is to send it again');
      return unavailable(error instanceof StartBudgetExceededError ? error.seconds : undefined);
    }
    if (decision.is === 'notification') {
      const { trade_no, trade_status } = decision.notification;
      log.info({ ...about, trade_no, trade_status }, 'notification accepted');
    } else {
      log.error(about, 'a notification with a good signature could not be read; a workflow keeps it');
    }
    return ANSWER.accepted;
  }

  private async send(decision: Accepted, app_id: string, body: Buffer): Promise<void> {
    const { temporal, startBudget } = this;
    const { digest } = decision;
    if (decision.is === 'notification')
      return deliver({ notification: decision.notification, digest, temporal, startBudget });
    // A workflow keeps the bytes until a person has looked at them: the same bytes start only one.
    const input: StrayNotificationInput = { app_id, body: body.toString('base64') };
    const workflowId = strayNotificationWorkflowId(app_id, digest);
    const start = { workflowId, type: WORKFLOW.strayNotification, input };
    await startBudget.within({ app_id, send: () => temporal.startOnce(start) });
  }

  private track(sending: Promise<void>): Promise<void> {
    this.inFlight.add(sending);
    return sending.finally(() => this.inFlight.delete(sending));
  }
}

/** The workflow and the order of a notification, as log lines name them. */
function workflowOf(app_id: string, decision: Accepted): { workflow_id?: string; order?: string } {
  if (decision.is === 'unreadable') return { workflow_id: strayNotificationWorkflowId(app_id, decision.digest) };
  const { out_trade_no: order } = decision.notification;
  return order === undefined ? {} : { workflow_id: paymentWorkflowId(app_id, order), order };
}

type Accepted = Exclude<Decision, { is: 'refused' }>;
