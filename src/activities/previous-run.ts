/** What Temporal still knows about a trade: its payment, and earlier after-sales. Read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleState,
  type EarlierAfterSale,
  type LatestRun,
  type NotificationClaim,
  orderOf,
  type PreviousRunActivities,
  paymentWorkflowId,
  QUERY,
  type RefundInput,
  type RefundRun,
  type RefundState,
  refundWorkflowId,
  SEARCH_ATTRIBUTE,
} from '../contract';
import { earlierRuns, ifAnswered, ifExists, isWithoutWorker } from '../temporal/earlier-runs';
import { inputOfRun, originalRun, summarizeClosedRun } from '../temporal/workflow-history';
import { loadEarlierPayment, orderBefore } from './earlier-payments';
import { type BuyerOf, buyerOfOrder } from './refund-user-info';
import { activityAge } from './urgency';

/** So long a worker may be missing on the task queue of an earlier run. Then a person is told. */
const WORKER_PATIENCE_MS = 10 * 60_000;
const NO_WORKER =
  'An earlier run of this after-sale cannot be asked for its refunds: no worker polls its task queue. Start one there for a while.';

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
    return orderBefore(getClient(), workflowExecution.workflowId, workflowExecution.runId);
  },

  async 'payments.refundRun'({ workflow_id }) {
    const client = getClient();
    return ifExists<RefundRun | null>(async () => {
      const run = await client.workflow.getHandle(workflow_id).describe();
      const { input } = await inputOfRun(client, workflow_id, run.runId);
      if (!isRefundInput(input)) return { is: stateOf(run), refund: null };
      const refund = await ifAnswered(() => lastState<RefundState>(client, run), input.state);
      return { is: stateOf(run), refund };
    }, null);
  },

  async 'payments.knownBefore'({ app_id, out_trade_no }) {
    const client = getClient();
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return { ...NOTHING, ...NO_PAYMENT };
    const { workflowId, runId } = workflowExecution;
    const payment =
      out_trade_no === null ? NO_PAYMENT : await paymentOf(client, paymentWorkflowId(app_id, out_trade_no));
    try {
      const previous = await loadPreviousRun(client, workflowId, runId);
      return { ...(previous ? await withRefunds(client, previous, app_id) : NOTHING), ...payment };
    } catch (error) {
      if (!isWithoutWorker(error)) throw error;
      if (activityAge() >= WORKER_PATIENCE_MS) return { ...NOTHING, is_unread: true, ...payment };
      throw ApplicationFailure.retryable(NO_WORKER);
    }
  },
};

/** The buyer's data of the order that Temporal holds for a trade; empty if Temporal does not have the payment. */
export const buyerOfPayment: BuyerOf = async ({ app_id, id: { out_trade_no } }) => {
  if (out_trade_no === undefined) return {};
  const original = await ifExists(() => originalRun(getClient(), paymentWorkflowId(app_id, out_trade_no)), null);
  if (original === null) return {};
  return buyerOfOrder(orderOf(original.input)?.request ?? {});
};

/**
 * The state of the latest earlier run that knows something; null if there is none. A run that ended right after its start
 * may know no more than what was notified, because it had not yet read the run before it. Throws a retryable failure while
 * the list is behind.
 */
async function loadPreviousRun(client: Client, workflowId: string, runId: string): Promise<AfterSaleState | null> {
  const earlier = await earlierRuns(client, workflowId, runId);
  let latest: AfterSaleState | null = null;
  for (const run of earlier) {
    const state = await ifExists(() => lastState<AfterSaleState>(client, run), null);
    if (!state) continue;
    const claims: NotificationClaim[] = [...state.claims, ...(latest?.claims ?? [])];
    if (hasRead(state)) return { ...state, claims };
    latest = { ...state, claims };
  }
  return latest;
}

/** Whether this run, or one before it, has learned of the trade or of a person's decision. */
const hasRead = ({ trade_status, refunds, history, ledger_complete }: AfterSaleState) =>
  trade_status !== null || refunds.length > 0 || history.length > 0 || !ledger_complete;

/** The previous state with its open refunds as they are now: a refund runs on when its after-sale has ended. */
async function withRefunds(
  client: Client,
  previous: AfterSaleState,
  app_id: string,
): Promise<Pick<EarlierAfterSale, 'previous' | 'explained_status' | 'is_unread'>> {
  const no = previous.out_trade_no ?? previous.trade_no ?? '';
  let explained_status = previous.trade_status;
  const refunds = previous.refunds.map(async (refund) => {
    if (refund.outcome !== null || refund.started_at === null) return refund;
    const handle = client.workflow.getHandle(refundWorkflowId(app_id, no, refund.out_request_no));
    const now = await ifExists(async () => lastState<RefundState>(client, await handle.describe()), refund);
    // Another try under its number, or somebody else's workflow.
    if (now.out_request_no !== refund.out_request_no || now.attempt !== refund.attempt) return refund;
    if (now.outcome !== null && now.outcome !== 'NOT_CREATED') explained_status = now.refund_status;
    return { ...now, started_at: refund.started_at };
  });
  return { previous: { ...previous, refunds: await Promise.all(refunds) }, explained_status, is_unread: false };
}

const stateOf = ({ status }: ShownRun) => (status.name === 'RUNNING' ? 'running' : 'closed');

function isRefundInput(value: unknown): value is RefundInput {
  return typeof value === 'object' && value !== null && 'after_sale_id' in value && 'state' in value;
}

type ShownRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status'>;

/** A run's result, or what it answers to a query: a terminated one has no result, and one that runs has none yet. */
async function lastState<State>(client: Client, { workflowId, runId, status }: ShownRun): Promise<State> {
  const handle = client.workflow.getHandle<() => Promise<State>>(workflowId, runId);
  return status.name === 'COMPLETED' ? handle.result() : handle.query<State>(QUERY.state);
}

const NOTHING = { previous: null, explained_status: null, is_unread: false };
const NO_PAYMENT = { method: null, trade_no: null };

async function paymentOf(client: Client, paymentId: string): Promise<Pick<EarlierAfterSale, 'method' | 'trade_no'>> {
  const described = await ifExists(() => client.workflow.getHandle(paymentId).describe(), null);
  if (described === null) return NO_PAYMENT;
  const { typedSearchAttributes: found } = described;
  const trade_no = found.get(SEARCH_ATTRIBUTE.tradeNo) ?? null;
  return { method: found.get(SEARCH_ATTRIBUTE.method) ?? null, trade_no };
}
