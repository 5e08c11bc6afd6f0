/** Refunds a payment from a merchant's own workflow. */
import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import {
  type RefundAnswer,
  type RefundOptions,
  type RefundToAsk,
  refundOrderOf,
  type StarterActivities,
} from '../contract';
import { QUERYING } from '../workflows/shared/activities';
import { assertCalled, assertTexts, ownFailure } from './shared';

const { 'payments.refunded': refundedAnswer } = proxyActivities<StarterActivities>({
  ...QUERYING,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/**
 * Asks for a refund of a paid order, all that is left of it or a part, and returns the gateway's answer, for as long as that
 * takes (section 4.3). The refund is its own: neither the end nor the cancellation of your workflow ends it, and the same one again gets the
 * same answer. `order` may be the one that was sold, as `startPayment` takes it. `taskQueue` is that of the payments, by
 * default your workflow's own. Throws ApplicationFailure, of the types that docs/contract.md names for `refund`. Your worker
 * needs the plugin.
 */
export async function refundPayment(
  order: Pick<RefundToAsk, 'app_id' | 'out_trade_no'>,
  refund: RefundOptions = {},
  taskQueue: string = workflowInfo().taskQueue,
): Promise<RefundAnswer> {
  assertCalled('refundPayment');
  assertTexts(order, ['app_id', 'out_trade_no']);
  const { app_id, out_trade_no } = order;
  try {
    return await refundedAnswer({ app_id, out_trade_no, task_queue: taskQueue, refund: refundOrderOf(refund) });
  } catch (error) {
    throw ownFailure(error);
  }
}
