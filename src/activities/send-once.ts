/**
 * Guards the sending of orders, refunds and virtual account creations. From the moment when a request may have left, whatever is thrown, by
 * our code or by an interceptor, a codec or a logger around it, is an unknown outcome; and no attempt sends after an earlier one may have.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { activityInfo, asyncLocalStorage, Context, getClient, heartbeat, log } from '@temporalio/activity';
import { ApplicationFailure, type Payload, type PayloadCodec, type SerializationContext } from '@temporalio/common';
import type { ActivityExecuteInput, ActivityInboundCallsInterceptor, Next } from '@temporalio/worker';
import { z } from 'zod';
import { type GatewayErrorFields, type NotCreated, SENDING_PHASES, type SendingPhase } from '../contract';
import { type BeforeSending, GatewayError } from '../gateway';
import { CallDeferredError, notCreated } from './failures';

const progress = z.object({ phase: z.enum(SENDING_PHASES) });

/** Temporal's server stores the note "sending" within this many ms, or nothing is sent. */
const NOTED_WITHIN_MS = 10_000;
/** An attempt that could not be noted is repeated after this long, in ms. */
const AGAIN_AFTER_MS = 1_000;
/** A larger result counts as no answer: Temporal refuses payloads of 2 MB, and a codec adds to them. */
const MAX_RESULT_BYTES = 1_000_000;

export interface SentRequest {
  /** The operation's path, such as `/trade/pay`. */
  operation: string;
  /** What a person calls it: "order 17". Nothing private. */
  what: string;
  out_trade_no?: string | undefined;
}

/** An outcome that nobody knows, for the result of the activity. */
export interface UnknownOutcome {
  message: string;
  error: GatewayErrorFields;
}

/** Returns once Temporal's server has stored, for later attempts, that a request is about to leave. Otherwise nothing may be sent. */
export async function storeNote(note: object, { what, operation }: SentRequest): Promise<void> {
  const { workflowExecution, activityId } = activityInfo();
  try {
    const client = getClient();
    await client.withDeadline(Date.now() + NOTED_WITHIN_MS, () =>
      client.activity.heartbeat({ ...workflowExecution, activityId }, note),
    );
  } catch (error) {
    const message = `${what} was not sent: Temporal did not store the note that it is about to be (${nameOf(error)}).`;
    throw new CallDeferredError(message, operation, AGAIN_AFTER_MS);
  }
}

export class Sending {
  constructor(
    private readonly sent: SentRequest,
    private readonly before: SendingPhase,
  ) {}

  /** Whether the gateway answered "busy" to an earlier attempt: then a duplicate may be ours. */
  get hasReached(): boolean {
    return this.before === 'busy';
  }

  /**
   * Returns once Temporal's server has stored that the request is about to leave. Throws if the server does not store it, or if the activity
   * is no longer wanted: then nothing is sent. An ordinary heartbeat would be sent some time later.
   */
  readonly beforeSending: BeforeSending = async () => {
    try {
      await storeNote({ phase: 'sending' } satisfies Progress, this.sent);
    } catch (error) {
      this.note(this.before);
      throw error;
    }
    noteLeft(true);
  };

  /** The result where certainly nothing was made. Throws a retryable failure if another attempt may send. */
  madeNothing(error: GatewayError): NotCreated {
    const isBusy = error.outcome === 'not-created' && error.retryable;
    this.note(isBusy ? 'busy' : this.before);
    noteLeft(false);
    return notCreated(error);
  }

  /** The failure of this attempt carries the note to the next attempt. */
  private note(phase: SendingPhase): void {
    heartbeat({ phase } satisfies Progress);
  }
}

type Progress = z.infer<typeof progress>;

/**
 * Runs one attempt, which sends with `sending.beforeSending`. Returns its result, or that of `unknown` if an earlier attempt may have sent
 * or if anything is thrown after the request may have left. What `attempt` throws before, or with `sending.madeNothing`, is thrown on.
 */
export async function sendOnce<Result>(
  sent: SentRequest,
  attempt: (sending: Sending) => Promise<Result>,
  unknown: (outcome: UnknownOutcome) => Result,
): Promise<Result> {
  const before = phaseSoFar();
  if (before === 'sending') {
    noteLeft(true);
    const why = 'an earlier attempt may have sent it, and what came of that is not known';
    return unknown(logged(unknownOutcome(sent, why)));
  }
  const sending = new Sending(sent, before);
  const border = borders.getStore();
  if (border) border.unknownAfter = (error) => (hasLeft() ? unknown(logged(afterwards(sent, error))) : undefined);
  try {
    const result = await attempt(sending);
    assertKeepable(result);
    return result;
  } catch (error) {
    const isUnknown = error instanceof GatewayError && error.outcome === 'unknown';
    if (!hasLeft() && !isUnknown) throw error;
    return unknown(logged(isUnknown ? { message: error.message, error: error.fields() } : afterwards(sent, error)));
  }
}

/** `unknownAfter` is the result if something around an attempt throws after its request may have left; undefined before. */
interface Border {
  unknownAfter?: (error: unknown) => unknown;
}

const borders = new AsyncLocalStorage<Border>();

/**
 * The outermost interceptor of a Worker: what a merchant's interceptor throws after a request may have left is an unknown outcome, too. As a
 * failure it would make the server repeat the activity, and an activity that is cancelled before the repeat would report nothing.
 */
export class SendingBorder implements ActivityInboundCallsInterceptor {
  async execute(input: ActivityExecuteInput, next: Next<ActivityInboundCallsInterceptor, 'execute'>): Promise<unknown> {
    const border: Border = {};
    try {
      return await borders.run(border, () => next(input));
    } catch (error) {
      const outcome = border.unknownAfter?.(error);
      if (outcome === undefined) throw error;
      return outcome;
    }
  }
}

/** The running attempts whose request, or the request of an earlier attempt, may have left. */
const left = new WeakSet<Context>();

/** False outside of an activity, as when a codec serves a workflow. */
function hasLeft(): boolean {
  const attempt = asyncLocalStorage.getStore();
  return attempt !== undefined && left.has(attempt);
}

function noteLeft(may: boolean): void {
  if (may) left.add(Context.current());
  else left.delete(Context.current());
}

/**
 * Wraps a merchant's codec, which encodes an activity's result outside of every interceptor. If it throws after a request may have left, the
 * server must not repeat the activity, as in {@link SendingBorder}.
 */
export class SendingCodec implements PayloadCodec {
  constructor(private readonly own: PayloadCodec) {}

  async encode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    try {
      return await this.own.encode(payloads, context);
    } catch (error) {
      if (!hasLeft()) throw error;
      const message = `What came of a request that may have left is not known: a codec failed (${nameOf(error)}).`;
      throw ApplicationFailure.nonRetryable(message, 'ResultNotKept');
    }
  }

  decode(payloads: Payload[], context?: SerializationContext): Promise<Payload[]> {
    return this.own.decode(payloads, context);
  }
}

/** A heartbeat that is not our note may have replaced one, so it counts as "sending". */
function phaseSoFar(): SendingPhase {
  const { heartbeatDetails } = activityInfo();
  if (heartbeatDetails === undefined || heartbeatDetails === null) return 'unsent';
  const { success, data } = progress.safeParse(heartbeatDetails);
  return success ? data.phase : 'sending';
}

/** Throws if Temporal could not store the result: encoding it later would fail the attempt. */
function assertKeepable(result: unknown): void {
  const size = Buffer.byteLength(JSON.stringify(result));
  if (size > MAX_RESULT_BYTES) throw new RangeError('the result is too large');
}

const afterwards = (sent: SentRequest, error: unknown): UnknownOutcome =>
  unknownOutcome(sent, `what came after the request failed (${nameOf(error)})`);

function unknownOutcome({ operation, what, out_trade_no }: SentRequest, why: string): UnknownOutcome {
  const message = `Whether ${what} was carried out is unknown: ${why}.`;
  return { message, error: { outcome: 'unknown', retryable: true, operation, out_trade_no } };
}

/** An error's name: its message may quote the request. */
function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}

/** A logger that throws changes nothing. */
function logged(outcome: UnknownOutcome): UnknownOutcome {
  try {
    log.warn('it is unknown whether the gateway has carried out a request', { ...outcome.error });
  } catch {
    // The result says the same.
  }
  return outcome;
}
