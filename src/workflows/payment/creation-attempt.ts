/** Attempts to create an order, and the outcome of each. */
import { ActivityFailure, condition } from '@temporalio/workflow';
import {
  type CreateInput,
  type CreateResult,
  creationOf,
  detailsOf,
  type NewPayment,
  orderNotSent,
  sameFailure,
} from '../../contract';
import { gateway } from '../shared/activities';
import { NO_WORD, sendingFailure, wasNeverRun } from '../shared/activity-failure';
import { isObject, isResultOf, isText, type ResultShape } from '../shared/ended-by-hand';
import { pollUntil } from '../shared/polling';
import type { PaymentContext } from './context';
import type { Tried } from './facts';
import { isSlowToCreate, type KnownPayment } from './known-payment';

/** No attempt of the first, short try begins later than this, in ms. Callers of `created` wait for it without a timer, which costs events. */
const FIRST_TRY_MS = 5_000;

/** The pause before a busy gateway is asked again, once, in ms; from then on the server spaces the attempts. */
const BUSY_PAUSE_MS = 1_000;

const NO_WORKER = 'No worker of the task queue could run the activity gateway.create.';

/** The outcome of a try after which the workflow has to decide what follows. */
type Decisive = Exclude<Tried, { is: 'busy' | 'too-soon' }>;

/**
 * Tries once to send the order, before `send_before`. The first try is split: a short one that callers wait for, then the rest of its time.
 * A gateway that is busy is asked again. See {@link attemptCreation}.
 */
export async function tryCreation(
  order: NewPayment,
  context: PaymentContext,
  bounds: Pick<CreateInput, 'send_before' | 'read_by'>,
): Promise<Decisive> {
  const { send_before } = bounds;
  const soon = Math.min(send_before, Date.now() + FIRST_TRY_MS);
  const isShort = !isSlowToCreate(context.known) && soon < send_before;
  const first = await attempt(order, context, isShort ? { ...bounds, send_before: soon } : bounds);
  if (!isShort || first.is !== 'not-sent') return told(context, first);
  context.learn({ is: 'answered', tried: { is: 'too-soon', why: first.why } });
  return told(context, await attempt(order, context, bounds));
}

function told(context: PaymentContext, tried: Decisive): Decisive {
  context.learn({ is: 'answered', tried });
  return tried;
}

async function attempt(
  order: NewPayment,
  context: PaymentContext,
  bounds: Pick<CreateInput, 'send_before' | 'read_by'>,
): Promise<Decisive> {
  for (;;) {
    const reached = context.known.creation.reach !== 'none';
    const tried = await attemptCreation({ ...order, ...bounds, reached }, context);
    if (tried.is !== 'busy') return tried;
    context.learn({ is: 'answered', tried });
    const summary = 'before a busy gateway is asked again';
    if (await condition(() => isUnwanted(context.known), BUSY_PAUSE_MS, { summary })) return { is: 'interrupted' };
  }
}

/** Whether the order is not wanted any more: a notification came, or it was withdrawn. */
const isUnwanted = ({ claims, isWithdrawn }: KnownPayment) => claims.length > 0 || isWithdrawn;

const NOT_MADE = { error: isObject, message: isText };
const TRIED: ResultShape<CreateResult> = {
  created: { answer: isObject },
  'created-refused': NOT_MADE,
  'not-created': NOT_MADE,
  busy: NOT_MADE,
  duplicate: NOT_MADE,
  unknown: NOT_MADE,
  'not-sent': { ...NOT_MADE, why: isText },
};

/**
 * Sends the order. Temporal repeats the try while it certainly was not sent. Throws `InvalidRequest` if the order breaks a rule.
 */
async function attemptCreation(
  input: CreateInput,
  context: PaymentContext,
): Promise<Exclude<Tried, { is: 'too-soon' }>> {
  try {
    const isInterrupted = () => isUnwanted(context.known);
    const tried = await pollUntil(() => gateway.createOrder(input), { isInterrupted });
    if (tried === 'interrupted' || tried === 'timeout') return { is: 'interrupted' };
    return isResultOf(tried, TRIED) ? tried : unknownOutcome(input);
  } catch (error) {
    if (error instanceof ActivityFailure && wasNeverRun(error))
      return orderNotSent(input, NO_WORKER, 'missing-activity');
    return failedAttempt(error, input, context);
  }
}

function failedAttempt(
  error: unknown,
  input: CreateInput,
  { raise }: PaymentContext,
): CreateResult | { is: 'interrupted' } {
  const failed = sendingFailure(error);
  switch (failed.is) {
    case 'none':
      throw error;
    case 'refused':
      // The order held a secret that nobody has sealed.
      if (detailsOf(failed.failure)?.attention === 'bare-secret') raise('bare-secret');
      // Callers see the refusal, and not the activity around it.
      throw sameFailure(failed.failure);
    case 'unsent':
      return { is: 'interrupted' };
    case 'unknown':
      return unknownOutcome(input);
  }
}

function unknownOutcome(input: CreateInput): CreateResult {
  const error = { outcome: 'unknown', retryable: true, operation: creationOf(input) } as const;
  return { is: 'unknown', message: NO_WORD, error };
}
