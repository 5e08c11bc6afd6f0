/** Confirms a deposit by the payment workflow of its order, which queries the gateway. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { NotifiedDeposit } from '../../contract';
import {
  type PaymentInput,
  type PaymentState,
  paymentWorkflowId,
  SIGNAL,
  speiAccountWorkflowId,
  WORKFLOW,
} from '../../contract';
import { earlierWorkflows } from './activities';

type PaymentType = (input: PaymentInput) => Promise<PaymentState>;
type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/**
 * Waits for the payment of a deposit and returns its last state; null where somebody terminated the payment. Returns
 * `counted` where an account has counted the deposit already: another account, or this one before it was terminated. A
 * deposit that an earlier run has started is not counted yet, although its payment is this account's child.
 */
export async function awaitDepositPayment(
  app_id: string,
  deposit: NotifiedDeposit,
): Promise<PaymentState | null | 'counted'> {
  const { begun = false } = deposit;
  const workflowId = paymentWorkflowId(app_id, deposit.out_trade_no);
  for (let reuse: Reuse = 'REJECT_DUPLICATE'; ; reuse = 'ALLOW_DUPLICATE') {
    const ended = await adoptPayment(app_id, deposit, reuse);
    if (ended !== 'exists') return ended;
    const { parent, state, is_gone } = await earlierWorkflows.endedPayment({ workflow_id: workflowId });
    // Temporal has forgotten it, and nobody has confirmed the deposit: its trade is adopted anew.
    if (is_gone) continue;
    if (state?.outcome === 'SUCCESS') {
      const isMine = begun && parent === workflowInfo().workflowId;
      return parent?.startsWith(speiAccountWorkflowId(app_id, '')) && !isMine ? 'counted' : state;
    }
    // The payment ended without SUCCESS, and now the deposit is notified: adopt its trade once more.
    if (begun || reuse === 'ALLOW_DUPLICATE') return state;
  }
}

/** Starts the payment in adopt form and waits for its end. It goes on where this run of the account ends first. */
async function adoptPayment(
  app_id: string,
  { out_trade_no, trade_no }: NotifiedDeposit,
  workflowIdReusePolicy: Reuse,
): Promise<PaymentState | null | 'exists'> {
  try {
    const payment = await startChild<PaymentType>(WORKFLOW.payment, {
      workflowId: paymentWorkflowId(app_id, out_trade_no),
      args: [
        { kind: 'adopt', app_id, out_trade_no, trade_no, started_once: workflowIdReusePolicy === 'REJECT_DUPLICATE' },
      ],
      workflowIdReusePolicy,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    return await payment.result();
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'exists';
    // An adopted payment fails only if somebody terminates it.
    if (error instanceof ChildWorkflowFailure) return null;
    throw error;
  }
}

/** Makes the payment of a deposit query now. Where it has not started, it queries anyway when it starts. */
export function signalPayment(app_id: string, { out_trade_no, trade_status }: NotifiedDeposit): void {
  getExternalWorkflowHandle(paymentWorkflowId(app_id, out_trade_no))
    .signal(SIGNAL.notification, { app_id, out_trade_no, trade_status })
    .catch(() => undefined);
}
