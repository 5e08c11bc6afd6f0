/** The runs before this one, under the same workflow id: whether there were any, and what they knew of the payment. */
import { workflowInfo } from '@temporalio/workflow';
import type { EarlierPayments, PaymentInput } from '../../contract';
import { loadEarlierRuns } from '../shared/activities';
import { isContinued } from '../shared/continued';
import type { PaymentContext } from './context';

/**
 * Waits until Temporal answers: a run that is not read yet may have sent or sold the order. Meanwhile a person is told by
 * `no-answer`, which a silent gateway may have raised before.
 */
export async function readEarlierRuns({
  known,
  learn,
  raise,
}: Pick<PaymentContext, 'known' | 'learn' | 'raise'>): Promise<EarlierPayments> {
  const isAsked = known.reasons.includes('no-answer');
  for (;;) {
    const earlier = await loadEarlierRuns();
    if (earlier !== 'unread') {
      if (!isAsked) learn({ is: 'cleared', attention: 'no-answer' });
      return earlier;
    }
    raise('no-answer');
  }
}

/**
 * Whether there may be earlier runs, which may have sold the order: it was started a second time, or this run is a reset of
 * one.
 */
export function mayFollowAnother(order: PaymentInput, isFirst: boolean): boolean {
  const { runId, originalExecutionRunId } = workflowInfo();
  return order.kind !== 'adopt' && (!isFirst || runId !== originalExecutionRunId);
}

/**
 * Whether a run is the first under its workflow id. A starter with `REJECT_DUPLICATE` names the start (`first_start_id`) in the input, and again
 * where only this start can: in the update that comes with it, or as the parent's run id. A start with a copied input names it only once.
 */
export class FirstRun {
  private isRepeated: boolean;

  constructor(private readonly input: PaymentInput) {
    const { parent } = workflowInfo();
    this.isRepeated = parent !== undefined && parent.runId === input.first_start_id;
  }

  /** The argument of an update `created`. */
  note(created: PaymentInput | undefined): void {
    const { first_start_id } = this.input;
    if (typeof first_start_id === 'string' && first_start_id === created?.first_start_id) this.isRepeated = true;
  }

  /** Whether no run was before. A retry, or a run of a cron schedule, has the same parent as the run that it follows. */
  get isProven(): boolean {
    return this.isRepeated && !isContinued();
  }
}
