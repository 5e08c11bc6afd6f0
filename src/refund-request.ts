/** Asks for a refund through the after-sale of its order: the same way for a merchant's client and for a worker. */
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
} from './workflows/contract';

/** Longer than `refund` waits in the workflow: for the trade to be known, and then for the gateway's answer. */
const REFUND_TIMEOUT_MS = 75_000;

/** An after-sale that is just ending takes no refund; so soon after, another one can be opened. */
const CLOSES_WITHIN_MS = 1_000;
const REFUND_TRIES = 5;

/** Whose refund it is, and where a worker is that can open the after-sale. */
export interface RefundedOrder {
  app_id: string;
  out_trade_no: string;
  taskQueue: string;
}

/**
 * Opens the after-sale where none runs; it knows the refunds of the one before. Answers with the gateway's response.
 * Throws what Temporal's client throws, with the workflow's own failure (`FAILURE`) as the cause.
 */
export async function requestRefund(client: Client, order: RefundedOrder, refund: RefundOrder): Promise<RefundAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await requestOnce(client, order, refund);
    } catch (error) {
      if (tries === REFUND_TRIES || !isClosing(error)) throw error;
      await setTimeout(CLOSES_WITHIN_MS);
    }
  }
}

function requestOnce(client: Client, { app_id, out_trade_no, taskQueue }: RefundedOrder, refund: RefundOrder) {
  const startWorkflowOperation = new WithStartWorkflowOperation<AfterSaleWorkflow>(WORKFLOW.afterSale, {
    workflowId: afterSaleWorkflowId(app_id, out_trade_no),
    taskQueue,
    args: [{ app_id, out_trade_no }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  return client.withDeadline(Date.now() + REFUND_TIMEOUT_MS, () =>
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

/** The after-sale's own word on a refund that it did not make; undefined for every other trouble. */
export function refundFailure(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
