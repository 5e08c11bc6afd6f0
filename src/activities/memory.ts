/** What Temporal still knows of a trade: its payment, and after-sales that have ended. Read by the worker's own client. */
import { activityInfo, getClient } from '@temporalio/activity';
import { type Client, isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, defineSearchAttributeKey } from '@temporalio/common';
import { originalRun } from '../runs';
import type { MemoryActivities } from '../workflows/activities';
import {
  type AfterSaleState,
  paymentWorkflowId,
  QUERY,
  type RefundState,
  refundWorkflowId,
} from '../workflows/contract';
import { orderOf } from '../workflows/requests';
import { type BuyerOf, buyerOfOrder } from './buyer';

const methodKey = defineSearchAttributeKey('PaymentMethod', 'KEYWORD');

export const memoryActivities: MemoryActivities = {
  async 'payments.knownBefore'({ app_id, out_trade_no }) {
    const client = getClient();
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return { previous: null, method: null };
    const { workflowId, runId } = workflowExecution;
    const [former, method] = await Promise.all([
      stateOfFormerRun(client, workflowId, runId),
      out_trade_no === null ? null : methodOf(client, paymentWorkflowId(app_id, out_trade_no)),
    ]);
    return { previous: former && (await withRefunds(client, former, app_id)), method };
  },
};

export const buyerOfPayment: BuyerOf = async ({ app_id, id: { out_trade_no } }) => {
  if (out_trade_no === undefined) return {};
  const original = await known(() => originalRun(getClient(), paymentWorkflowId(app_id, out_trade_no)), null);
  if (original === null) return {};
  return buyerOfOrder(orderOf(original.input)?.request ?? {});
};

/**
 * The last state of a run before this one; null where none of them knows anything. A run that was ended right after its
 * start has not remembered yet what those before it knew.
 */
async function stateOfFormerRun(client: Client, workflowId: string, runId: string): Promise<AfterSaleState | null> {
  const runs: { runId: string; startTime: Date }[] = [];
  const query = `WorkflowId = "${workflowId.replace(/["\\]/g, '\\$&')}"`;
  for await (const run of client.workflow.list({ query })) runs.push(run);
  // Lists lag behind. Once this run is in it, those before it are, too.
  if (!runs.some((run) => run.runId === runId)) {
    throw ApplicationFailure.retryable('This run is not in the list of workflows yet; runs before it may be missing.');
  }
  const former = runs
    .filter((run) => run.runId !== runId)
    .sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  for (const run of former) {
    // By query and not by result: a run that was terminated has the one and not the other.
    const handle = client.workflow.getHandle(workflowId, run.runId);
    const state = await known(() => handle.query<AfterSaleState>(QUERY.state), null);
    if (state && (state.trade_status !== null || state.refunds.length > 0)) return state;
  }
  return null;
}

/** The former state with what has become since of refunds that were under way: they go on where their after-sale was ended. */
export async function withRefunds(client: Client, former: AfterSaleState, app_id: string): Promise<AfterSaleState> {
  const no = former.out_trade_no ?? former.trade_no ?? '';
  const refunds = former.refunds.map(async (refund) => {
    if (refund.outcome !== null || refund.started_at === null) return refund;
    const handle = client.workflow.getHandle(refundWorkflowId(app_id, no, refund.out_request_no));
    const now = await known(() => handle.query<RefundState>(QUERY.state), refund);
    return { ...now, started_at: refund.started_at };
  });
  return { ...former, refunds: await Promise.all(refunds) };
}

async function methodOf(client: Client, paymentId: string): Promise<string | null> {
  const described = await known(() => client.workflow.getHandle(paymentId).describe(), null);
  return described?.typedSearchAttributes.get(methodKey) ?? null;
}

/** The code of a query to a run that was ended before a worker had it. */
const FAILED_PRECONDITION = 9;

/** What Temporal does not have, or no longer, is not known; every other trouble passes. */
async function known<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise;
    if (error instanceof ServiceError && isGrpcServiceError(error.cause) && error.cause.code === FAILED_PRECONDITION)
      return otherwise;
    throw error;
  }
}
