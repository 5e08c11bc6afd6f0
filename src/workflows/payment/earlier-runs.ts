/** Reads what the runs before this one, under the same workflow id, knew of the payment. */
import { workflowInfo } from '@temporalio/workflow';
import type { EarlierPayments, PaymentInput, PaymentPolicy } from '../../contract';
import { loadEarlierRuns } from '../shared/activities';
import type { PaymentFacts } from './context';

/**
 * What they knew, as soon as Temporal answers: until then a sale of one could be hidden, or an order that it has sent. Meanwhile a
 * person is asked, by `no-answer`, which may also be the gateway's.
 */
export async function readEarlierRuns({
  known,
  learn,
  raise,
}: Pick<PaymentFacts, 'known' | 'learn' | 'raise'>): Promise<EarlierPayments> {
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
 * Whether the run is a reset of the one that was started. Its history says so: a run that is reset after this was recorded has to
 * replay what it did.
 */
export const wasReset = ({ run_id }: Pick<PaymentPolicy, 'run_id'>) => run_id !== workflowInfo().originalExecutionRunId;
