/** Requests a refund from the after-sale of its order, for a merchant's client and for a worker alike. */
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  priorityOf,
  type RefundAnswer,
  type RefundOrder,
  startSummary,
  UPDATE,
  WORKFLOW,
} from '../contract';
import { askWhileClosing } from './call-errors';

/** Longer, in ms, than the update `refund` waits in the workflow, even if a worker dies meanwhile. */
const REFUND_TIMEOUT_MS = 75_000;

/** The order, and the task queue of the worker that runs its after-sale. */
export interface RefundedOrder {
  app_id: string;
  out_trade_no: string;
  taskQueue: string;
}

/**
 * Starts the after-sale if none runs; it loads the refunds of the after-sale before it. Returns the gateway's answer. Throws the
 * errors of Temporal's client, with the workflow's failure (`FAILURE`) as the cause. `timeoutMs` ends the wait for the answer.
 */
export async function requestRefund(
  client: Client,
  order: RefundedOrder,
  refund: RefundOrder,
  timeoutMs = REFUND_TIMEOUT_MS,
): Promise<RefundAnswer> {
  const end = Date.now() + timeoutMs;
  return askWhileClosing(() => requestOnce(client, order, refund, end), end);
}

function requestOnce(
  client: Client,
  { app_id, out_trade_no, taskQueue }: RefundedOrder,
  refund: RefundOrder,
  deadline: number,
) {
  const startWorkflowOperation = new WithStartWorkflowOperation<AfterSaleWorkflow>(WORKFLOW.afterSale, {
    workflowId: afterSaleWorkflowId(app_id, out_trade_no),
    taskQueue,
    args: [{ app_id, out_trade_no }],
    staticSummary: startSummary({ out_trade_no }),
    priority: priorityOf(afterSaleWorkflowId(app_id, out_trade_no)),
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return client.withDeadline(deadline, () =>
    client.workflow.executeUpdateWithStart<AfterSaleWorkflow, RefundAnswer, [RefundOrder]>(UPDATE.refund, {
      args: [refund],
      startWorkflowOperation,
    }),
  );
}
