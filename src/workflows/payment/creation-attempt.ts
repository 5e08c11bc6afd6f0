/** Attempts to create an order, and the outcome of each. */
import { ActivityFailure, condition } from '@temporalio/workflow';
import { type CreateInput, type CreateResult, detailsOf, type NewPayment, sameFailure } from '../../contract';
import { gateway } from '../shared/activities';
import { isObject, isResultOf, isText, type ResultShape } from '../shared/ended-by-hand';
import { wasNeverRun } from '../shared/given-up';
import { pollUntil } from '../shared/polling';
import { NO_WORD, sendingFailure } from '../shared/sending-failure';

/** No attempt of the first try begins after so many ms. Callers of `created` wait for it without a timer, which costs events. */
const FIRST_TRY_MS = 5_000;

/** A gateway that was busy is asked again after so many ms, once; from then on the server spaces the attempts. */
const BUSY_PAUSE_MS = 1_000;

/** The outcome of a try, once the workflow has to decide what follows. */
type Tried = Exclude<CreateResult, { is: 'busy' }> | 'interrupted';

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
  /** Whether the gateway has answered a try that it was busy: it may have made the order all the same. */
  hasReached = false;

  constructor(
    private readonly order: NewPayment,
    private readonly options: AttemptOptions,
  ) {}

  /** Whether a try has told that this run is no reset, and none has reached the gateway. */
  get areUnsent(): boolean {
    return this.hasTold && !this.hasReached;
  }

  /**
   * Tries once. The first try is split: a short one that callers wait for, then the rest of its time. See {@link
   * attemptCreation}.
   */
  async next(send_before: number, original_run_id: string): Promise<Tried> {
    const soon = Math.min(send_before, Date.now() + FIRST_TRY_MS);
    if (this.isPastFirst) return this.attempt(send_before, original_run_id);
    const first = await this.attempt(soon, original_run_id).finally(() => {
      this.isPastFirst = true;
    });
    const isOver = first === 'interrupted' || first.is !== 'not-sent' || soon === send_before;
    return isOver ? first : this.attempt(send_before, original_run_id);
  }

  private async attempt(send_before: number, original_run_id: string): Promise<Tried> {
    const { order, options, hasReached: reached } = this;
    const tried = await attemptCreation({ ...order, send_before, reached, original_run_id }, options);
    if (tried === 'interrupted') return tried;
    // Its code did not run, so it has told nothing of a reset.
    if (tried.is === 'not-sent' && tried.why === 'missing-activity') return tried;
    this.hasTold = true;
    if (tried.is !== 'busy') return tried;
    this.hasReached = true;
    const summary = 'before a busy gateway is asked again';
    const isUnwanted = await condition(() => options.isUnwanted(), BUSY_PAUSE_MS, { summary });
    return isUnwanted ? 'interrupted' : this.attempt(send_before, original_run_id);
  }
}

const NOT_MADE = { error: isObject, message: isText };
const TRIED: ResultShape<CreateResult> = {
  created: { answer: isObject },
  'created-refused': NOT_MADE,
  'not-created': NOT_MADE,
  busy: NOT_MADE,
  duplicate: NOT_MADE,
  unknown: NOT_MADE,
  'not-sent': { ...NOT_MADE, why: isText },
  reset: { ...NOT_MADE, run_id: isText },
};

/**
 * Sends the order. Temporal repeats the try while it certainly was not sent. `interrupted`: it certainly was not sent, and
 * is not wanted any more. Throws `InvalidRequest` where the order breaks a rule.
 */
async function attemptCreation(input: CreateInput, options: AttemptOptions): Promise<CreateResult | 'interrupted'> {
  try {
    const tried = await pollUntil(() => gateway.createOrder(input), { isInterrupted: options.isUnwanted });
    if (tried === 'interrupted' || tried === 'timeout') return 'interrupted';
    return isResultOf(tried, TRIED) ? tried : unknownOutcome(input);
  } catch (error) {
    if (error instanceof ActivityFailure && wasNeverRun(error)) return neverRun(input);
    return failedAttempt(error, input, options);
  }
}

function failedAttempt(
  error: unknown,
  input: CreateInput,
  { onBareSecret }: AttemptOptions,
): CreateResult | 'interrupted' {
  const failed = sendingFailure(error);
  switch (failed.is) {
    case 'none':
      throw error;
    case 'refused':
      if (detailsOf(failed.failure)?.attention === 'bare-secret') onBareSecret();
      // Callers see the refusal, and not the activity around it.
      throw sameFailure(failed.failure);
    case 'unsent':
      return 'interrupted';
    case 'unknown':
      return unknownOutcome(input);
  }
}

function unknownOutcome({ kind }: CreateInput): CreateResult {
  const operation = kind === 'direct' ? '/trade/pay' : '/trade/create';
  return { is: 'unknown', message: NO_WORD, error: { outcome: 'unknown', retryable: true, operation } };
}

/** No worker could run the activity in its time. */
function neverRun({ kind, request: { out_trade_no } }: CreateInput): CreateResult {
  const reason = 'No worker of the task queue could run the activity gateway.create.';
  const operation = kind === 'direct' ? '/trade/pay' : '/trade/create';
  return {
    ...{ is: 'not-sent', why: 'missing-activity' },
    message: `Order ${out_trade_no} was not sent in its time. ${reason}`,
    error: { outcome: 'not-sent', retryable: false, operation, out_trade_no },
  };
}
