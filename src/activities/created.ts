/**
 * The answers to a payment's creation and to its refunds, for a merchant's own workflow: workflows cannot send updates
 * themselves.
 */
import { getClient } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  creationAnswer,
  detailsOf,
  differentOrder,
  duplicateOrder,
  endedFromOutside,
  FAILURE,
  fieldsUnlikeKnown,
  isNotCreatedFailure,
  isTradeOfOthers,
  type NewPayment,
  type PaymentData,
  type PaymentState,
  type PaymentWorkflow,
  paymentWorkflowId,
  QUERY,
  type StarterActivities,
  sameFailure,
  typedFailure,
  UPDATE,
} from '../contract';
import { ENDED_UNANSWERED, updateFailure } from '../temporal/call-errors';
import { requestRefund } from '../temporal/refund-update';
import { ifAnswered, latestTakenRun } from '../temporal/runs';
import { failureOf, orderUnder } from '../temporal/workflow-history';

const PENDING: readonly string[] = [
  FAILURE.pending,
  FAILURE.refundPending,
  FAILURE.closing,
  FAILURE.notAnswered,
  ENDED_UNANSWERED,
];

/** Less than an attempt of the activity may take. */
const REFUND_WAIT_MS = 50_000;

export const starterActivities: StarterActivities = {
  async 'payments.created'(payment) {
    const client = getClient();
    const handle = client.workflow.getHandle(paymentWorkflowId(payment.app_id, payment.request.out_trade_no));
    try {
      return await handle.executeUpdate<PaymentData, [NewPayment]>(UPDATE.created, { args: [payment] });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return answerOfEnded(client, handle.workflowId, payment);
      throw error instanceof WorkflowUpdateFailedError ? asOwnFailure(error.cause) : error;
    }
  },
  async 'payments.refunded'({ app_id, out_trade_no, task_queue: taskQueue, refund }) {
    try {
      return await requestRefund(getClient(), { app_id, out_trade_no, taskQueue }, refund, REFUND_WAIT_MS);
    } catch (error) {
      throw asOwnFailure(updateFailure(error) ?? error);
    }
  },
};

const UNKNOWN_ORDER = {
  ...{ trade_no: null, trade_status: null, order_amount: null, order_currency: null },
  ...{ outcome: null, confirmed_by: null, attention: null },
} as const;

/** The answer of an ended payment if it is of the same order, or else the failure of its run. */
async function answerOfEnded(client: Client, workflowId: string, payment: NewPayment): Promise<PaymentData> {
  const { out_trade_no } = payment.request;
  const order = await orderUnder(client, workflowId);
  const { runId, status } = await latestTakenRun(client, workflowId);
  const handle = client.workflow.getHandle<PaymentWorkflow>(workflowId, runId);
  const failure = await failureOf(handle);
  // A run that created nothing leaves its number free for this request or any other: what it was asked for does not count.
  if (failure instanceof ApplicationFailure && isNotCreatedFailure(failure)) throw sameFailure(failure);
  // Temporal itself has the result of a payment that ended well; the state of any other needs a worker on its task queue.
  const ask = () => (status.name === 'COMPLETED' ? handle.result() : handle.query<PaymentState>(QUERY.state));
  const state = await ifAnswered(ask, null);
  if (state && isTradeOfOthers(order, state)) throw duplicateOrder(state);
  const fields = fieldsUnlikeKnown(payment, order ?? undefined, state);
  if (fields.length > 0) throw differentOrder(state ?? { ...UNKNOWN_ORDER, out_trade_no }, fields);
  const answer = state && creationAnswer(state);
  if (answer) return answer;
  if (failure instanceof ApplicationFailure) throw sameFailure(failure);
  // Somebody ended the run: the order may have been sent.
  throw typedFailure(FAILURE.pending, endedFromOutside(out_trade_no), { outcome: 'unknown' });
}

/** A new failure, so that Temporal encodes it once. While the answer is pending, the failure is retryable. */
function asOwnFailure(cause: unknown): unknown {
  if (!(cause instanceof ApplicationFailure)) return cause;
  const { message, type } = cause;
  if (!type || !PENDING.includes(type)) return sameFailure(cause);
  const details = detailsOf(cause);
  return ApplicationFailure.retryable(message, type, ...(details ? [details] : []));
}
