/** One try to create an order, and what became of it. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { type CreateInput, type CreateResult, detailsOf, FAILURE, typedFailure } from '../../contract';
import { gateway } from '../shared/activities';
import { pollUntil } from '../shared/polling';

export interface AttemptOptions {
  /** Whether the order is not wanted any more: a notification came, or it was withdrawn. */
  isUnwanted(): boolean;
  /** The order held a secret that nobody has sealed. */
  onBareSecret(): void;
}

/**
 * Sends the order. Temporal repeats the try while it certainly was not sent. `interrupted`: it certainly was not sent, and
 * is not wanted any more. Throws `InvalidRequest` where the order breaks a rule.
 */
export async function attemptCreation(
  input: CreateInput,
  options: AttemptOptions,
): Promise<CreateResult | 'interrupted'> {
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

/** Only what certainly was not sent may be tried again; such a try ends where no other follows. */
function isRetryable(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && !error.cause.nonRetryable;
}

function isBareSecret(failure: unknown): boolean {
  return failure instanceof ApplicationFailure && detailsOf(failure)?.attention === 'bare-secret';
}

/** The refusal inside an ActivityFailure: callers see its type, and not the activity around it. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return error;
  const { type, message } = error.cause;
  return typedFailure(type ?? FAILURE.invalidRequest, message, detailsOf(error.cause));
}
