/** Requests a refund from the after-sale of its order, for a merchant's client and for a worker alike. */
import { setTimeout } from 'node:timers/promises';
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleWorkflow,
  afterSaleWorkflowId,
  FAILURE,
  type RefundAnswer,
  type RefundOrder,
  UPDATE,
  WORKFLOW,
} from '../contract';

/** Longer than the update `refund` waits in the workflow, and than a worker's death just then takes. */
const REFUND_TIMEOUT_MS = 75_000;

/** An after-sale that is ending takes no refund. After this time another one can be started. */
const CLOSES_WITHIN_MS = 1_000;
const REFUND_TRIES = 5;

/** The order, and the task queue of the worker that runs its after-sale. */
export interface RefundedOrder {
  app_id: string;
  out_trade_no: string;
  taskQueue: string;
}

/**
 * Starts the after-sale if none runs; it loads the refunds of the one before. Returns the gateway's answer. Throws the
 * errors of Temporal's client, with the workflow's failure (`FAILURE`) as the cause. `timeoutMs` ends the wait for the answer.
 */
export async function requestRefund(
  client: Client,
  order: RefundedOrder,
  refund: RefundOrder,
  timeoutMs = REFUND_TIMEOUT_MS,
): Promise<RefundAnswer> {
  const end = Date.now() + timeoutMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return await requestOnce(client, order, refund, end);
    } catch (error) {
      const isOver = tries === REFUND_TRIES || Date.now() + CLOSES_WITHIN_MS > end;
      if (isOver || !isClosing(error)) throw error;
      await setTimeout(CLOSES_WITHIN_MS);
    }
  }
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

/** Whether the after-sale ended before it took the refund. */
function isClosing(error: unknown): boolean {
  return error instanceof WorkflowNotFoundError || refundFailure(error)?.type === FAILURE.closing;
}

/** The after-sale's failure, if it refused the refund; undefined for every other error. */
export function refundFailure(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
