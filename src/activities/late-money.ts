/** Sends money back that came after the end of its payment, by the way that a merchant's refund takes. */
import { getClient } from '@temporalio/activity';
import { refundGoesTo } from '../gateway/refund';
import { refundFailure, requestRefund } from '../refund-request';
import type { LateMoneyActivities } from '../workflows/activities';
import { FAILURE } from '../workflows/contract';

export const lateMoneyActivities: LateMoneyActivities = {
  async 'payments.refundLate'({ app_id, out_trade_no, method, task_queue, refund }) {
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
      const failure = refundFailure(error);
      // It goes on by itself, and its after-sale tells what becomes of it.
      if (failure?.type === FAILURE.refundPending) return { is: 'asked', refund_status: null };
      if (failure === undefined || failure.type === FAILURE.closing) throw error;
      return { is: 'refused', reason: failure.message };
    }
  },
};
