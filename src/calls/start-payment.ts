/** Starts a payment from a merchant's own workflow. */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityCancellationType,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type AccountActivities,
  type AppOrder,
  FAILURE,
  isNotCreatedFailure,
  type NewPayment,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  type StartedPayment,
  type StarterActivities,
  typedFailure,
  WORKFLOW,
} from '../contract';
import { QUERYING } from '../workflows/shared/activities';
import { untilTold } from '../workflows/shared/ended-by-hand';
import { assertCalled, ownFailure, paymentOf } from './shared';

const { 'payments.created': createdAnswer } = proxyActivities<StarterActivities>({
  ...QUERYING,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});
const { 'payments.ended-payment': endedPayment } = proxyActivities<AccountActivities>(QUERYING);

/**
 * Starts the payment of an order (a checkout has `trade_type`), or joins the one that runs under its number, and returns its
 * payment data long before its outcome. The payment is its own: neither the end nor the cancellation of your workflow ends it.
 * Throws ApplicationFailure, of the types that docs/contract.md names for `created`: `InvalidRequest`, with every wrong field,
 * where no order can be made of it. Your worker needs the plugin.
 */
export async function startPayment(order: AppOrder, taskQueue?: string): Promise<StartedPayment> {
  assertCalled('startPayment');
  const payment = paymentOf(order);
  const workflowId = paymentWorkflowId(payment.app_id, payment.request.out_trade_no);
  const child = await startOrJoin(payment, workflowId, taskQueue, 'REJECT_DUPLICATE');
  try {
    return await started(payment, workflowId, child);
  } catch (failure) {
    if (child || !isNotCreatedFailure(failure)) throw failure;
  }
  // A run before this call made no order, so its number can be used again, by a mended one too.
  const again = await startOrJoin(payment, workflowId, taskQueue, 'ALLOW_DUPLICATE_FAILED_ONLY');
  return started(payment, workflowId, again);
}

async function started(
  payment: NewPayment,
  workflowId: string,
  child: ChildWorkflowHandle<PaymentWorkflow> | undefined,
): Promise<StartedPayment> {
  try {
    const data = await createdAnswer(payment);
    return { data, outcome: () => (child ? child.result() : outcomeOf(workflowId)) };
  } catch (error) {
    throw ownFailure(error);
  }
}

/** Undefined where a payment has the number already. */
async function startOrJoin(
  payment: NewPayment,
  workflowId: string,
  taskQueue: string | undefined,
  workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY',
): Promise<ChildWorkflowHandle<PaymentWorkflow> | undefined> {
  // A number that is used again has an earlier run, which is looked at before the order is sent.
  const isFirst = workflowIdReusePolicy === 'REJECT_DUPLICATE';
  try {
    return await startChild<PaymentWorkflow>(WORKFLOW.payment, {
      workflowId,
      workflowIdReusePolicy,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      cancellationType: ChildWorkflowCancellationType.ABANDON,
      args: [isFirst ? { ...payment, first_start_id: workflowInfo().runId } : payment],
      ...(taskQueue === undefined ? {} : { taskQueue }),
    });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** The outcome of a payment that another program has started. */
async function outcomeOf(workflow_id: string): Promise<PaymentState> {
  const { state, is_gone } = await untilTold(endedPayment)({ workflow_id });
  if (state !== null) return state;
  const why = is_gone
    ? `Temporal has forgotten ${workflow_id}, so it cannot say how the payment ended. The order may be paid: ask the state of its after-sale, or`
    : `${workflow_id} was ended from outside and has no result. The order may exist:`;
  throw typedFailure(FAILURE.withoutResult, `${why} look for it in the gateway’s dashboard.`);
}
