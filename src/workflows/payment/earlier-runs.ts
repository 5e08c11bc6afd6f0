/** The runs before this one, under the same workflow id: whether there were any, and what they knew of the payment. */
import { workflowInfo } from '@temporalio/workflow';
import type { EarlierPayments, PaymentInput } from '../../contract';
import { loadEarlierRuns } from '../shared/activities';
import { isContinued } from '../shared/continued';
import type { PaymentContext } from './context';

/**
 * What they knew, as soon as Temporal answers: until then a sale of one could be hidden, or an order that it has sent. Meanwhile a
 * person is asked, by `no-answer`, which may also be the gateway's.
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
 * Whether a run is the first under its workflow id, told by what no copy of its input has. Who starts a payment with `REJECT_DUPLICATE` names the start in its input, and once more where only the start itself can: in the
 * update that comes with it, or as its parent. A start like a closed payment, made of that one's input, has neither.
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

  /** Whether no run was before. A run that follows another of its chain, by a retry or a cron schedule, has the same parent. */
  get isProven(): boolean {
    return this.isRepeated && !isContinued();
  }
}
