/** What Temporal knows of a deposit's payment, read through the worker's own client. */
import { activityInfo, getClient } from '@temporalio/activity';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  type AccountActivities,
  type AdoptedPayment,
  type AfterSaleInput,
  afterSaleWorkflowId,
  type NotificationSignal,
  type PaymentState,
  paymentWorkflowId,
  priorityOf,
  SIGNAL,
  speiAccountWorkflowId,
  startSummary,
  telling,
  WORKFLOW,
} from '../contract';
import { allRuns, ifExists, latestTakenRun, type ShownRun } from '../temporal/runs';
import { isOfOrder } from '../temporal/workflow-history';
import { notYet } from './failures';

/** The gaps between two looks at a payment that another workflow has started, in ms: the first, and the longest. */
const FIRST_GAP_MS = 1_000;
const LONGEST_GAP_MS = 10 * 60_000;

/** Throws a retryable failure until the payment has ended. `state` is null if it failed, was cancelled or terminated. */
export const endedPayment: AccountActivities['payments.ended-payment'] = telling(async ({ workflow_id }) => {
  const described = await ifExists(() => latestTakenRun(getClient(), workflow_id), null);
  if (described === null) return { parent: null, run_id: null, state: null, is_gone: true };
  if (described.status.name === 'RUNNING') {
    const { attempt } = activityInfo();
    throw notYet('the payment still runs', Math.min(FIRST_GAP_MS * 2 ** (attempt - 1), LONGEST_GAP_MS));
  }
  // An older server does not name the first run of a chain.
  const run_id = described.raw.workflowExecutionInfo?.firstRunId || described.runId;
  return { parent: parentOf(described), run_id, state: await resultOf(described), is_gone: false };
});

/** The order may be asked for only after its number was notified as a deposit's: the webhook has then told nobody but the account. */
export const tellOrder: AccountActivities['payments.tell-order'] = telling(async ({ app_id, deposit }) => {
  const { out_trade_no, trade_no, trade_status, amount, currency } = deposit;
  const workflowId = paymentWorkflowId(app_id, out_trade_no);
  if (!(await isOfOrder(getClient(), workflowId))) return false;
  const notified = { app_id, out_trade_no, trade_no, trade_status, amount, currency };
  // As the webhook does it: a payment that somebody ended starts again, and what comes after a payment's end is for the after-sale.
  const adopted: AdoptedPayment = { kind: 'adopt', app_id, out_trade_no, trade_no };
  if (await notify(WORKFLOW.payment, workflowId, adopted, notified, 'ALLOW_DUPLICATE_FAILED_ONLY')) return true;
  const sold: AfterSaleInput = { app_id, out_trade_no, trade_no };
  await notify(WORKFLOW.afterSale, afterSaleWorkflowId(app_id, out_trade_no), sold, notified, 'ALLOW_DUPLICATE');
  return true;
});

/** Notifies a workflow, and starts it first if it does not run. False if it has ended and the policy lets no new run start. */
async function notify(
  type: string,
  workflowId: string,
  input: AdoptedPayment | AfterSaleInput,
  notified: NotificationSignal,
  workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY' | 'ALLOW_DUPLICATE',
): Promise<boolean> {
  try {
    await getClient().workflow.signalWithStart(type, {
      workflowId,
      taskQueue: activityInfo().taskQueue,
      args: [input],
      signal: SIGNAL.notification,
      signalArgs: [notified],
      staticSummary: startSummary({ ...input }),
      priority: priorityOf(workflowId),
      workflowIdReusePolicy,
    });
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/**
 * The account whose payment under this id was the first to succeed. Runs under one workflow id follow each other, so two accounts that have
 * each started one read the same answer. Throws a retryable failure while the list of workflows is behind.
 */
export const depositOwner: AccountActivities['payments.deposit-owner'] = telling(async ({ app_id, workflow_id }) => {
  const { workflow } = getClient();
  const latest = await ifExists(() => workflow.getHandle(workflow_id).describe(), null);
  if (latest === null) return null;
  const runs = await allRuns(getClient(), workflow_id, latest.runId);
  for (const run of runs.toReversed()) {
    const parent = parentOf(run);
    if (!parent?.startsWith(speiAccountWorkflowId(app_id, ''))) continue;
    const state = await ifExists(async () => resultOf(await asItIs(run)), null);
    if (state?.outcome === 'SUCCESS') return parent;
  }
  return null;
});

const parentOf = ({ parentExecution }: Pick<WorkflowExecutionInfo, 'parentExecution'>): string | null =>
  parentExecution?.workflowId ?? null;

/** The list of workflows shows a run's end later than its start, so a running one is read again. */
async function asItIs(run: ShownRun): Promise<ShownRun> {
  if (run.status.name !== 'RUNNING') return run;
  return getClient().workflow.getHandle(run.workflowId, run.runId).describe();
}

async function resultOf({ workflowId, runId, status }: ShownRun): Promise<PaymentState | null> {
  if (status.name !== 'COMPLETED') return null;
  return getClient().workflow.getHandle<() => Promise<PaymentState>>(workflowId, runId).result();
}
