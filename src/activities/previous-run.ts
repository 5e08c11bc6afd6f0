/** What Temporal still knows about a trade: its payment, and earlier after-sales. Read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AdoptedPayment,
  type AfterSaleState,
  differingFields,
  type EarlierAfterSale,
  type EarlierRun,
  isNamedByItsCreation,
  isNotCreatedFailure,
  knownIds,
  type LatestRun,
  type NewPayment,
  orderOf,
  type PaymentState,
  type PreviousRunActivities,
  paymentWorkflowId,
  QUERY,
  type RefundState,
  refundWorkflowId,
  type Sale,
  SEARCH_ATTRIBUTE,
} from '../contract';
import { GRPC_STATUS, grpcCodeOf } from '../temporal/grpc-status';
import { originalRun, readStart, summarizeClosedRun } from '../temporal/workflow-history';
import { type BuyerOf, buyerOfOrder } from './refund-user-info';

/** The activity that a new after-sale calls first, to take over what earlier runs knew. */
export const previousRunActivities: PreviousRunActivities = {
  async 'payments.latestRun'({ app_id, out_trade_no }) {
    const client = getClient();
    const workflowId = paymentWorkflowId(app_id, out_trade_no);
    return ifExists<LatestRun | null>(async () => {
      const { runId, status } = await client.workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') return { is: 'running' };
      return { is: 'closed', previous: await summarizeClosedRun(client, workflowId, runId) };
    }, null);
  },

  async 'payments.earlierRun'({ order }) {
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return null;
    const { workflowId, runId } = workflowExecution;
    return loadEarlierPayment(getClient(), workflowId, runId, order);
  },

  async 'payments.orderBefore'() {
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return null;
    return loadOrderBefore(getClient(), workflowExecution.workflowId, workflowExecution.runId);
  },

  async 'payments.knownBefore'({ app_id, out_trade_no }) {
    const client = getClient();
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return { previous: null, method: null, trade_no: null };
    const { workflowId, runId } = workflowExecution;
    const [previous, payment] = await Promise.all([
      loadPreviousRun(client, workflowId, runId),
      out_trade_no === null ? NO_PAYMENT : paymentOf(client, paymentWorkflowId(app_id, out_trade_no)),
    ]);
    return { previous: previous && (await withRefunds(client, previous, app_id)), ...payment };
  },
};

/** The buyer's data of the order that Temporal holds for a trade; empty if Temporal does not have the payment. */
export const buyerOfPayment: BuyerOf = async ({ app_id, id: { out_trade_no } }) => {
  if (out_trade_no === undefined) return {};
  const original = await ifExists(() => originalRun(getClient(), paymentWorkflowId(app_id, out_trade_no)), null);
  if (original === null) return {};
  return buyerOfOrder(orderOf(original.input)?.request ?? {});
};

/** The latest earlier run of a payment that may have made an order, with what any of them knows of its trade; null if there is none. */
async function loadEarlierPayment(
  client: Client,
  workflowId: string,
  runId: string,
  order: Pick<NewPayment, 'kind' | 'request'>,
): Promise<EarlierRun | null> {
  let latest: EarlierRun | null = null;
  for (const run of await earlierRuns(client, workflowId, runId)) {
    const { input } = await readStart(client, workflowId, run.runId);
    const made = orderOf(input);
    if (!made || (await isCertainlyNotCreated(client, workflowId, run.runId))) continue;
    const fields = differingFields({ kind: made.kind, ...made.request }, { kind: order.kind, ...order.request });
    const handle = client.workflow.getHandle(workflowId, run.runId);
    // A run that never came to its creation is none that may have made the order; one that cannot be asked may be.
    if (!(await ifExists(() => handle.query<boolean>(QUERY.creationAsked), true))) continue;
    const is_same_order = fields.length === 0;
    latest ??= { run_id: run.runId, is_same_order, sale: null, trade_no: null, is_proven: false, payment_data: null };
    const state = await ifExists(() => handle.query<PaymentState>(QUERY.state), null);
    if (is_same_order && state?.outcome === 'SUCCESS') return { ...latest, sale: saleOf(state) };
    // A run that only found a trade does not prove whose it is.
    if (state && !latest.is_proven) latest = learn(latest, state);
  }
  return latest;
}

/** The latest earlier run that made an order, as the run that takes it on needs it. */
async function loadOrderBefore(client: Client, workflowId: string, runId: string): Promise<AdoptedPayment | null> {
  for (const run of await earlierRuns(client, workflowId, runId)) {
    const { input } = await readStart(client, workflowId, run.runId);
    const order = orderOf(input);
    if (!order) continue;
    const previous = await summarizeClosedRun(client, workflowId, run.runId);
    if (!previous.order) continue;
    const { app_id } = input;
    const { out_trade_no } = order.request;
    return { kind: 'adopt', app_id, ...knownIds({ out_trade_no, trade_no: previous.trade_no ?? null }), previous };
  }
  return null;
}

/** What an earlier run adds. One that ended right after its start knows nothing. */
function learn(latest: EarlierRun, state: PaymentState): EarlierRun {
  const { trade_no, payment_data } = state;
  if (isNamedByItsCreation(state, trade_no)) return { ...latest, trade_no, payment_data, is_proven: true };
  return {
    ...latest,
    trade_no: latest.trade_no ?? trade_no,
    payment_data: latest.payment_data ?? payment_data,
  };
}

function saleOf(state: PaymentState): Sale {
  const { trade_no, trade_status, order_amount, payment_data, confirmed_by, other_trades } = state;
  return { trade_no, trade_status, order_amount, payment_data, confirmed_by, other_trades };
}

/** Whether a run failed because its order certainly was not created. */
async function isCertainlyNotCreated(client: Client, workflowId: string, runId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId, runId).describe();
  if (status.name !== 'FAILED') return false;
  const failure: unknown = await client.workflow.result(workflowId, runId).catch((error: unknown) => error);
  return failure instanceof WorkflowFailedError && isNotCreatedFailure(failure.cause);
}

/** The runs before this one, the latest first. Throws a retryable failure while the list of workflows is behind. */
async function earlierRuns(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<{ runId: string; startTime: Date }[]> {
  const runs: { runId: string; startTime: Date }[] = [];
  const query = `WorkflowId = "${workflowId.replace(/["\\]/g, '\\$&')}"`;
  for await (const run of client.workflow.list({ query })) runs.push(run);
  // The list lags behind. Once it holds this run, it holds the earlier ones too.
  if (!runs.some((run) => run.runId === runId)) {
    throw ApplicationFailure.retryable('This run is not in the list of workflows yet; runs before it may be missing.');
  }
  return runs.filter((run) => run.runId !== runId).sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
}

/**
 * The state of the latest earlier run that knows something; null if there is none. A run that ended right after its start
 * may know nothing, because it had not yet read the run before it. Throws a retryable failure while the list is behind.
 */
async function loadPreviousRun(client: Client, workflowId: string, runId: string): Promise<AfterSaleState | null> {
  const earlier = await earlierRuns(client, workflowId, runId);
  for (const run of earlier) {
    // By query, because a terminated run has no result.
    const handle = client.workflow.getHandle(workflowId, run.runId);
    const state = await ifExists(() => handle.query<AfterSaleState>(QUERY.state), null);
    if (state && (state.trade_status !== null || state.refunds.length > 0)) return state;
  }
  return null;
}

/** The previous state with its open refunds as they are now: a refund runs on when its after-sale has ended. */
export async function withRefunds(client: Client, previous: AfterSaleState, app_id: string): Promise<AfterSaleState> {
  const no = previous.out_trade_no ?? previous.trade_no ?? '';
  const refunds = previous.refunds.map(async (refund) => {
    if (refund.outcome !== null || refund.started_at === null) return refund;
    const handle = client.workflow.getHandle(refundWorkflowId(app_id, no, refund.out_request_no));
    const now = await ifExists(() => handle.query<RefundState>(QUERY.state), refund);
    return { ...now, started_at: refund.started_at };
  });
  return { ...previous, refunds: await Promise.all(refunds) };
}

const NO_PAYMENT = { method: null, trade_no: null };

async function paymentOf(client: Client, paymentId: string): Promise<Pick<EarlierAfterSale, 'method' | 'trade_no'>> {
  const described = await ifExists(() => client.workflow.getHandle(paymentId).describe(), null);
  if (described === null) return NO_PAYMENT;
  const { typedSearchAttributes: found } = described;
  const trade_no = found.get(SEARCH_ATTRIBUTE.tradeNo) ?? null;
  return { method: found.get(SEARCH_ATTRIBUTE.method) ?? null, trade_no };
}

/** What `read` returns, or `otherwise` if Temporal does not have the workflow (any more). Throws every other error. */
async function ifExists<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise;
    // FAILED_PRECONDITION: the run ended before a worker had it, so it cannot be queried.
    if (grpcCodeOf(error) === GRPC_STATUS.FAILED_PRECONDITION) return otherwise;
    throw error;
  }
}
