/** Confirms a deposit by the payment workflow of its order, which queries the gateway. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { DepositPaymentRun, EndedPayment, NotifiedDeposit } from '../../contract';
import { type PaymentInput, type PaymentState, paymentWorkflowId, SIGNAL, WORKFLOW } from '../../contract';
import { earlierWorkflows } from './activities';
import { type DepositAnswer, isMoneyOfMerchant } from './deposit-counting';
import type { DepositLedger } from './deposit-ledger';

type PaymentType = (input: PaymentInput) => Promise<PaymentState>;
type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/** Waits for the payment of a deposit. Only this account's ledger says what the account has counted, and never a payment. */
export async function awaitDepositPayment(
  app_id: string,
  deposit: NotifiedDeposit,
  runs: DepositLedger,
): Promise<DepositAnswer> {
  const { out_trade_no } = deposit;
  const workflow_id = paymentWorkflowId(app_id, out_trade_no);
  const { workflowId: account } = workflowInfo();
  for (let reuse: Reuse = 'REJECT_DUPLICATE'; ; reuse = 'ALLOW_DUPLICATE') {
    const adopted = await adoptPayment(app_id, deposit, reuse, runs);
    // Asked before the running payment is waited for: an order may take days.
    if (adopted === null && (await isToldToOrder(app_id, deposit, runs))) return 'of an order';
    const { parent, run_id, state, is_gone } = adopted ?? (await earlierWorkflows.endedPayment({ workflow_id }));
    // Temporal has forgotten the payment, and nobody has confirmed the deposit: its trade is adopted again.
    if (is_gone) continue;
    const ours = runs.paymentRunOf(out_trade_no);
    const isOurs = ours !== undefined && ours.run_id === run_id;
    if (state?.outcome === 'SUCCESS' && !(isOurs && ours.is_first)) {
      const owner = await earlierWorkflows.depositOwner({ app_id, workflow_id });
      if (owner !== null && owner !== account) return 'counted';
    }
    // Only a sale stays: any other answer of a run that looked before the notification is asked for again. A payment that no
    // account has started does not prove that the deposit belongs to this account.
    const isAnswer = isOurs && isOfNow(state, ours);
    if (parent === account && (isAnswer || isMoneyOfMerchant(state))) return state;
  }
}

/** Whether an order has the deposit's number, and was told all that was notified under it, also meanwhile: it may be money. */
async function isToldToOrder(app_id: string, notified: NotifiedDeposit, known: DepositLedger): Promise<boolean> {
  for (;;) {
    const deposit = known.currentOf(notified);
    if (!(await earlierWorkflows.tellOrder({ app_id, deposit }))) return false;
    if (known.currentOf(notified) === deposit) return true;
  }
}

/** Whether the payment's answer is up to date: nothing was notified since, or a person has decided after the notification. */
function isOfNow(state: PaymentState | null, { notified_at }: DepositPaymentRun): boolean {
  if (notified_at === undefined) return true;
  const decided = state?.confirmed_by === 'operator' && state.history.findLast(({ source }) => source === 'operator');
  return decided ? Date.parse(decided.time) >= notified_at : false;
}

/**
 * Starts the payment in adopt form and waits for its end; null if it exists. The payment goes on if this run of the account ends
 * first.
 */
async function adoptPayment(
  app_id: string,
  { out_trade_no, trade_no }: NotifiedDeposit,
  workflowIdReusePolicy: Reuse,
  runs: DepositLedger,
): Promise<EndedPayment | null> {
  const is_first = workflowIdReusePolicy === 'REJECT_DUPLICATE';
  const ended = { parent: workflowInfo().workflowId, run_id: null, state: null, is_gone: false };
  try {
    const payment = await startChild<PaymentType>(WORKFLOW.payment, {
      workflowId: paymentWorkflowId(app_id, out_trade_no),
      args: [
        {
          kind: 'adopt',
          app_id,
          out_trade_no,
          trade_no,
          ...(is_first ? { first_start_id: workflowInfo().runId } : {}),
        },
      ],
      workflowIdReusePolicy,
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
    const run_id = payment.firstExecutionRunId;
    runs.notePaymentRun(out_trade_no, { run_id, is_first });
    // An adopted payment fails only if somebody terminates it.
    return { ...ended, run_id, state: await payment.result().catch(nullIfTerminated) };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
    throw error;
  }
}

function nullIfTerminated(error: unknown): null {
  if (error instanceof ChildWorkflowFailure) return null;
  throw error;
}

/** Makes the payment of a deposit query now. If it has not started, it queries anyway when it starts. */
export function signalPayment(app_id: string, { out_trade_no, trade_status }: NotifiedDeposit): void {
  getExternalWorkflowHandle(paymentWorkflowId(app_id, out_trade_no))
    .signal(SIGNAL.notification, { app_id, out_trade_no, trade_status })
    .catch(() => undefined);
}
