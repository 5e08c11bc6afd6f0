/** Attempts to create an order, and the outcome of each. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { type CreateInput, type CreateResult, detailsOf, FAILURE, type NewPayment, sameFailure } from '../../contract';
import { gateway } from '../shared/activities';
import { pollUntil } from '../shared/polling';

/** No attempt of the first try begins after so many ms. Callers of `created` wait for it without a timer, which costs events. */
const FIRST_TRY_MS = 5_000;

export interface AttemptOptions {
  /** Whether the order is not wanted any more: a notification came, or it was withdrawn. */
  isUnwanted(): boolean;
  /** The order held a secret that nobody has sealed. */
  onBareSecret(): void;
}

/** The tries of one payment. */
export class CreationAttempts {
  /** Whether the first, short one is over, or something else came before it. */
  isPastFirst = false;
  /** Whether a try has told that this run is no reset. */
  hasTold = false;
  /** Whether the gateway has answered a try that certainly made nothing. */
  private hasReached = false;

  constructor(
    private readonly order: NewPayment,
    private readonly options: AttemptOptions,
  ) {}

  /** Tries once. The first try is split: a short one that callers wait for, then the rest of its time. See {@link attemptCreation}. */
  async next(send_before: number, original_run_id: string): Promise<CreateResult | 'interrupted'> {
    const soon = Math.min(send_before, Date.now() + FIRST_TRY_MS);
    if (this.isPastFirst) return this.attempt(send_before, original_run_id);
    const first = await this.attempt(soon, original_run_id).finally(() => {
      this.isPastFirst = true;
    });
    const isOver = first === 'interrupted' || first.is !== 'not-sent' || soon === send_before;
    return isOver ? first : this.attempt(send_before, original_run_id);
  }

  private async attempt(send_before: number, original_run_id: string): Promise<CreateResult | 'interrupted'> {
    const tried = await attemptCreation({ ...this.order, send_before, original_run_id }, this.options);
    if (tried === 'interrupted') return tried;
    this.hasTold = true;
    if (tried.is === 'not-sent') this.hasReached ||= tried.reached;
    return tried.is === 'duplicate' ? { ...tried, reached: tried.reached || this.hasReached } : tried;
  }
}

/**
 * Sends the order. Temporal repeats the try while it certainly was not sent. `interrupted`: it certainly was not sent, and
 * is not wanted any more. Throws `InvalidRequest` where the order breaks a rule.
 */
async function attemptCreation(input: CreateInput, options: AttemptOptions): Promise<CreateResult | 'interrupted'> {
  try {
    const tried = await pollUntil(() => gateway.createOrder(input), { isInterrupted: options.isUnwanted });
    return tried === 'timeout' ? 'interrupted' : tried;
  } catch (error) {
    if (isRetryable(error)) return 'interrupted';
    return failedAttempt(error, input, options);
  }
}

function failedAttempt(error: unknown, { kind }: CreateInput, { onBareSecret }: AttemptOptions): CreateResult {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof TimeoutFailure)) {
    const failure = asFailure(error);
    if (isBareSecret(failure)) onBareSecret();
    throw failure;
  }
  const message = 'The worker died during the creation.';
  return { is: 'unknown', message, error: { outcome: 'unknown', retryable: true, operation: kind } };
}

/** Only what certainly was not sent may be tried again. Such a failure reaches us only where the server makes no further attempt. */
function isRetryable(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && !error.cause.nonRetryable;
}

function isBareSecret(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && detailsOf(failure)?.attention === 'bare-secret';
}

/** The refusal inside an ActivityFailure: callers see its type, and not the activity around it. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return error;
  return sameFailure(error.cause, FAILURE.invalidRequest);
}
