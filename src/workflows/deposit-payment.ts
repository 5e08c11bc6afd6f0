/** How a deposit is confirmed: by the payment of its own order, which asks the gateway. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ChildWorkflowFailure, ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import { endedPayment } from './account-activities';
import type { NotifiedDeposit } from './account-contract';
import { type PaymentInput, type PaymentState, paymentWorkflowId, speiAccountWorkflowId, WORKFLOW } from './contract';

type PaymentType = (input: PaymentInput) => Promise<PaymentState>;
type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/**
 * The state in which the deposit's payment ended; null where it came to no end of its own, and `counted` where an account
 * has counted it that did not say so here: this one before somebody terminated it, or another one. A deposit that a run before
 * this one has begun is not counted yet, for all that its payment is this account's.
 */
export async function paymentOf(app_id: string, deposit: NotifiedDeposit): Promise<PaymentState | null | 'counted'> {
  const { begun = false } = deposit;
  const workflowId = paymentWorkflowId(app_id, deposit.out_trade_no);
  for (let reuse: Reuse = 'REJECT_DUPLICATE'; ; reuse = 'ALLOW_DUPLICATE') {
    const ended = await adopted(app_id, deposit, reuse);
    if (ended !== 'exists') return ended;
    const { parent, state } = await endedPayment({ workflow_id: workflowId });
    if (state?.outcome === 'SUCCESS') {
      const isMine = begun && parent === workflowInfo().workflowId;
      return parent?.startsWith(speiAccountWorkflowId(app_id, '')) && !isMine ? 'counted' : state;
    }
    // It ended otherwise, and now there is news of it: it is taken on once more.
    if (begun || reuse === 'ALLOW_DUPLICATE') return state;
  }
}

/** Starts the payment in adopt form and waits for its end. It goes on by itself where this run of the account ends first. */
async function adopted(
  app_id: string,
  { out_trade_no, trade_no }: NotifiedDeposit,
  workflowIdReusePolicy: Reuse,
): Promise<PaymentState | null | 'exists'> {
  try {
    const payment = await startChild<PaymentType>(WORKFLOW.payment, {
      workflowId: paymentWorkflowId(app_id, out_trade_no),
      args: [{ kind: 'adopt', app_id, out_trade_no, trade_no }],
      workflowIdReusePolicy,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    return await payment.result();
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'exists';
    // An adopted payment fails only where somebody terminated it.
    if (error instanceof ChildWorkflowFailure) return null;
    throw error;
  }
}
