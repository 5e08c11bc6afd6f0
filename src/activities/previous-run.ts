/** What Temporal still knows about a trade: its payment, and earlier after-sales. Read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type AfterSaleCarried,
  type AfterSaleState,
  type EarlierAfterSale,
  type LatestRun,
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
import { loadEarlierPayment, runBefore } from './earlier-payments';
import { type BuyerOf, buyerOfOrder } from './refund-user-info';
import { untakenNotifications } from './untaken-notifications';
import { activityAge, readWithin } from './urgency';

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

  async 'payments.earlierRun'({ order, before }) {
    const { workflowExecution: own } = activityInfo();
    const { workflow_id, run_id } = before ?? { workflow_id: own?.workflowId, run_id: own?.runId };
    if (workflow_id === undefined || run_id === undefined) return null;
    const read = () => ifExists(() => loadEarlierPayment(getClient(), workflow_id, run_id, order), null);
    return readWithin(WORKER_PATIENCE_MS, read, 'unread');
  },

  async 'payments.runBefore'() {
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return null;
    const { workflowId, runId } = workflowExecution;
    return readWithin(WORKER_PATIENCE_MS, () => runBefore(getClient(), workflowId, runId), 'unread');
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
      const known = await loadPreviousRun(client, workflowId, runId);
      const refunds_now = known.previous ? await refundsNow(client, known.previous, app_id) : [];
      return { ...known, refunds_now, is_unread: false, ...payment };
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

type KnownBefore = Pick<EarlierAfterSale, 'previous' | 'carried'>;

/**
 * What the latest earlier run knew that knows something. A run that ended right after its start may know no more than what was
 * notified, because it had not yet read the run before it. Throws a retryable failure while the list is behind.
 */
async function loadPreviousRun(client: Client, workflowId: string, runId: string): Promise<KnownBefore> {
  const earlier = await earlierRuns(client, workflowId, runId);
  let latest: KnownBefore = { previous: null, carried: null };
  for (const run of earlier) {
    const state = await ifExists(() => lastState<AfterSaleState>(client, run), null);
    if (!state) continue;
    // One that has ended by itself had taken all, and its refunds explain the trade's status.
    const isEnded = run.status.name === 'COMPLETED';
    const carried = isEnded ? null : await ifExists(() => carriedBy(client, run), null);
    const untaken = carried ? await untakenNotifications(client, run, carried.taken) : [];
    const claims = [...state.claims, ...untaken, ...(latest.previous?.claims ?? [])];
    latest = { previous: { ...state, claims }, carried };
    if (hasRead(state)) break;
  }
  return latest;
}

/** Whether this run, or one before it, has learned of the trade or of a person's decision. */
const hasRead = ({ trade_status, refunds, history, ledger_complete }: AfterSaleState) =>
  trade_status !== null || refunds.length > 0 || history.length > 0 || !ledger_complete;

const carriedBy = (client: Client, { workflowId, runId }: ShownRun) =>
  client.workflow.getHandle(workflowId, runId).query<AfterSaleCarried>(QUERY.carried);

/** The refunds that were open in that state, as they are now: a refund runs on when its after-sale has ended. */
async function refundsNow(client: Client, previous: AfterSaleState, app_id: string): Promise<RefundState[]> {
  const no = previous.out_trade_no ?? previous.trade_no ?? '';
  const open = previous.refunds.filter(({ outcome, started_at }) => outcome === null && started_at !== null);
  return Promise.all(
    open.map(async (refund) => {
      const handle = client.workflow.getHandle(refundWorkflowId(app_id, no, refund.out_request_no));
      const now = await ifExists(async () => lastState<RefundState>(client, await handle.describe()), refund);
      // Somebody else's workflow may have its id.
      return now.out_request_no === refund.out_request_no ? now : refund;
    }),
  );
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

const NOTHING = { previous: null, carried: null, refunds_now: [], is_unread: false };
const NO_PAYMENT = { method: null, trade_no: null };

async function paymentOf(client: Client, paymentId: string): Promise<Pick<EarlierAfterSale, 'method' | 'trade_no'>> {
  const described = await ifExists(() => client.workflow.getHandle(paymentId).describe(), null);
  if (described === null) return NO_PAYMENT;
  const { typedSearchAttributes: found } = described;
  const trade_no = found.get(SEARCH_ATTRIBUTE.tradeNo) ?? null;
  return { method: found.get(SEARCH_ATTRIBUTE.method) ?? null, trade_no };
}
