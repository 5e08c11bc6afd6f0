/** What Temporal still knows about a trade: its payment, and earlier after-sales. Read through the worker's own client. */

import { activityInfo, getClient } from '@temporalio/activity';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
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
  telling,
} from '../contract';
import { earlierRuns, ifAnswered, ifExists } from '../temporal/earlier-runs';
import { latestTakenRun } from '../temporal/taken-run';
import { inputOfRun, originalRun, summarizeClosedRun } from '../temporal/workflow-history';
import { loadEarlierPayment, runBefore } from './earlier-payments';
import { type BuyerOf, buyerOfOrder } from './refund-user-info';
import { untakenNotifications } from './untaken-notifications';
import { readWithin } from './urgency';

/**
 * So long an earlier run may fail to answer: no worker polls its task queue, or its code does not replay. Then a person is
 * told.
 */
const PATIENCE_MS = 10 * 60_000;
/** The activity has 30 seconds for all that it reads. */
const QUERY_TIMEOUT_MS = 10_000;

/** The activity that a new after-sale calls first, to take over what earlier runs knew. */
export const previousRunActivities: PreviousRunActivities = {
  'payments.latestRun': telling(async ({ app_id, out_trade_no }) => {
    const client = getClient();
    const workflowId = paymentWorkflowId(app_id, out_trade_no);
    return ifExists<LatestRun | null>(async () => {
      const { runId, status } = await latestTakenRun(client, workflowId);
      if (status.name === 'RUNNING') return { is: 'running' };
      return { is: 'closed', previous: await summarizeClosedRun(client, workflowId, runId) };
    }, null);
  }),

  'payments.earlierRun': telling(async ({ order, before }) => {
    const { workflowExecution: own } = activityInfo();
    const { workflow_id, run_id } = before ?? { workflow_id: own?.workflowId, run_id: own?.runId };
    if (workflow_id === undefined || run_id === undefined) return null;
    const read = () => ifExists(() => loadEarlierPayment(getClient(), workflow_id, run_id, order), null);
    return readWithin(PATIENCE_MS, read, 'unread');
  }),

  'payments.runBefore': telling(async () => {
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return null;
    const { workflowId, runId } = workflowExecution;
    return readWithin(PATIENCE_MS, () => runBefore(getClient(), workflowId, runId), 'unread');
  }),

  'payments.refundRun': telling(async ({ workflow_id, from_attempt = 1 }) => {
    const client = getClient();
    return ifExists<RefundRun | null>(async () => {
      const run = await client.workflow.getHandle(workflow_id).describe();
      const { input } = await inputOfRun(client, workflow_id, run.runId);
      if (!isRefundInput(input)) return { is: stateOf(run), refund: null };
      const { state } = input;
      const ask = () => ifAnswered(() => lastState<RefundState>(client, run), state);
      const refund = state.attempt < from_attempt ? state : await readWithin(PATIENCE_MS, ask, state);
      return { is: stateOf(run), refund };
    }, null);
  }),

  'payments.knownBefore': telling(async ({ app_id, out_trade_no }) => {
    const client = getClient();
    const { workflowExecution } = activityInfo();
    if (workflowExecution === undefined) return { ...NOTHING_LEFT, refunds_now: [], ...NO_PAYMENT };
    const { workflowId, runId } = workflowExecution;
    const left = await leftBefore(client, workflowId, runId);
    const refunds_now = left.previous ? await refundsNow(client, left.previous, app_id) : [];
    const payment =
      out_trade_no === null ? NO_PAYMENT : await paymentOf(client, paymentWorkflowId(app_id, out_trade_no));
    return { ...left, refunds_now, ...payment };
  }),
};

/** The buyer's data of the order that Temporal holds for a trade; empty if Temporal does not have the payment. */
export const buyerOfPayment: BuyerOf = async ({ app_id, id: { out_trade_no } }) => {
  if (out_trade_no === undefined) return {};
  const original = await ifExists(() => originalRun(getClient(), paymentWorkflowId(app_id, out_trade_no)), null);
  if (original === null) return {};
  return buyerOfOrder(orderOf(original.input)?.request ?? {});
};

type Left = Pick<EarlierAfterSale, 'previous' | 'carried' | 'claims' | 'is_unread'>;

/**
 * What earlier runs left: the state of the latest that had read anything, and what was notified to it and to those after it. A run
 * that ended right after its start may know no more than that, or nothing at all. Throws a retryable failure while the list is behind.
 */
async function leftBefore(client: Client, workflowId: string, runId: string): Promise<Left> {
  let left: Left = NOTHING_LEFT;
  for (const run of await earlierRuns(client, workflowId, runId)) {
    // One that has ended by itself had taken all, and its refunds explain the trade's status.
    const isEnded = run.status.name === 'COMPLETED';
    if (isEnded && left.is_unread) break;
    // An older ledger is none where nobody can read a later one.
    const known = left.is_unread ? null : await readWithin(PATIENCE_MS, () => knowledgeOf(client, run), null);
    const { state, carried } = known ?? NOTHING_KNOWN;
    const untaken = isEnded ? [] : await untakenNotifications(client, run, carried?.taken ?? 0);
    const claims = [...(state?.claims ?? []), ...untaken, ...left.claims];
    if (known === null) left = { ...NOTHING_LEFT, claims, is_unread: true };
    else left = state ? { previous: state, carried, claims, is_unread: false } : { ...left, claims };
    if (state && hasRead(state)) break;
  }
  return left;
}

interface RunKnowledge {
  state: AfterSaleState | null;
  carried: AfterSaleCarried | null;
}

/** What a run says of itself: nothing where no worker ever had it. */
async function knowledgeOf(client: Client, run: ShownRun): Promise<RunKnowledge> {
  const state = await ifExists<AfterSaleState | null>(() => lastState(client, run), null);
  if (state === null || run.status.name === 'COMPLETED') return { state, carried: null };
  return { state, carried: await ifExists(() => ask<AfterSaleCarried>(client, run, QUERY.carried), null) };
}

/** Whether this run, or one before it, has learned of the trade or of a person's decision. */
const hasRead = ({ trade_status, refunds, history, ledger_complete }: AfterSaleState) =>
  trade_status !== null || refunds.length > 0 || history.length > 0 || !ledger_complete;

/** The refunds that were open in that state, as they are now: a refund runs on when its after-sale has ended. */
async function refundsNow(client: Client, previous: AfterSaleState, app_id: string): Promise<RefundState[]> {
  const no = previous.out_trade_no ?? previous.trade_no ?? '';
  const open = previous.refunds.filter(({ outcome, started_at }) => outcome === null && started_at !== null);
  return Promise.all(
    open.map(async (refund) => {
      const handle = client.workflow.getHandle(refundWorkflowId(app_id, no, refund.out_request_no));
      const read = () => ifExists(async () => lastState<RefundState>(client, await handle.describe()), refund);
      // One that is silent is asked on by a signal, and is before a person where it does not answer that.
      const now = await readWithin(PATIENCE_MS, read, refund);
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
async function lastState<State>(client: Client, run: ShownRun): Promise<State> {
  if (run.status.name !== 'COMPLETED') return ask<State>(client, run, QUERY.state);
  return client.workflow.getHandle<() => Promise<State>>(run.workflowId, run.runId).result();
}

function ask<Answer>(client: Client, { workflowId, runId }: ShownRun, query: string): Promise<Answer> {
  const handle = client.workflow.getHandle(workflowId, runId);
  return client.withDeadline(Date.now() + QUERY_TIMEOUT_MS, () => handle.query<Answer>(query));
}

const NOTHING_KNOWN: RunKnowledge = { state: null, carried: null };
const NOTHING_LEFT: Left = { previous: null, carried: null, claims: [], is_unread: false };
const NO_PAYMENT = { has_payment: false, method: null, trade_no: null };

type KnownPayment = Pick<EarlierAfterSale, 'has_payment' | 'method' | 'trade_no'>;

async function paymentOf(client: Client, paymentId: string): Promise<KnownPayment> {
  const described = await ifExists(() => latestTakenRun(client, paymentId), null);
  if (described === null) return NO_PAYMENT;
  const { typedSearchAttributes: found } = described;
  const trade_no = found.get(SEARCH_ATTRIBUTE.tradeNo) ?? null;
  return { has_payment: true, method: found.get(SEARCH_ATTRIBUTE.method) ?? null, trade_no };
}
