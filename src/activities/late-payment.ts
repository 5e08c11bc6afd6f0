/** Refunds a late payment (money that came after the end of its order), the way a merchant's refund goes. */

import { getClient } from '@temporalio/activity';
import { FAILURE, type LatePaymentActivities } from '../contract';
import { refundGoesTo } from '../gateway/refund';
import { updateFailure } from '../temporal/closing';
import { requestRefund } from '../temporal/refund-update';

/** After these nobody has the request: it is asked again. */
const NOT_TAKEN: readonly string[] = [FAILURE.closing, FAILURE.notAnswered];

/** The activity that asks the after-sale of the order for the refund. It may repeat: the refund has a number. */
export const latePaymentActivities: LatePaymentActivities = {
  async 'payments.refundLatePayment'({ app_id, out_trade_no, method, task_queue, refund }) {
    const goesTo = refundGoesTo(method);
    if (goesTo?.startsWith('a bank account')) {
      return {
        is: 'refused',
        reason: `${method} is refunded to ${goesTo} of the buyer’s, which the order does not have: bank_info is missing`,
      };
    }
    try {
      const order = { app_id, out_trade_no, taskQueue: task_queue };
      const { refund_status } = await requestRefund(getClient(), order, refund);
      return { is: 'asked', refund_status: typeof refund_status === 'string' ? refund_status : null };
    } catch (error) {
      const failure = updateFailure(error);
      // The refund continues by itself, and its after-sale reports the result.
      if (failure?.type === FAILURE.refundPending) return { is: 'asked', refund_status: null };
      if (failure === undefined || NOT_TAKEN.includes(failure.type ?? '')) throw error;
      return { is: 'refused', reason: failure.message };
    }
  },
};
